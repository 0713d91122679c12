"""Protocols, one module each: programs as players of our referee, and our players as engines of other referees."""
