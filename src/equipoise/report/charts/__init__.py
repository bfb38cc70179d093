"""Charts, one file each: a view model of plain rows that draws itself in Vega-Lite."""
