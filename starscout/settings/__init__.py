"""The settings schema, and validation and parsing derived from it."""
