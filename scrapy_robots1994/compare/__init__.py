"""Compare our parser with other parsers, decision by decision, and explain each difference.

This package imports no other parser: its callers pass the other parsers.

The modules, in the order in which a comparison uses them:

* `parsers`: parsers, captures and questions,
* `comparer`: counts the differences, with `diagnosis`, which finds their causes and lines,
* `causes` and `profiles`: the tables that `diagnosis` reads,
* `impact`: the changes for each site,
* `report` and `formats`: the report, as text, JSON and HTML.
"""
