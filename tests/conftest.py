"""Settings for all tests."""

import os

from hypothesis import settings

from browsing import axe, browser  # noqa: F401 - one browser for all: two cannot be driven by one process

# Machines are noisy: no test is timed. In CI the examples are the same every time; elsewhere they go on exploring.
settings.register_profile("cutline", deadline=None, derandomize=bool(os.environ.get("CI")), print_blob=True)
settings.load_profile("cutline")
