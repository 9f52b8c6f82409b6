#!/bin/sh
# A part drawn elsewhere, printed: an STL file in millimetres, sliced and scanned, melt pool and lack of fusion.
set -eu
stl=${STL:-}                 # yours: STL=part.stl sh 03-print-an-stl.sh
[ -n "$stl" ] || { cp "$(dirname "$0")/box.stl" . && stl=box.stl; } # 2 x 3 x 4 mm
cat >print.yaml <<END
physics: powder
title: my part, first layers
materials: {name: SS316L, file: SS316L, powder_conductivity: 0.3 W/(m K)}
plate_temperature: 353 K
beam: {radius: 50 um, depth: 40 um, keyhole: {absorptivity: 0.3}}
grid: {cell: 40 um, ratio: 4, margin: 0.32 mm, plate: 0.48 mm}
hatch:
  parts: {stl: '$stl'}
  layer_height: 40 um
  layers: 1
  spacing: 0.1 mm
  power: 200 W
  speed: 0.8 m/s
  recoating: 1 ms
output: {count: 2}
END
ingot run print.yaml --out print
head -3 print/layers.csv
