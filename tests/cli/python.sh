# The Python package: its tests and its examples, with every warning an error. Skipped where it was not
# built or NumPy is missing.
set -u
[ -e "$BUILD/python/ingot/_ingot.abi3.so" ] || { echo "the Python package was not built"; exit 77; }
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "no NumPy"; exit 77; }
export PYTHONPATH=$BUILD/python PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
/usr/bin/python3 -X dev -W error "$SOURCE/tests/python/test_ingot.py" || exit 1
work=$(mktemp -d) # examples draw into the folder they are started in
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
for example in "$SOURCE"/python/examples/0*.py; do
  /usr/bin/python3 -X dev -W error "$example"
  code=$?
  [ $code = 0 ] || [ $code = 77 ] || { echo "$example failed"; exit 1; } # 77: SciPy is not installed
done
grep -q '<rect' process-map.svg || { echo "the process map is not drawn"; exit 1; }
# without NumPy: one sentence
said=$(/usr/bin/python3 -c 'import sys; sys.modules["numpy"] = None; import ingot' 2>&1 | tail -n 1)
[ "$said" = "ImportError: ingot needs NumPy: install it (Debian: python3-numpy)" ] || { echo "$said"; exit 1; }
