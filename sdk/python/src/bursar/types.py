"""The types of what the server answers, and (`…Params`) of what it is given."""

from ._generated_types import *  # noqa: F403
