"""HTML views of matches, tournaments and tunings, for the page and for saved reports."""
