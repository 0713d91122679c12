"""Records of games: reading, checking and writing them, one file per format."""
