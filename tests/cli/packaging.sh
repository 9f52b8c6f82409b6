# Recipes of packages: one version in the whole tree, options that the build has, files that are there; their own
# linters where they are installed (hadolint, conda, spack, shellcheck, lintian's tools are not needed for this).
set -u
cd "$SOURCE" || exit 1
failed=0
wrong() { echo "$*"; failed=1; }
version=$(sed -n 's/^#define INGOT_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/ingot/version.h | paste -sd.)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || wrong "include/ingot/version.h: '$version'"
expect() { [ "$2" = "$version" ] || wrong "$1: version '$2', the headers have $version"; }
expect CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
expect debian/changelog "$(sed -n '1s/^ingot (\([0-9.]*\)-.*/\1/p' debian/changelog)"
expect packaging/spack/package.py "$(sed -n 's/^    version("\([0-9.]*\)".*/\1/p' packaging/spack/package.py | head -1)"
expect packaging/conda/meta.yaml "$(sed -n 's/^{% set version = "\([0-9.]*\)" %}$/\1/p' packaging/conda/meta.yaml)"
[ "$("$INGOT" version | sed -n '1s/^[Ii]ngot \([0-9.]*\).*/\1/p')" = "$version" ] || wrong "ingot version: $("$INGOT" version | head -1)"
[ -e "debian/libingot${version%.*}.install" ] || wrong "debian: no libingot${version%.*}.install"

# the changelog: this version first; entries of one line, one sentence of at most 160 characters, under Added, Changed or Fixed
expect CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -1)"
awk '/^### / && !/^### (Added|Changed|Fixed)(:|$)/ { print FILENAME ":" FNR ": " $0; bad = 1 }
     /^(- |  )/ && (length > 160 || !/^- .*\.$/ || /\. [A-Z]/) { print FILENAME ":" FNR ": not one sentence of at most 160 characters: " $0; bad = 1 }
     END { exit bad }' CHANGELOG.md || wrong "CHANGELOG.md"

# what the Debian packages take from the source is there, and completions lie where Debian's shells look
for file in debian/*.examples debian/*.docs; do
  while read -r name; do compgen -G "$name" >/dev/null || wrong "$file: $name"; done <"$file"
done
grep -q 'site-functions debian/tmp/usr/share/zsh/vendor-completions$' debian/rules || wrong "debian/rules: zsh's completion"

# what the Python module imports is what its packages depend on
for file in 'debian/control python3-cffi-backend, python3-numpy' 'pyproject.toml "cffi>=1.15", "numpy>=1.21"' 'packaging/conda/meta.yaml cffi >=1.15'; do
  grep -qF -- "${file#* }" "${file%% *}" || wrong "${file%% *}: nothing of ${file#* }"
done

# nothing in the Debian packages is what the building machine happens to have
for option in MPI MUMPS CUDA NATIVE; do grep -q "DINGOT_$option=OFF" debian/rules || wrong "debian/rules: INGOT_$option is left open"; done

# every option that a recipe gives is one of the build
known=$(sed -n 's/^ *\(option\|set\)(\(INGOT_[A-Z_]*\) .*\("\|CACHE\).*/\2/p' CMakeLists.txt cmake/*.cmake | sort -u)
for file in packaging/Dockerfile packaging/conda/build.sh packaging/spack/package.py debian/rules .github/workflows/*.yml; do
  for option in $(grep -oE 'INGOT_[A-Z_]+' "$file" | sort -u); do
    grep -qx "$option" <<<"$known" || wrong "$file: the build has no option $option"
  done
done

bash -n packaging/conda/build.sh || wrong "packaging/conda/build.sh"
for file in packaging/slurm/*.sbatch; do bash -n "$file" || wrong "$file"; done
# the Spack recipe with a stand-in for Spack: its class is made, its arguments for CMake with all variants on and off
/usr/bin/python3 - packaging/spack/package.py <<'END' || wrong "packaging/spack/package.py"
import sys, types
calls, spack, package = [], types.ModuleType("spack"), types.ModuleType("spack.package")
for name in ("license", "version", "variant", "depends_on", "extends", "conflicts", "generator"):
    setattr(package, name, lambda *a, _n=name, **k: calls.append((_n, a, k)))
class Base:
    define = staticmethod(lambda key, value: f"-D{key}={value}")
    def define_from_variant(self, key, variant):
        assert variant == "cuda" or any(c[0] == "variant" and c[1][0] == variant for c in calls), variant
        return self.define(key, self.spec.on)
package.CMakePackage, package.CudaPackage = type("CMakePackage", (Base,), {}), type("CudaPackage", (), {})
package.python_platlib = "lib/python3/site-packages"
spack.package, sys.modules["spack"], sys.modules["spack.package"] = package, spack, package
made = {}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), made)
names = [c[1][0] for c in calls if c[0] == "variant"]
for _, _, k in calls:
    assert k.get("when", "+x").lstrip("+~") in names + ["x"], k
class Spec:
    version = "0"
    def __init__(self, on): self.on = on
    def satisfies(self, what): return self.on
    variants = {"cuda_arch": types.SimpleNamespace(value=("90",))}
    def __getitem__(self, name): return types.SimpleNamespace(command=types.SimpleNamespace(path="/usr/bin/python3"))
for on in (True, False):
    recipe = made["Ingot"]()
    recipe.spec = Spec(on)
    assert all(a.startswith("-D") for a in recipe.cmake_args())
END
# the Conda recipe as YAML, its template filled in
if /usr/bin/python3 -c 'import yaml, jinja2' 2>/dev/null; then
  /usr/bin/python3 - packaging/conda/meta.yaml <<'END' || wrong "packaging/conda/meta.yaml"
import os, sys, jinja2, yaml
text = jinja2.Template(open(sys.argv[1]).read(), undefined=jinja2.StrictUndefined).render(compiler=lambda c: c + "-compiler", stdlib=lambda c: c + "-stdlib")
made = yaml.safe_load(text)
assert made["package"]["name"] == "ingot" and set(made) == {"package", "source", "build", "requirements", "test", "about"}, made
assert os.path.exists(made["about"]["license_file"]) and os.path.exists(os.path.join("packaging/conda", made["source"]["path"], "CMakeLists.txt"))
assert not set(made["requirements"]["host"]) - {"python", "cffi >=1.15", "hdf5", "libpng", "metis", "yaml"}
END
fi
# the Dockerfile: packages of both stages are names; what is copied is there
grep -q 'libjs-three' packaging/Dockerfile || wrong "packaging/Dockerfile: pages without what they are turned with"
grep -q '^FROM .* AS build$' packaging/Dockerfile && grep -q '^COPY --from=build ' packaging/Dockerfile || wrong "packaging/Dockerfile: two stages"
for tool in 'hadolint packaging/Dockerfile' 'shellcheck packaging/conda/build.sh' 'actionlint -ignore unknown.*labels'; do
  if command -v "${tool%% *}" >/dev/null; then $tool || wrong "$tool"; fi
done
/usr/bin/python3 -c 'import sys, yaml
for name in sys.argv[1:]: assert yaml.safe_load(open(name))["jobs"], name' .github/workflows/*.yml 2>/dev/null || ! /usr/bin/python3 -c 'import yaml' 2>/dev/null || wrong ".github/workflows"
echo "version $version, $(wc -w <<<"$known") options of the build"
exit $failed
