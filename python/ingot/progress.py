"""A progress bar: one line that is updated, in a notebook or on a terminal."""
from __future__ import annotations

import html
import sys
import time
from typing import Any, TextIO


def _notebook() -> Any:
    """IPython's display functions where there is a notebook to show them, else None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython import display
    return display


class Bar:
    """Call it with (done, total, unit, note), as `progress` of `ingot.run` is called."""

    def __init__(self, stream: TextIO | None = None, every: float = 0.1) -> None:
        self.stream = stream or sys.stderr
        self.display = _notebook()
        self.every, self.start = every, time.monotonic()
        self.last: float | None = None
        self.handle = None
        self.text = ""

    def __call__(self, done: float, total: float, unit: str, note: str | None) -> None:
        now = time.monotonic()
        share = min(max(done / total, 0.0), 1.0) if total and total > 0 else 0.0
        if self.last is not None and now - self.last < self.every and share < 1:
            return
        self.last = now
        spent = now - self.start
        left = f", {_duration(spent * (1 - share) / share)} left" if 0 < share < 1 and spent > 1 else ""
        self.text = f"{100 * share:3.0f} %  {done:.4g} of {total:.4g} {unit}{left}" + (f"  {note}" if note else "")
        if self.display is not None:
            self._in_notebook(share)
        elif self.stream.isatty():
            width = 24
            full = int(share * width)
            self.stream.write(f"\r[{'#' * full}{'.' * (width - full)}] {self.text}\033[K")
            self.stream.flush()

    def _in_notebook(self, share: float) -> None:
        bar = self.display.HTML(f'<progress max="1" value="{share:.4f}" style="width:20em"></progress> '
                                f"<code>{html.escape(self.text)}</code>")
        if self.handle is None:
            self.handle = self.display.display(bar, display_id=True)
        else:
            self.handle.update(bar)

    def close(self) -> None:
        """Ends the line of a terminal."""
        if self.display is None and self.last is not None and self.stream.isatty():
            self.stream.write("\n")
            self.stream.flush()


def _duration(seconds: float) -> str:
    seconds = int(seconds + 0.5)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"
