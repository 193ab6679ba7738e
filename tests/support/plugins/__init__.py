"""Spiders and a page object for crawls with other plugins, written as the plugins' docs show."""
