"""What all tests share."""

from hypothesis import settings

# The first example of a test may compile a kernel: no example has a deadline.
settings.register_profile("starscout", deadline=None)
settings.load_profile("starscout")
