# Files of strangers do no harm: none runs a program, writes beside itself, hangs, or leaves a process
# or a folder behind; what is made honestly is read as before. Gmsh's part is skipped without Gmsh.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp" "$work/in" "$work/bin"
ln -s "$INGOT" "$work/bin/ingot"
PATH=$work/bin:$PATH
export TMPDIR=$work/tmp
cd "$work/in"
checked=0 failed=0
ok() { # words, command…
  local words=$1
  shift
  checked=$((checked + 1))
  "$@" && return
  failed=$((failed + 1))
  echo "--- $words"
  cat ../log 2>/dev/null
}
one_error() { test "$(grep -c '^ingot: error: ' ../log)" = 1; }
refused() { # words, pattern, command…: exit 2 and one error that says so
  local words=$1 pattern=$2
  shift 2
  timeout 60 "$@" >../out 2>../log
  ok "$words: exit 2" test $? = 2
  ok "$words: one error" one_error
  ok "$words: says $pattern" grep -qE -- "$pattern" ../log
}
mine() { LC_ALL=C ls -A | tr '\n' ' '; }
fresh() { rm -rf ./* ./.[!.]*; }

cat >../cube.geo <<'END'
Point(1) = {0, 0, 0, 1}; Point(2) = {1, 0, 0, 1}; Point(3) = {1, 1, 0, 1}; Point(4) = {0, 1, 0, 1};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Line Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
e[] = Extrude {0, 0, 1} { Surface{1}; };
Physical Volume("cube") = {e[1]};
END
RUN='SystemCall "touch ran";'
letters() { head -c "$1" /dev/zero | tr '\0' A; }
case_of() { # file
  cat <<END
physics: thermal
mesh: {file: $1, edge: 1 m}
materials: {name: steel, density: 7850 kg/m3, conductivity: 45 W/(m K), specific_heat: 500 J/(kg K)}
boundary: {set: zmin, temperature: 400 K}
duration: 1 s
END
}

gmsh() {
  # --- ways to run a program: none does
  local name
  way() { # words, file: neither a look at it nor a case that names it runs anything
    local words=$1 file=${2:-way.geo} before code
    case_of "$file" >case.yaml
    before=$(mine)
    for command in "mesh info $file --edge 1" 'check case.yaml'; do
      # shellcheck disable=SC2086
      timeout 60 ingot $command >../out 2>../log
      code=$?
      ok "$words: ${command%% *}: nothing has run or was written" test "$(mine)" = "$before"
      ok "$words: ${command%% *}: exit $code" test $code = 2 -o $code = 0
    done
    fresh
  }
  { echo "$RUN"; cat ../cube.geo; } >way.geo
  refused 'a plain call' 'way.geo:1:1: it would run a program' ingot mesh info way.geo
  case_of way.geo >case.yaml
  refused 'a plain call, run' 'would run a program' ingot run case.yaml -b cpu
  ok 'a plain call, run: nothing is written' test "$(mine)" = 'case.yaml way.geo '
  way 'a plain call'
  for word in System NonBlockingSystemCall; do
    { echo "$word \"touch ran\";"; cat ../cube.geo; } >way.geo && way "$word"
  done
  { echo "$RUN"; cat ../cube.geo; } >part.StP && way 'an ending that Gmsh does not know' part.StP
  { echo "$RUN"; cat ../cube.geo; } >part.mSh && way 'a mesh that is a script' part.mSh
  for size in 1022 1023 1024 4095; do
    { echo 'General.AbortOnError = 0;'; echo "s = \"$(letters $size)"; echo "$RUN"; echo '";'; cat ../cube.geo; } >way.geo
    way "after a text of $size letters"
  done
  { echo 'Include "sizes.stl";'; cat ../cube.geo; } >way.geo && echo "$RUN" >sizes.stl && way 'Include of any ending'
  { echo 'Include "data.txt";'; cat ../cube.geo; } >way.geo && printf '$MeshFormat\n;\n%s\n' "$RUN" >data.txt && way 'Include of what begins like a mesh'
  { echo 'Merge "s.StL";'; cat ../cube.geo; } >way.geo && echo "$RUN" >s.StL && way 'Merge of a mixed-case ending'
  { echo 'MergeWithBoundingBox "s.any";'; cat ../cube.geo; } >way.geo && echo "$RUN" >s.any && way 'MergeWithBoundingBox'
  cp ../cube.geo way.geo && echo "$RUN" >way.geo.opt && way 'options beside the file'
  { echo 'Merge "t.stl";'; cat ../cube.geo; } >way.geo && echo "$RUN" >t.stl.opt &&
    printf 'solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n' >t.stl &&
    way 'options beside a merged file'
  { cat ../cube.geo; echo 'Plugin(Bubbles).OutputFile = "ran"; Plugin(Bubbles).Run;'; } >way.geo && way 'a plugin with an output file'
  { cat ../cube.geo; printf '// a comment\r%s\n' "$RUN"; } >way.geo && way 'behind a carriage return'
  { echo "OnelabRun(\"touch\", \"$PWD/ran\");"; cat ../cube.geo; } >way.geo && way OnelabRun

  # --- files: written to a folder that goes away, never beside the script or elsewhere
  for line in 'Save "ran.msh";' 'Printf("x") > "ran";' 'CreateDir "ran";' "Save \"$work/ran.msh\";" 'Save "../ran.msh";' \
    'General.ErrorFileName = "ran"; General.SaveOptions = 1; General.OptionsFileName = "ran";'; do
    { cat ../cube.geo; echo 'Mesh 3;'; echo "$line"; } >way.geo
    timeout 60 ingot mesh info way.geo >../out 2>../log
    ok "$line: nothing is written" test "$(mine)" = 'way.geo ' -a ! -e ../ran.msh
  done
  printf 'For i In {1:10000000}\n  Printf("x") > Sprintf("f%%g.txt", i);\nEndFor\n' >many.geo
  refused 'a great many files' 'write more than 1 GB or 1000 files' ingot mesh info many.geo --meshing-time 30
  ok 'none of them stays' test "$(mine)" = 'many.geo way.geo ' -a -z "$(ls "$TMPDIR")"
  { cat ../cube.geo; echo 'Save "way.geo";'; } >way.geo && cp way.geo ../kept
  timeout 60 ingot mesh info way.geo >../out 2>../log
  ok 'a script does not overwrite itself' cmp -s way.geo ../kept
  echo 'Point(999) = {0, 0, 0};' >../outside.geo
  { echo 'Include "../outside.geo";'; cat ../cube.geo; } >way.geo
  refused 'a file above its folder' 'outside.geo.*reads files in its folder and below' ingot mesh info way.geo
  fresh

  # --- time and memory
  { echo 'Sleep 1000;'; cat ../cube.geo; } >sleep.geo
  { printf 'For i In {1:1000000000}\nEndFor\n'; cat ../cube.geo; } >loop.geo
  { printf 'Macro A\nCall A;\nReturn\nCall A;\n'; cat ../cube.geo; } >deep.geo
  for name in sleep loop deep; do
    refused "$name" "$name.geo: .*(has not ended after 1 s|memory|without a word)" ingot mesh info $name.geo --meshing-time 1
  done
  refused 'time is over: the remedy' 'meshing_time.*--meshing-time' ingot mesh info sleep.geo --meshing-time 0.5s
  case_of sleep.geo | sed 's/edge:/meshing_time: 500 ms, edge:/' >sleep.yaml
  refused 'time, in a case' 'has not ended after 0.5 s' ingot check sleep.yaml
  printf 'For i In {1:100000000}\nPoint(i) = {i, 0, 0, 1};\nEndFor\n' >much.geo
  refused 'memory' 'for lack of memory.*meshing_memory' ingot mesh info much.geo --meshing-memory 200MB --meshing-time 60
  refused 'memory without a unit' 'give them a unit' ingot mesh info much.geo --meshing-memory 2
  refused 'no memory' 'expected an amount of memory' ingot mesh info much.geo --meshing-memory 2mm
  refused 'limits are of files' 'meshing_time applies to a mesh from a file' ingot check sleep.yaml \
    -s 'mesh={boxes: {size: [1, 1, 1], cells: [1, 1, 1]}, meshing_time: 1 s}'

  # --- the end of the program is that of Gmsh's process
  gone() { for _ in $(seq 40); do [ -e "/proc/$1" ] || return 0; grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null && return 0; sleep 0.05; done; return 1; }
  ended() { # signal, command…
    local sig=$1 child= pid
    shift
    "$@" >../out 2>../log &
    pid=$!
    for _ in $(seq 100); do
      child=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
      [ "$child" ] && [ "$(ls "$TMPDIR")" ] && break
      sleep 0.05
    done
    sleep 0.3
    ok "$sig: $2: there is a process" test "$child"
    kill -"$sig" $pid
    local begun=$SECONDS
    wait $pid 2>/dev/null
    ok "$sig: $2: it ends within a second or two" test $((SECONDS - begun)) -le 2
    for c in $child; do ok "$sig: $2: Gmsh's process is gone" gone "$c"; done
    [ "$sig" = KILL ] || ok "$sig: $2: so is its folder" test -z "$(ls "$TMPDIR")"
  }
  ended TERM ingot mesh info sleep.geo
  ended INT env --default-signal=INT ingot mesh info sleep.geo
  ended HUP ingot check sleep.yaml -s 'mesh.meshing_time=0'
  ended TERM ingot run sleep.yaml -b cpu -s 'mesh.meshing_time=0'
  ended KILL ingot mesh info sleep.geo
  for left in "$TMPDIR"/ingot-mesh-*; do
    ok 'a killed run leaves a folder' test -d "$left"
    touch -h -d '-5 minutes' "$left"
  done
  mkdir "$TMPDIR/ingot-mesh-of-mine" && echo mine >"$TMPDIR/ingot-mesh-of-mine/file" && touch -d '-5 minutes' "$TMPDIR/ingot-mesh-of-mine"
  fresh
  cp ../cube.geo cube.geo
  ok 'the next one' ingot mesh info cube.geo >../out
  ok 'takes it away, and nothing else' test "$(ls "$TMPDIR")" = ingot-mesh-of-mine -a -s "$TMPDIR/ingot-mesh-of-mine/file"
  rm -r "$TMPDIR/ingot-mesh-of-mine"

  # --- what is honest works
  elements() { ingot mesh info "$@" 2>../log | sed -n 's/^elements *//p'; }
  local all
  all=$(elements cube.geo --edge 0.5)
  ok 'a geometry' test "$all" -gt 10
  { cat ../cube.geo; echo 'Mesh 3; Save "cube.msh"; Printf("saved") > "log.txt"; // SystemCall "x"'; echo 's = "SystemCall";'; } >saves.geo
  ok 'one that saves its mesh, too' test "$(elements saves.geo)" -gt 5
  ok 'what it saves is skipped with a note' grep -q 'saves.geo:[0-9]*: 1 `Save` or `Print` skipped' ../log
  { cat ../cube.geo; printf '// Save "a.png";\n/* Print "b.png"; */ Mesh.SaveAll = 1; s = "Save x;";\nMesh 3;\nIf(1) Save Sprintf("c;%%g.png", 1);\nPrint "d.png"; EndIf\n'; } >draws.geo
  ok 'one that draws' test "$(elements draws.geo)" -gt 5
  ok 'comments and texts are no statements' grep -q ': 2 `Save` or `Print` skipped' ../log
  mkdir sub && echo 'h = 2;' >sub/sizes.geo && echo 'Include "../more.geo";' >>sub/sizes.geo && echo 'm = 1;' >more.geo
  { echo 'Include "sub/sizes.geo";'; sed 's/0, 0, 1}/0, 0, h - m}/' ../cube.geo; } >includes.geo
  ok 'one that includes others' test "$(elements includes.geo --edge 0.5)" = "$all"
  ok 'from another folder' test "$(cd sub && elements ../includes.geo --edge 0.5)" = "$all"
  ln -s includes.geo link.geo
  ok 'by a link' test "$(elements link.geo --edge 0.5)" = "$all"
  cp "$SOURCE/tests/files/gmsh.step" part.step && cp part.step PART.STP && cp part.step Part.StEp
  all=$(elements part.step --edge 1mm)
  ok 'a .step' test "$all" -gt 5
  for name in PART.STP Part.StEp; do ok "$name" test "$(elements $name --edge 1mm)" = "$all"; done
  echo 'Merge StrCat(StrPrefix(General.FileName), ".step");' >part.geo
  ok 'a script that merges it' test "$(elements part.geo --edge 0.5)" -gt 5
  ok 'its surface' ingot mesh convert part.step surface.stl --edge 1mm -q
  printf 'Merge "surface.stl";\nSurface Loop(1) = {1};\nVolume(1) = {1};\n' >filled.geo
  ok 'and a volume in that' test "$(elements filled.geo)" -gt 5
  ok 'a .msh' ingot mesh info "$SOURCE/tests/files/gmsh-4.1.msh" >../out
  for f in "$SOURCE"/tests/bad/gmsh/*.msh; do
    timeout 60 ingot mesh info "$f" >../out 2>../log
    ok "$f: exit 2, one error" test $? = 2 -a "$(grep -c '^ingot: error: ' ../log)" = 1
  done
  ok 'no folder is left' test -z "$(ls "$TMPDIR")"
  ok 'a folder that cannot be made is named' test "$(TMPDIR=$work/none ingot mesh info part.step 2>&1 | grep -c "cannot make a folder in '$work/none'.*TMPDIR")" = 1
}
if ingot mesh info "$SOURCE/cases/topopt/hook.geo" >../out 2>../log; then
  gmsh
else
  echo 'without Gmsh'
fi

fresh

# --- only files are read: a pipe would wait for ever, a device never ends
readers='part.inp part.k part.cdb part.bdf part.dat part.vtk part.vtu part.vtkhdf part.med part.msh part.mesh part.stl part.ply part.geo part.step part.unv'
for name in $readers; do
  mkfifo "$name"
  refused "a pipe $name" "'$name' is not a file: it is a pipe" ingot mesh info "$name"
  rm "$name"
done
for name in part.inp part.vtkhdf part.step; do
  ln -s /dev/zero "$name"
  refused "a device $name" "'$name' is not a file: it is a device" ingot mesh info "$name"
  rm "$name" && mkdir "$name"
  refused "a folder $name" "'$name' is not a file: it is a folder" ingot mesh info "$name"
  rmdir "$name"
done
for name in part.stl part.obj part.3mf part.vti part.nrrd part.npy; do
  mkfifo "$name"
  case_of x | sed "s/file: x, edge: 1 m/stl: $name, voxel: 1 mm/" >case.yaml
  refused "a pipe $name" "'.*$name' is not a file: it is a pipe" ingot check case.yaml
  refused "a pipe $name, run" "'.*$name' is not a file: it is a pipe" ingot run case.yaml -b cpu
  rm "$name"
done
mkfifo path.csv path.gcode
refused 'a toolpath' 'it is a pipe' ingot path info path.csv
refused 'a G-code' 'it is a pipe' ingot path info path.gcode
rm -f case.yaml && mkfifo case.yaml
for command in check run view 'mesh info'; do
  # shellcheck disable=SC2086
  timeout 20 ingot $command case.yaml >../out 2>../log
  code=$?
  ok "a case that is a pipe: $command" test $code = 2 -o $code = 1
done
fresh

# --- files that include each other, sets of sets: bounded
tetra() { printf '*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4,ELSET=e\n1,1,2,3,4\n'; }
for i in 0 1 2 3 4 5; do
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '*INCLUDE\nf%d.k\n' $((i + 1)); done >f$i.k
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '*INCLUDE, INPUT=f%d.inp\n' $((i + 1)); done >f$i.inp
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do printf "INCLUDE 'f%d.bdf'\n" $((i + 1)); done >f$i.bdf
done
echo '$' >f6.k && echo '** nothing' >f6.inp && echo '$' >f6.bdf
for name in f0.k f0.inp f0.bdf; do
  refused "files of files: $name" 'f[0-9].[a-z]*:[0-9]+:[0-9]+: more than 1000 files are included' ingot mesh info $name
done
echo '*INCLUDE, INPUT=own.inp' >own.inp
refused 'a file that includes itself' 'own.inp:1:[0-9]+: .*more than 8 deep' ingot mesh info own.inp
mkfifo pipe.inp && echo '*INCLUDE, INPUT=pipe.inp' >leads.inp
refused 'a pipe that is included' "leads.inp:1:[0-9]+: .*it is a pipe" ingot mesh info leads.inp
{
  tetra
  echo '*NSET,NSET=s0' && echo '1,2,3,4'
  for i in $(seq 1 16); do echo "*NSET,NSET=s$i" && echo "s$((i - 1)),s$((i - 1)),s$((i - 1)),s$((i - 1)),s$((i - 1)),s$((i - 1)),s$((i - 1)),s$((i - 1))"; done
} >sets.inp
ok 'sets of sets end' timeout 20 ingot mesh info sets.inp >../out
ok 'with each node once' grep -q '^set s16 *4 nodes' ../out
{ tetra; seq -f '*NSET,NSET=n%.0f
1,2' 50000; } >many.inp
begun=$SECONDS
ok '50,000 sets' timeout 60 ingot mesh info many.inp >../out
ok 'are all there' grep -q '^set n50000 *2 nodes' ../out
ok 'soon' test $((SECONDS - begun)) -le 15
{
  for i in $(seq 3000); do echo "*PART,NAME=p$i" && tetra && echo '*END PART'; done
  echo '*ASSEMBLY,NAME=a'
  for i in $(seq 3000); do printf '*INSTANCE,NAME=i%d,PART=p%d\n*END INSTANCE\n' "$i" "$i"; done
  echo '*END ASSEMBLY'
} >parts.inp
ok '3,000 parts' timeout 60 ingot mesh info parts.inp >../out
ok 'each in its place' grep -q '^set i3000 *1 elements' ../out
if ingot mesh info "$SOURCE/cases/topopt/hook.geo" >../out 2>../log; then # as many groups as elements, in time that grows with them and not with their square
  awk 'BEGIN {
    n = 30000
    print "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n" n
    for (i = 1; i <= n; i++) print "3 " i " \"p" (i == 7 ? 1 : i) "\"" # one name twice: the second group has its number
    print "$EndPhysicalNames\n$Nodes\n" 4 * (n + 1)
    for (i = 0; i <= n; i++) for (k = 1; k <= 4; k++) print 4 * i + k, i, (k == 2 || k == 3), (k > 2)
    print "$EndNodes\n$Elements\n" n
    for (i = 1; i <= n; i++) { a = 4 * (i - 1); print i, 5, 2, i, i, a + 1, a + 5, a + 6, a + 2, a + 4, a + 8, a + 7, a + 3 }
    print "$EndElements"
  }' >groups.msh
  begun=$SECONDS
  ok '30,000 groups' timeout 60 ingot mesh info groups.msh >../out
  ok 'with their elements' grep -q '^set p30000 *1 elements' ../out
  ok 'and nodes' grep -q '^set p30000 *8 nodes' ../out
  ok 'names twice are numbers' grep -q '^set group_3_7 *1 elements' ../out
  ok 'soon' test $((SECONDS - begun)) -le 15
fi
fresh

# --- what a terminal would obey is refused in a case, shown where a file has it
esc=$(printf '\033')
cat >case.yaml <<'END'
physics: thermal
title: plain
mesh: {boxes: [{name: b, size: [1, 1, 1], cells: [1, 1, 1]}]}
materials: {name: m, density: 7850, conductivity: 20, specific_heat: 500}
duration: 1 s
boundary: {set: zmin, temperature: 400}
END
sends_nothing() { # name
  ok "$1: sends no control characters" test -z "$(cat ../out ../log | LC_ALL=C tr -d '\11\12\40-\176' | LC_ALL=C grep -a "$esc\|$(printf '\302\233')")"
}
for place in 's/title: plain/title: "\\e]0;stolen\\a"/' 's/name: b,/name: "b\\e[32m",/' 's/name: m,/name: "m\\x9b5m",/' 's/set: zmin/set: "q\\e[31m"/'; do
  sed "$place" case.yaml >wrong.yaml
  refused "control characters in a case: $place" 'wrong.yaml:[2-6]:[0-9]+: .*control character' ingot check wrong.yaml
  sends_nothing "$place"
done
{ tetra && printf '*NSET,NSET=red\302\233 31m\n1\n'; } >set.inp
ingot mesh info set.inp >../out 2>../log
ok 'a set of a file with control characters is read' test $? = 0
sends_nothing 'mesh info set.inp'
ok 'they are shown' grep -qF 'x9b' ../out

echo "$checked checks, $failed failed"
[ "$failed" = 0 ]
