"""Compare our parser with other parsers, decision by decision, and explain each difference.

This package does not import other parsers. The caller creates the other parsers, and
passes them to `Comparer`.

A comparison uses the modules in this order:

* `parsers` defines the parsers, the captures and the questions.
* `comparer` counts the differences.
* `diagnosis` finds the causes of a difference, and the lines that cause the difference.
* `causes` and `profiles` contain the tables that `diagnosis` reads.
* `impact` counts the sites whose decisions change if our parser replaces another parser.
* `report` and `formats` write the report as text, JSON and HTML.
"""
