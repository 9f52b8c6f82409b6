#!/bin/sh
# A cluster job: packaging/slurm has job files; a run that hits its time limit writes a checkpoint and goes on.
set -eu
ingot new print -o wall.yaml --force
timeout -s INT 3 ingot run wall.yaml --out wall || echo "interrupted, as by a time limit"
ingot run wall.yaml --out wall --resume
# on many nodes: sbatch packaging/slurm/many-nodes.sbatch wall.yaml, which calls  mpirun ingot run wall.yaml
grep '"status"' wall/summary.json
