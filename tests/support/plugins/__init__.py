"""Spiders and a page object for crawls with other plugins, as their documentation shows."""
