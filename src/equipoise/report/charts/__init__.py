"""Charts, one file each: a view model of plain rows that draws itself as an Altair chart."""
