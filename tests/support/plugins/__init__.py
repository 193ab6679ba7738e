"""Spiders and components that use other plugins, as the documentation of the plugins shows."""
