#!/bin/bash
# Every file of tests/files is read as it is meant or refused for the stated reason.
set -eu
"$INGOT" version 2>/dev/null | grep -q Gmsh || exit 77
exec "$SOURCE/scripts/make-files-table" "$INGOT" --check
