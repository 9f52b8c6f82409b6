# Types of the Python package: mypy finds no fault in it, and finds the faults of a program that uses it.
set -u
command -v mypy >/dev/null || { echo "mypy is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$SOURCE" || exit 1
mypy --cache-dir "$work/cache" || exit 1
cat >"$work/user.py" <<'END'
import ingot

result = ingot.run("case.yaml", out="out", set={"duration": 5.0})
hottest: float = result.history["T_max"].max()
names: list[str] = [s.path for s in result.snapshots]
with ingot.Simulation(ingot.Case("case.yaml", threads=2)) as s:
    for s in s.every(100):
        s.load(0, 0.8)
    state: ingot.State = s.save()
mesh: ingot.Mesh = ingot.Mesh.read("part.msh", unit=1e-3)
END
MYPYPATH=python mypy --cache-dir "$work/cache" --config-file mypy.ini "$work/user.py" || exit 1
cat >"$work/wrong.py" <<'END'
import ingot

ingot.run("case.yaml", out=3)
ingot.Case("case.yaml", threads="two")
steps: str = ingot.Simulation("case.yaml").step()
ingot.Mesh.read("part.msh", units=1e-3)
END
MYPYPATH=python mypy --cache-dir "$work/cache" --config-file mypy.ini "$work/wrong.py" >"$work/said" 2>&1
[ "$(grep -c "wrong.py:.* error: " "$work/said")" = 4 ] || { cat "$work/said"; echo "faults of a program are not found"; exit 1; }
echo "types are right"
