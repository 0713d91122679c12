"""Settings: their types, ranges, units and help, and how they are parsed."""
