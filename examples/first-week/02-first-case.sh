#!/bin/sh
# A first case: a beam of aluminium, clamped and loaded. The tip against F L^3 / (3 E I).
set -eu
ingot new statics --size 120x20x10mm --material Al6061-T6 -o beam.yaml --force
ingot check beam.yaml
ingot run beam.yaml --out beam
awk '$1 == "\"tip\":" { w = -100 * 0.12^3 / (3 * 70e9 * 0.02 * 0.01^3 / 12); u = $2 + 0
  printf "tip %.4g mm, beam theory %.4g mm\n", 1e3 * u, 1e3 * w; exit !(u / w > 0.97 && u / w < 1.03) }' beam/summary.json
