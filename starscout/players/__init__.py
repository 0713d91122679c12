"""Players: searches, Python classes and presets; `spec.py` creates them from a SPEC."""
