"""Protocols: how the referee speaks to programs, and how our players speak to other referees. One file per protocol."""
