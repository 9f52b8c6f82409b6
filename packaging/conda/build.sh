#!/bin/bash
# conda build runs this in the source: PREFIX, PYTHON, SP_DIR and PKG_VERSION come from it.
set -euo pipefail
# shellcheck disable=SC2154,SC2086
cmake -S . -B build-conda -G Ninja $CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DINGOT_NATIVE=OFF -DINGOT_TESTS=OFF -DINGOT_CUDA=OFF -DINGOT_MPI=OFF -DINGOT_GMSH=OFF -DINGOT_COMMIT="$PKG_VERSION" \
  -DINGOT_PYTHON_PROGRAM="$PYTHON" -DINGOT_PYTHON_DIR="${SP_DIR#"$PREFIX"/}"
cmake --build build-conda
cmake --install build-conda
