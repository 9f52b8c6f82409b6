# Installs into a folder of its own, then builds a small C program against it, outside the tree, both
# ways a program can find Ingot.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { echo "install test: $*"; }

cmake --install "$BUILD" --prefix "$work/ingot" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for file in bin/ingot share/man/man1/ingot.1 share/bash-completion/completions/ingot share/zsh/site-functions/_ingot share/fish/vendor_completions.d/ingot.fish include/ingot/ingot.h share/ingot/materials/Ti-6Al-4V.yaml share/ingot/cases/thermal/first.yaml; do
  [ -s "$work/ingot/$file" ] || { say "$file is missing"; exit 1; }
done
[ -n "$(find "$work/ingot" -name 'libingot.*')" ] || { say "there is no library"; exit 1; }
[ "$(cd "$SOURCE/include/ingot" && ls *.h)" = "$(cd "$work/ingot/include/ingot" && ls *.h)" ] || { say "headers are missing"; exit 1; }
bash -n "$work/ingot/share/bash-completion/completions/ingot" || { say "the completion is no bash"; exit 1; }
grep -q '^\.TH INGOT 1' "$work/ingot/share/man/man1/ingot.1" && grep -q -- 'stage' "$work/ingot/share/man/man1/ingot.1" || { say "the manual is not whole"; exit 1; }
"$work/ingot/bin/ingot" version
# a moved tree finds its materials
cp -r "$work/ingot" "$work/away"
printf 'physics: thermal\nmesh: {boxes: [{size: [1 mm, 1 mm, 1 mm], cells: [2, 2, 2]}]}\nmaterials: {file: Ti-6Al-4V}\nduration: 1 ms\nboundary: {set: zmin, temperature: 400}\n' >"$work/material.yaml"
(cd "$work" && unset INGOT_MATERIALS && ./away/bin/ingot check material.yaml >log 2>&1) || { cat "$work/log"; say "the material is not found beside the program"; exit 1; }
# and what its pages are made with; $INGOT_WEB is another place
if [ -e "$work/away/share/ingot/web/three.min.js" ]; then
  sed -i '1s|^|/* of the moved tree */|' "$work/away/share/ingot/web/three.min.js"
  mkdir "$work/web" && sed '1s|^|/* of INGOT_WEB */|' "$work/ingot/share/ingot/web/three.min.js" >"$work/web/three.min.js"
  (cd "$work" && ./away/bin/ingot run material.yaml -q --out run && ./away/bin/ingot report run && grep -q 'of the moved tree' run/report.html &&
    INGOT_WEB=$work/web ./away/bin/ingot report run && grep -q 'of INGOT_WEB' run/report.html) >"$work/log" 2>&1 ||
    { cat "$work/log"; say "the scripts of pages are not found beside the program"; exit 1; }
fi
# installing compiles nothing
if [ -f "$SOURCE/Makefile" ] && cmake --build "$BUILD" >"$work/log" 2>&1; then
  make -C "$SOURCE" BUILD="$BUILD" PREFIX="$work/made" JOBS=1 NATIVE=1 install >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  make -n -C "$SOURCE" BUILD="$work/none" install | grep -q 'INGOT_NATIVE=OFF' || { say "make install compiles for this machine alone"; exit 1; }
  grep -q "to use it: export PATH=$work/made/bin:.PATH" "$work/log" || { cat "$work/log"; say "make install does not say how it is used"; exit 1; }
  ! grep -qE 'Building|Linking' "$work/log" || { say "make install compiles"; exit 1; }
  cmp -s "$work/made/bin/ingot" "$work/ingot/bin/ingot" || { say "another prefix, another program"; exit 1; }
  mkdir -p "$work/made/lib/python3/dist-packages/ingot/__pycache__"
  make -s -C "$SOURCE" BUILD="$BUILD" uninstall >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  [ -z "$(find "$work/made" -type f -o -name ingot)" ] || { find "$work/made"; say "make uninstall leaves files"; exit 1; }
fi
cp "$SOURCE/tests/cli/user.c" "$work/user.c"
cd "$work"

mkdir by-cmake
cat >by-cmake/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(ingot REQUIRED)
add_executable(user ../user.c)
target_link_libraries(user PRIVATE ingot::ingot)
END
cmake -S by-cmake -B by-cmake/build -DCMAKE_PREFIX_PATH="$work/ingot" >log 2>&1 && cmake --build by-cmake/build >>log 2>&1 || { cat log; exit 1; }
./by-cmake/build/user || { say "the program built with find_package fails"; exit 1; }
say "find_package works"
if [ -f "$(find "$work/ingot" -name libingot.a | head -1)" ] && [ -e "$(find "$work/ingot" -name libingot.so | head -1)" ]; then
  readelf -d by-cmake/build/user | grep -q 'NEEDED.*libingot' || { say "the default is not the shared library"; exit 1; }
  sed -i 's/REQUIRED)/REQUIRED COMPONENTS static)/' by-cmake/CMakeLists.txt
  cmake -S by-cmake -B by-cmake/static -DCMAKE_PREFIX_PATH="$work/ingot" >log 2>&1 && cmake --build by-cmake/static >>log 2>&1 || { cat log; exit 1; }
  ! readelf -d by-cmake/static/user | grep -q 'NEEDED.*libingot' || { say "COMPONENTS static is not static"; exit 1; }
  ./by-cmake/static/user || { say "the program with the static library fails"; exit 1; }
  say "both libraries work"
fi

pc=$(dirname "$(find ingot -name ingot.pc)")
export PKG_CONFIG_PATH="$work/$pc"
cc -std=c11 -Wall -Werror user.c $(pkg-config --cflags --libs ingot) -Wl,-rpath,"$(pkg-config --variable=libdir ingot)" -o by-pkg-config
./by-pkg-config || { say "the program built with pkg-config fails"; exit 1; }
say "pkg-config works"

cat >user.cpp <<'END'
#include <ingot/ingot.h>
int main() {
  ig_ctx_options options{};
  options.backend = "cpu";
  ig_ctx *cx = nullptr;
  const bool good = ig_ctx_open(&options, &cx) == IG_OK && *ig_version();
  ig_ctx_close(cx);
  return good ? 0 : 1;
}
END
c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror user.cpp $(pkg-config --cflags --libs ingot) -Wl,-rpath,"$(pkg-config --variable=libdir ingot)" -o by-cpp
./by-cpp || { say "the C++ program fails"; exit 1; }
say "C++ works"

# the examples, as a reader builds them
cp -r "$SOURCE/examples" "$work/examples"
for source in examples/0*.c; do
  name=$(basename "$source" .c)
  cc -std=c11 -Wall -Werror "$source" $(pkg-config --cflags --libs ingot) -lm -Wl,-rpath,"$(pkg-config --variable=libdir ingot)" -o "$name"
  case $name in
  01*) set -- "$work/ingot/share/ingot/cases/thermal/first.yaml" "duration=0.05 s" ;;
  *) set -- ;;
  esac
  "./$name" "$@" >log 2>&1 || { cat log; say "examples/$name fails"; exit 1; }
done
say "the examples work"

# the program that docs/reference/api.md is
awk '/^```c$/ { c = 1; next } /^```/ { c = 0 } c' "$SOURCE/docs/reference/api.md" >api.c
cc -std=c11 -Wall -Werror -Wno-unused-function api.c $(pkg-config --cflags --libs ingot) -Wl,-rpath,"$(pkg-config --variable=libdir ingot)" -o api
./api >log 2>&1 || { cat log; say "the program of docs/reference/api.md fails"; exit 1; }
say "the program of docs/reference/api.md works"
