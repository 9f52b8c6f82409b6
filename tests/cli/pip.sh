# pip install into an environment of its own, without the network; the package runs from there, and so
# does the one that `make install` gives.
set -u
[ -e "$BUILD/python/ingot/_ingot.abi3.so" ] || { echo "the Python package was not built"; exit 77; }
/usr/bin/python3 -c 'import numpy, setuptools, wheel, cffi, venv, ensurepip' 2>/dev/null || { echo "no setuptools, wheel or venv"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
cat >"$work/try.py" <<'PY'
import os, sys
import ingot
assert ingot.__file__.startswith(sys.argv[1]), ingot.__file__
r = ingot.run({"physics": "thermal", "mesh": {"boxes": [{"size": ["4 mm", "2 mm", "1 mm"], "cells": [4, 2, 2]}]},
               "materials": [{"file": "Ti-6Al-4V"}], "boundary": [{"set": "zmax", "flux": "1 MW/m^2"}],
               "duration": 0.01, "output": {"count": 1}}, out=os.path.join(sys.argv[2], "out"), threads=1)
assert r["T_max"] > 293, r.figures
assert os.path.getsize(r.report()) > 10000
print(ingot.__version__, ingot.build_info)
PY
cd "$work"
# pip writes beside the sources: give it a copy
mkdir source
for name in pyproject.toml setup.py README.md include materials; do cp -r "$SOURCE/$name" source/; done
/usr/bin/python3 -m venv --system-site-packages env >log 2>&1 || { cat log; fail "no environment"; }
INGOT_BUILD=$BUILD env/bin/pip install --no-build-isolation --no-index --no-deps ./source >log 2>&1 || { cat log; fail "pip install fails"; }
grep -q 'ingot-[0-9.]*-cp39-abi3-' log || { cat log; fail "the wheel is for one version of Python alone"; }
! readelf -d "$(echo env/lib/python3*/site-packages/ingot/_ingot.abi3.so)" | grep -qE 'R(UN)?PATH' || fail "the extension searches folders of this machine for libraries"
env -u PYTHONPATH env/bin/python -X dev -W error try.py "$work/env" "$work/a" || fail "the package that pip installed does not run"
env/bin/pip show -f ingot >files
grep -q 'ingot/materials/Ti-6Al-4V.yaml' files || fail "materials are missing"
env/bin/pip uninstall -y ingot >log 2>&1 || fail "pip uninstall fails"
[ ! -e "$(env/bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/ingot" ] || fail "pip uninstall leaves files"
cmake --install "$BUILD" --prefix "$work/prefix" >log 2>&1 || { cat log; fail "make install fails"; }
[ ! -e "$work/prefix/share/ingot/web" ] || grep -q 'ingot/web/three.min.js' files || fail "what pages are made with is missing"
PYTHONPATH=$work/prefix/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -X dev -W error try.py "$work/prefix" "$work/b" ||
  fail "the package that make install gave does not run"
echo "installed both ways"
