"""Games that were played, as files: reading, checking and writing them, one format a file."""
