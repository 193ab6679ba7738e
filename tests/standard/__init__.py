"""Each clause of the standard, each decision and each dialect, through `RobotsTxt`."""
