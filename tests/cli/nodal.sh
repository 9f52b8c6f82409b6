# Stresses at nodes beside CalculiX's and beam theory (nodal.py).
set -u
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "no NumPy"; exit 77; }
command -v ccx >/dev/null || { echo "CalculiX is not installed"; exit 77; }
package=$(dirname "$INGOT")/python
compgen -G "$package/ingot/_ingot*.so" >/dev/null || { echo "the Python package is not built"; exit 77; }
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$package
/usr/bin/python3 "$SOURCE/tests/cli/nodal.py" "$INGOT" "$here"
