"""Web front end: play, watch and analyse games in a browser."""
