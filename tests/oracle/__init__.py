"""An independent, naive parser, whose answers the package must give too."""
