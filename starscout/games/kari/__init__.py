"""EinStein würfelt nicht! (Kari)."""
