# The example notebooks of python/notebooks run from their first cell to their last. Skipped where the
# Python package was not built or NumPy is missing.
set -u
[ -e "$BUILD/python/ingot/_ingot.abi3.so" ] || { echo "the Python package was not built"; exit 77; }
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "no NumPy"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export PYTHONPATH=$BUILD/python PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 TMPDIR=$work IPYTHONDIR=$work JUPYTER_RUNTIME_DIR=$work \
  PYDEVD_DISABLE_FILE_VALIDATION=1
set -- "$SOURCE"/python/notebooks/*.ipynb
[ $# -ge 8 ] || { echo "$# notebooks"; exit 1; }
/usr/bin/python3 "$SOURCE/tests/python/notebooks.py" "$@"
