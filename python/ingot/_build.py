"""Writes the C source of the extension: _build.py PREPROCESSED_HEADERS OUTPUT.c

The declarations are the public headers themselves, preprocessed; the compiler then checks each of
them against the header. Only the callbacks are named here.
"""
import sys

import cffi

CALLBACKS = """
extern "Python" void py_log(void *, ig_log_level, const char *);
extern "Python" void py_progress(void *, const ig_progress *);
extern "Python" void py_figure(void *, const char *, double, const char *, const char *);
extern "Python" void py_field(void *, const ig_field_info *);
extern "Python" void py_line(void *, const char *, const char *);
extern "Python" void py_text(void *, const char *);
extern "Python" void py_compared(void *, const ig_compared *);
"""


def main(headers: str, output: str) -> None:
    ffi = cffi.FFI()
    with open(headers, encoding="utf-8") as f:
        ffi.cdef(f.read())
    ffi.cdef(CALLBACKS)
    ffi.set_source("ingot._ingot", "#include <ingot/ingot.h>")
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
