"""The public API, one file per function. Results are immutable and can print and draw themselves."""
