#!/bin/sh
# A mesh of another program: here one that Ingot writes as .inp, as Abaqus and CalculiX do; sets keep their names.
set -eu
ingot new statics -o block.yaml --force --size 40x10x10mm
ingot mesh new block.yaml block.inp
ingot mesh info block.inp
cat >own-mesh.yaml <<END
physics: dynamics
title: my own mesh
mesh: {file: block.inp, unit: 1 m}
materials: {name: S355, file: S355}
supports: {set: xmin, fix: xyz}
loads: {set: xmax, total: [0, 0, -100 N]}
analysis: {kind: static}
probes: {name: tip, set: xmax, quantity: uz}
output: {count: 1}
END
ingot run own-mesh.yaml --out own-mesh
