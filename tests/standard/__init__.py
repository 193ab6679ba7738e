"""Tests of what robots.txt files, usage preferences and page directives mean.

They use only the public names of the package.
"""
