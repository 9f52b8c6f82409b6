# 3MF: what the build places is the part: components, transformations, several models, mirrored
# objects, archives in pieces and of 64 bits; supports and spare objects are no part of it.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
fail() { echo "3mf test: $*"; cat log 2>/dev/null; exit 1; }
python3 - <<'END' || fail "the files cannot be written"
import zipfile
BOX = [(0, 1, 3), (0, 3, 2), (4, 7, 5), (4, 6, 7), (0, 5, 1), (0, 4, 5), (2, 3, 7), (2, 7, 6), (0, 6, 4), (0, 2, 6), (1, 5, 7), (1, 7, 3)]
FACES = [(t[0], t[2], t[1]) for t in BOX]
def mesh(size):
    corners = [(i & 1, i >> 1 & 1, i >> 2) for i in range(8)]
    v = "".join('<vertex x="%g" y="%g" z="%g"/>' % tuple(size[d] * c[d] for d in range(3)) for c in corners)
    return "<mesh><vertices>%s</vertices><triangles>%s</triangles></mesh>" % (v, "".join('<triangle v1="%d" v2="%d" v3="%d"/>' % t for t in FACES))
def obj(i, inside, more=""):
    return '<object id="%d" type="%s">%s</object>' % (i, more or "model", inside)
def parts(*p):
    return "<components>%s</components>" % "".join('<component objectid="%s"%s/>' % (i, t and ' transform="%s"' % t) for i, t in p)
def model(objects, items, head='unit="millimeter"'):
    return '<?xml version="1.0"?><model %s xmlns:p="x"><!-- <object id="9"> --><resources>%s</resources><build>%s</build></model>' % (
        head, "".join(objects), "".join('<item objectid="%s"%s/>' % (i, t and ' transform="%s"' % t) for i, t in items))
RELS = '<Relationships><Relationship Target="/3D/root.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>'
def write(name, files):
    with zipfile.ZipFile(name + ".3mf", "w", zipfile.ZIP_DEFLATED) as z:
        for path, text in files.items():
            z.writestr(path, text)
def one(name, text):
    write(name, {"_rels/.rels": RELS, "3D/root.model": text})
move = lambda x, y=0, z=0: "1 0 0 0 1 0 0 0 1 %g %g %g" % (x, y, z)
cube = mesh((4, 4, 4))
one("placed", model([obj(1, cube)], [(1, move(10, 20, 30))]))
one("twice", model([obj(1, cube)], [(1, ""), (1, move(6))]))
one("components", model([obj(1, cube), obj(2, parts((1, ""), (1, move(6)))), obj(3, parts((2, ""), (2, move(0, 6))))], [(3, move(0, 0, 2))]))
one("turned", model([obj(1, mesh((8, 4, 4)))], [(1, "0 1 0 -1 0 0 0 0 1 4 0 0")]))  # x to y
one("mirrored", model([obj(1, cube)], [(1, "-1 0 0 0 1 0 0 0 1 0 0 0")]))
one("scaled", model([obj(1, cube)], [(1, "2 0 0 0 1 0 0 0 1 0 0 0")]))
one("spare", model([obj(1, cube), obj(2, mesh((40, 40, 40)))], [(1, "")]))
one("support", model([obj(1, cube), obj(2, mesh((40, 40, 40)), "support")], [(1, ""), (2, "")]))
one("inches", model([obj(1, cube)], [(1, "")], 'unit="inch"'))
one("nobuild", model([obj(1, cube), obj(2, parts((1, "")))], []))
other = model([obj(7, cube)], [(7, move(100))])  # its build does not count
root = model([obj(1, '<components><component objectid="7" p:path="/3D/Objects/seven.model" transform="%s"/></components>' % move(1))], [(1, "")])
write("models", {"3D/Objects/seven.model": other, "_rels/.rels": RELS, "3D/root.model": root})
plain = model([obj(1, cube)], [(1, "")])
write("pieces", {"_rels/.rels": RELS, "3D/root.model/[0].piece": plain[:300], "3D/root.model/[1].piece": plain[300:500], "3D/root.model/[2].last.piece": plain[500:]})
class Once:  # a writer that does not know the size: data descriptors
    def __init__(self, f): self.f = f
    def write(self, b): return self.f.write(b)
    def flush(self): self.f.flush()
with open("stream.3mf", "wb") as f, zipfile.ZipFile(Once(f), "w", zipfile.ZIP_DEFLATED) as z:
    for path, text in {"_rels/.rels": RELS, "3D/root.model": plain}.items():
        with z.open(path, "w", force_zip64=True) as g:
            g.write(text.encode())
# a directory of 64 bits throughout
import struct, zlib
out, entries = b"", []
for path, text in {"_rels/.rels": RELS, "3D/root.model": plain}.items():
    data = text.encode(); name = path.encode(); at = len(out)
    out += struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45, 8, 8, 0, 0, 0, 0, 0, len(name), 0) + name
    c = zlib.compressobj(9, zlib.DEFLATED, -15); packed = c.compress(data) + c.flush(); out += packed
    extra = struct.pack("<HHQQQ", 1, 24, len(data), len(packed), at)
    entries.append(struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 45, 45, 8, 8, 0, 0, zlib.crc32(data), 0xffffffff, 0xffffffff, len(name), len(extra), 0, 0, 0, 0, 0xffffffff) + name + extra)
start = len(out); out += b"".join(entries); size = len(out) - start; end = len(out)
out += struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 2, 2, size, start) + struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
out += struct.pack("<4sHHHHIIH", b"PK\5\6", 0xffff, 0xffff, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)
open("wide.3mf", "wb").write(out)
# what is refused
one("circle", model([obj(1, parts((2, ""))), obj(2, parts((1, "")))], [(1, "")]))
one("bomb", model([obj(i, parts((i + 1, ""), (i + 1, ""))) for i in range(1, 30)] + [obj(30, cube)], [(1, "")]))
one("missing", model([obj(1, cube)], [(5, "")]))
one("eleven", model([obj(1, cube)], [(1, "1 0 0 0 1 0 0 0 1 0 0")]))
one("lattice", model([obj(1, cube.replace("</mesh>", '<b:beamlattice radius="1"/></mesh>'))], [(1, "")]))
one("unit", model([obj(1, cube)], [(1, "")], 'unit="furlong"'))
write("gone", {"_rels/.rels": RELS})
END
case_of() {
  printf 'physics: thermal\nmesh: {stl: %s.3mf, voxel: %s}\nmaterials: [{name: a, density: 1000, conductivity: 1, specific_heat: 1000}]\nduration: 1 s\ninitial_temperature: 300 K\n' "$1" "${2:-1 mm}" >case.yaml
}
# name, volume in m^3, box: as mesh info prints them
holds() {
  case_of "$1" "${4:-1 mm}"
  "$INGOT" mesh info case.yaml >out 2>log || fail "$1 is not read"
  grep -q "^volume  *$2 m" out || fail "$1: $(grep ^volume out), not $2"
  grep -qF -- "$3" out || fail "$1: $(grep -i -e box -e extent out), not $3"
}
refused() {
  case_of "$1"
  timeout 20 "$INGOT" mesh info case.yaml >out 2>log
  [ $? = 2 ] || fail "$1: exit code"
  grep -qF -- "$2" log || fail "$1: '$2' is not said"
}
holds placed 6.4e-08 'bounds                   0.01 0.02 0.03 to 0.014 0.024 0.034 m'
holds twice 1.28e-07 '0 0 0 to 0.01 0.004 0.004 m'
holds components 2.56e-07 '0 0 0.002 to 0.01 0.01 0.006 m'
holds turned 1.28e-07 '0 0 0 to 0.004 0.008 0.004 m'
holds mirrored 6.4e-08 '-0.004 0 0 to 0 0.004 0.004 m'
grep -q warning log && fail "mirrored: it faces inwards"
holds scaled 1.28e-07 '0 0 0 to 0.008 0.004 0.004 m'
holds spare 6.4e-08 '0 0 0 to 0.004 0.004 0.004 m'
holds support 6.4e-08 '0 0 0 to 0.004 0.004 0.004 m'
grep -q 'supports of the machine' log || fail "support: not said"
holds inches 0.0010487721 '0 0 0 to 0.1016 0.1016 0.1016 m' '25.4 mm'
holds nobuild 6.4e-08 '0 0 0 to 0.004 0.004 0.004 m'
grep -q 'its build is empty: all 1 objects' log || fail "nobuild: not said"
holds models 6.4e-08 '0.001 0 0 to 0.005 0.004 0.004 m'
for name in pieces stream wide; do holds $name 6.4e-08 '0 0 0 to 0.004 0.004 0.004 m'; done
refused circle 'components of components'
refused bomb 'components of components'
refused missing "there is no object 5 in its model '3D/root.model'"
refused eleven 'expected twelve numbers'
refused lattice 'has a b:beamlattice, which is not read'
refused unit "the model's unit is 'furlong'"
refused gone "the archive holds no file '3D/root.model'"
echo "3mf test: good"
