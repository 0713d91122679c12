"""The page: a server that lets people play, watch and understand games in a browser."""
