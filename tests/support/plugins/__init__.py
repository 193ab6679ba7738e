"""Spiders and components with other plugins, as their documentation writes them."""
