"""Chinese dark chess (banqi) as a computer-games course plays it."""
