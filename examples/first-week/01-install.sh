#!/bin/sh
# Install: builds for any machine of this kind and puts program, library, Python, manual and materials into PREFIX.
set -eu
cd "$(dirname "$0")/../.."
make setup-python
make install PREFIX="${PREFIX:-$HOME/.local}"
"${PREFIX:-$HOME/.local}/bin/ingot" version
PYTHONPATH="${PREFIX:-$HOME/.local}/lib/python3/dist-packages" /usr/bin/python3 -c 'import ingot; print(ingot.__version__)'
