"""Spiders and components for other plugins, written as the plugins' documentation shows."""
