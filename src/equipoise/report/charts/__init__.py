"""Charts by kind of result: view models of plain rows that draw themselves in Vega-Lite."""
