"""Expected answers from the tests of other programs, transcribed as data."""
