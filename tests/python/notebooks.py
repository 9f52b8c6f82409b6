"""Runs notebooks from their first cell to their last: by nbclient in a kernel of their own where it is
installed, else their cells in this process. Also: they are stored without outputs.

    notebooks.py FILE.ipynb...
"""
import json
import os
import sys
import time


def cells(book):
    return [("".join(c["source"]), c) for c in book["cells"] if c["cell_type"] == "code"]


def in_kernel(path):
    """True: run; False: there is no nbclient or no kernel."""
    try:
        import ipykernel  # noqa: F401
        import nbclient
        import nbformat
    except ImportError:
        return False
    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(book, timeout=100, kernel_name="python3").execute()
    shown = [o for _, c in cells(book) for o in c["outputs"]]
    assert shown, "nothing is shown"
    assert not any(o.get("name") == "stderr" and "Traceback" in o["text"] for o in shown)
    if any("progress=True" in source for source, _ in cells(book)):  # the bar was shown, and updated to its end
        assert any('<progress max="1" value="1.0000"' in o.get("data", {}).get("text/html", "") for o in shown)
    if any("interactive(" in source for source, _ in cells(book)):
        assert any(o.get("data", {}).get("text/html", "").startswith("<iframe srcdoc=") for o in shown)
    return True


def here(path):
    import __main__
    with open(path, encoding="utf-8") as f:
        book = json.load(f)
    for source, _ in cells(book):
        exec(compile(source, path, "exec"), __main__.__dict__)


for name in sys.argv[1:]:
    start = time.monotonic()
    with open(name, encoding="utf-8") as f:
        stored = cells(json.load(f))
    assert stored and all(c["outputs"] == [] and c["execution_count"] is None for _, c in stored), f"{name}: stored with outputs"
    by = "nbclient" if in_kernel(name) else "its cells alone"
    if by != "nbclient":
        here(name)
    print(f"{os.path.basename(name)}: {len(stored)} cells, {time.monotonic() - start:.1f} s ({by})")
