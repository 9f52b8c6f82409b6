"""The compiled part: declarations of the C headers (made by _build.py)."""
from typing import Any

ffi: Any
lib: Any
