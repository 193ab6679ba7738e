"""Released files are built, checked, installed outside the source folder, and used
there.
"""
