"""Tests of the released files, which are built, checked, and installed outside the source
folder.
"""
