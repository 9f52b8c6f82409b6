# Sixty seconds of differential tests with fixed seeds (tests/differential). Skipped without NumPy.
set -u
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "no NumPy"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
/usr/bin/python3 "$SOURCE/tests/differential/run.py" --ingot "$INGOT" --python "$BUILD/python" --seeds 0-999 --minutes "${MINUTES:-1}" --jobs 1 \
  --found "$found" || { grep -r . "$found" --include=relation -h; exit 1; }
