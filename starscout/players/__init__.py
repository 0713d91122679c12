"""Players: whoever chooses moves. A player is described by a text (SPEC) and made by `make_player`."""
