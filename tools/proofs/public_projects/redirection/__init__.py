"""The folder on the import path of a tested project, with its sitecustomize."""
