"""Tables for notebooks."""
from __future__ import annotations

import html
from typing import Iterable, Sequence


def table(rows: Iterable[Sequence[object]], title: str = "") -> str:
    """Rows of cells as an HTML table, escaped."""
    head = f"<h4>{html.escape(title)}</h4>" if title else ""
    cells = lambda row: "".join(f"<td style='text-align:left'>{html.escape(str(c))}</td>" for c in row)
    return head + "<table>" + "".join(f"<tr>{cells(row)}</tr>" for row in rows) + "</table>"


def short(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
