"""Compares screenshots with recorded ones, in blocks of 50 x 50 pixels: screens.py [--record] RECORD NAME=FILE.png...

A record has a line per row of blocks, six hexadecimal digits (mean red, green, blue) per block. Letters of
other fonts and another antialiasing change means little; a part that is not drawn, lies elsewhere, is cut off
or has other colors changes them much.
"""
import struct
import sys
import zlib

import numpy as np

BLOCK = 50
MEAN, WORST = 4.0, 48.0  # of 255: over the picture, and of the fifth worst block


def pixels(path):
    """Rows x columns x RGB of a PNG with 8 bits and without interlacing (PNG specification, W3C 2003)."""
    with open(path, "rb") as f:
        data = f.read()
    at, packed, head = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        head = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else head
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    width, height, depth, color, _, _, interlace = head
    assert depth == 8 and color in (2, 6) and interlace == 0, head
    step = 3 if color == 2 else 4
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * step)
    rows, above = np.zeros((height, width * step), np.uint8), np.zeros(width * step, np.uint8)
    for y in range(height):
        how, line = raw[y, 0], raw[y, 1:]
        if how == 2:
            line = line + above
        elif how == 1:
            line = np.cumsum(line.reshape(-1, step), axis=0, dtype=np.uint8).ravel()
        elif how in (3, 4):
            out, up = bytearray(width * step), above.tobytes()
            for i, v in enumerate(line.tobytes()):
                a, b, c = (out[i - step] if i >= step else 0), up[i], (up[i - step] if i >= step else 0)
                if how == 3:
                    guess = (a + b) // 2
                else:
                    p = a + b - c
                    guess = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                out[i] = (v + guess) & 255
            line = np.frombuffer(bytes(out), np.uint8)
        rows[y] = above = line
    return rows.reshape(height, width, step)[..., :3]


def blocks(path):
    image = pixels(path).astype(float)
    high, wide = (n // BLOCK for n in image.shape[:2])
    return image[:high * BLOCK, :wide * BLOCK].reshape(high, BLOCK, wide, BLOCK, 3).mean(axis=(1, 3))


def stored(record):
    made, name = {}, None
    with open(record, encoding="utf-8") as f:
        for line in f.read().splitlines():
            if line.startswith("# "):
                name = line[2:]
                made[name] = []
            else:
                made[name].append([[int(w[i:i + 2], 16) for i in (0, 2, 4)] for w in line.split()])
    return {name: np.array(rows, float) for name, rows in made.items()}


arguments = sys.argv[1:]
record = "--record" in arguments
if record:
    arguments.remove("--record")
shots = dict(a.split("=", 1) for a in arguments[1:])
if record:
    with open(arguments[0], "w", encoding="utf-8") as f:
        for name, path in shots.items():
            f.write(f"# {name}\n")
            for row in blocks(path):
                f.write(" ".join("".join(f"{round(v):02x}" for v in block) for block in row) + "\n")
    sys.exit()
known, bad = stored(arguments[0]), 0
for name, path in shots.items():
    seen, expected = blocks(path), known[name]
    if seen.shape != expected.shape:
        print(f"{name}: {seen.shape[:2]} blocks, expected {expected.shape[:2]}")
        bad = 1
        continue
    off = np.abs(seen - expected).max(axis=2)
    worst = np.sort(off.ravel())[-5]
    y, x = np.unravel_index(off.argmax(), off.shape)
    print(f"{name}: off by {off.mean():.2f} in the mean, {worst:.0f} in the fifth worst block (the worst at x {x * BLOCK}, y {y * BLOCK})")
    bad |= off.mean() > MEAN or worst > WORST
sys.exit(int(bool(bad)))
