#!/bin/sh
# A sweep: the same beam with four heights and two materials, one row each, and a page with all of them.
set -eu
ingot new vibration -o plate.yaml --force
ingot sweep plate.yaml --vary 'mesh.boxes[0].size[2]=2 mm, 3 mm, 4 mm, 5 mm' --vary 'materials[0].file=Al6061-T6, S355' --out plates --jobs 2
ingot report plates
head -3 plates/results.csv                # all figures; the terminal showed those that differ
