"""Spiders and components that use other plugins, as in the documentation of these plugins."""
