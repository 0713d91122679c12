"""EinStein würfelt nicht! with a cyclic die."""
