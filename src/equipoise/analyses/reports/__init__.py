"""Everything that fits the files of a report: read, taken apart where not all can be compared, and analysed."""
