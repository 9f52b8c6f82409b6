/* The `mesh` section: its options, and the steps from a shape to a finished mesh. A mesh has
   exactly one source: a file, a list of boxes, voxels of a surface, or one of the shapes. A source
   leaves a draft of linear elements; the steps after it (cut into tetrahedra or wedges, remove,
   jitter, quadratic nodes, sets, numbering) are the same for all and run in the order of
   generate(). */
#include "geometry/mesh_case.h"
#include "geometry/shape_structured.h"
#include "ingot_io.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lines that several shapes share. Lengths end at 1e9 m and cell counts at 1e9, which only catches
   slips of the unit; what one mesh can number is checked where the cells are known. */
#define RADIUS(text) IG_REAL(M, radius, "m", IG_REQUIRED, IG_POSITIVE, 1e9, text)
#define HEIGHT IG_REAL(M, height, "m", IG_REQUIRED, IG_POSITIVE, 1e9, "height, along z")
#define ROUND                                                                                      \
  IG_REAL(M, angle, "rad", "0", 0, 6.2831853072, "how far round it goes; 0: all the way")
#define CELLS(text) IG_REALS(M, cells, "", IG_REQUIRED, 1, 1e9, text)

/* Each table below is written for one struct of mesh_case.h; M is that struct while its lines are
   listed. A default of NULL means that the key may be left out: lists are then empty. */
#define M ig_box_case
static const ig_option box_options[] = {
    IG_TEXT(M, name, NULL, "element set the box becomes; several may share a name"),
    IG_REALS(M, origin, "m", NULL, 0, 0, "lowest corner; left out: zero"),
    IG_REALS(M, size, "m", IG_REQUIRED, 0, 0, "edge lengths, 2 for a plane mesh, 3 for a solid"),
    CELLS("cells along each edge"),
    IG_REALS(M, grading, "", NULL, 1e-6, 1e6, "last cell over first, along each edge; left out: 1"),
    IG_END};
#undef M

#define M ig_annulus_case
static const ig_option annulus_options[] = {
    IG_REAL(M, inner, "m", IG_REQUIRED, IG_POSITIVE, 1e9, "inner radius"),
    IG_REAL(M, outer, "m", IG_REQUIRED, IG_POSITIVE, 1e9, "outer radius"),
    CELLS("cells: radial, around, and layers where there is a height"),
    IG_REAL(M, start_angle, "rad", "0", 0, 0, "where a part of the ring begins, from the x axis"),
    ROUND,
    IG_REAL(M, height, "m", "0", 0, 1e9, "drawn out to this height; 0: plane"),
    IG_END};
#undef M

#define M ig_cylinder_case
static const ig_option cylinder_options[] = {
    RADIUS("radius"), HEIGHT,
    CELLS("cells: across the square core, from the core to the rim, layers"), IG_END};
#undef M

#define M ig_cylinder_shell_case
static const ig_option cylinder_shell_options[] = {RADIUS("radius"), HEIGHT, ROUND,
                                                   CELLS("cells: around, along"), IG_END};
#undef M

/* Three shapes share one struct and differ in the keys they offer. */
#define M ig_rings_case
static const ig_option disc_options[] = {
    RADIUS("radius"),
    IG_INT(M, rings, IG_REQUIRED, 1, 100000, "rings of triangles about the centre"),
    IG_INT(M, sectors, "6", 3, 1000, "triangles at the centre"), IG_END};
static const ig_option dome_options[] = {
    RADIUS("radius of the sphere"),
    IG_REAL(M, angle, "rad", IG_REQUIRED, IG_POSITIVE, 3.14159, "from the axis to the edge"),
    IG_INT(M, rings, IG_REQUIRED, 1, 100000, "rings of triangles about the apex"),
    IG_INT(M, sectors, "6", 3, 1000, "triangles at the apex"), IG_END};
static const ig_option lattice_dome_options[] = {
    RADIUS("radius of the sphere"),
    IG_REAL(M, angle, "rad", IG_REQUIRED, IG_POSITIVE, 3.14159, "from the axis to the edge"),
    IG_INT(M, rings, IG_REQUIRED, 1, 100000, "rings of bars about the apex"),
    IG_INT(M, sectors, "6", 3, 1000, "ribs from the apex to the edge"),
    IG_INT(M, cells, "1", 1, 1000, "beams a bar"),
    IG_END};
#undef M

/* The default hole of 18 degrees (0.314 rad) is the one of the pinched hemisphere of MacNeal and
   Harder (1985), a usual test of shells. */
#define M ig_hemisphere_case
static const ig_option hemisphere_options[] = {
    RADIUS("radius"),
    IG_REAL(M, hole, "rad", "0.3141592653589793", IG_POSITIVE, 1.57,
            "from the axis to the hole's rim"),
    ROUND, CELLS("cells: around, from the edge up to the hole"), IG_END};
#undef M

#define M ig_plate_case
static const ig_option plate_options[] = {
    IG_REALS(M, size, "m", IG_REQUIRED, 0, 0, "edge lengths in x and y"), CELLS("cells in x and y"),
    IG_END};
#undef M

#define M ig_beam_line_case
static const ig_option beam_line_options[] = {
    IG_REALS(M, x, "m", NULL, 0, 0, "corners of the line: their x; left out: zeros"),
    IG_REALS(M, y, "m", NULL, 0, 0, "corners of the line: their y; left out: zeros"),
    IG_REALS(M, z, "m", NULL, 0, 0, "corners of the line: their z; left out: zeros"),
    IG_INT(M, cells, IG_REQUIRED, 1, 100000000, "beams between two corners, or in the arc"),
    IG_REAL(M, radius, "m", "0", 0, 1e9, "instead of corners: an arc about the origin in x, y"),
    IG_REAL(M, angle, "rad", "0", 0, 6.2831853072, "of the arc, from the x axis; 0: a ring"),
    IG_END};
#undef M

/* A build plate and supports belong to a part from `stl` alone; both are made of the same cubes. */
#define M ig_voxel_plate
static const ig_option voxel_plate_options[] = {
    IG_REAL(M, thickness, "m", IG_REQUIRED, IG_POSITIVE, 1e9,
            "thickness, rounded up to whole voxels"),
    IG_REAL(M, margin, "m", "0", 0, 1e9, "how far it reaches beyond the part in x and y"), IG_END};
#undef M

#define M ig_voxel_supports
static const ig_option voxel_supports_options[] = {
    IG_REAL(M, angle, "rad", "45 deg", 0, 1.5707963268,
            "surfaces that face down and lie less than this above the horizontal are supported"),
    IG_END};
#undef M

/* What turns a surface into voxels. The keys stand in the mesh section itself (IG_KEYS), not below
   a key of their own, which is why each text says `stl`. */
#define M ig_voxel_case
static const ig_option voxel_options[] = {
    IG_FILE(M, stl, NULL,
            "part to cut into voxels: .stl, .obj, .3mf, .ply, .off (millimetres unless `unit` or "
            "the file says "
            "otherwise), or the outer surface of any other mesh or geometry file"),
    IG_REAL(M, threshold, "", "0", 0, 0, "stl: voxels of an image above this value are the part"),
    IG_TEXT(M, field, NULL, "stl: the array of a .vti; left out: its only one"),
    IG_REAL(M, voxel, "m", NULL, IG_POSITIVE, 1e9,
            "stl: edge of a voxel; one whose middle is inside is kept"),
    IG_VECTOR(M, rotate, 3, "rad", "[0, 0, 0]", "stl: turned about x, then y, then z"),
    IG_VECTOR(M, translate, 3, "m", "[0, 0, 0]", "stl: then moved by this"),
    IG_BOOL(M, place_on_plate, "false",
            "stl: moved up or down so that its lowest point is at the third of `translate`"),
    IG_BOOL(M, fill_holes, "false",
            "stl: a surface with holes is taken as closed: inside is what most rays say"),
    IG_MAP(M, build_plate, ig_voxel_plate, voxel_plate_options, NULL,
           "stl: a plate below the part (element set `plate`), which is set down on it"),
    IG_MAP(
        M, support_structure, ig_voxel_supports, voxel_supports_options, NULL,
        "stl: columns of voxels under what overhangs (element set `supports`), down to the part, "
        "the plate or the lowest point"),
    IG_END};
#undef M

/* A named set. Public, as the shape stage offers the same list for its part. */
#define M ig_pick_case
const ig_option ig_pick_options[] = {
    IG_TEXT(M, name, IG_REQUIRED, "name of the set"),
    IG_CHOICE(M, of, IG_PICKS, "both",
              "nodes that are there, boundary faces with all corners there (both: these two), or "
              "elements whose centre is there"),
    IG_PLACE_KEYS(M, place, "where"),
    IG_REALS(M, numbers, "", NULL, 1, 1e15,
             "instead of a place: nodes or elements by the numbers that the file (.inp, .k, .bdf) "
             "gives them"),
    IG_TEXT(M, elements, NULL, "instead of a place: the elements of this set"),
    IG_INT(M, side, "0", 0, 6,
           "of: faces, with `numbers` or `elements`: the side of those elements, as Abaqus and "
           "CalculiX count them"),
    IG_END};
#undef M

/* A share of 0.45 of the shortest edge is the limit below which two neighbours that move towards
   each other cannot meet. */
static const ig_option jitter_options[] = {
    IG_REAL(ig_jitter_case, amount, "", IG_REQUIRED, 0, 0.45,
            "how far a node moves at most, as a share of the shortest edge there"),
    IG_INT(ig_jitter_case, seed, "1", 0, 1e15, "another seed, another mesh"),
    IG_LIST(ig_jitter_case, keep, ig_place, ig_place_options, NULL,
            "nodes there stay where they are, as those of the boundary do: a crack's, say"),
    IG_END};

/* The section itself. What a file may hold depends on the room that reads it: `takes_hex20`
   and `curved` of the struct are set by the program and are no options. */
#define M ig_mesh_case
const ig_option ig_mesh_options[] = {
    IG_FILE(M, file, NULL,
            "mesh to read: .vtkhdf, .vtu, .vtk, .inp, .k, .cdb, .msh, .mesh, .unv, .med, .cgns, "
            ".xdmf, .exo, .bdf; .stl, .obj, .ply, .off as shells; or .geo, .step to mesh"),
    IG_BOOL(M, split, "false", "hexahedra, wedges and pyramids of a file are cut into tetrahedra"),
    IG_BOOL(M, corners, "false",
            "quadratic hexahedra and wedges of a file are taken by their corners, as rooms that do "
            "not compute with them always do"),
    IG_BOOL(M, quadratic, "false",
            "linear elements of a file become quadratic ones (tet4 tet10, hex8 hex20), with nodes "
            "in the middle of straight edges, which join the sets of both ends: forces given for "
            "each node of a set then add up to more"),
    IG_BOOL(
        M, loose_nodes, "false",
        "nodes of a file that belong to no element stay: references of couplings and equations"),
    IG_REAL(M, unit, "m", NULL, IG_POSITIVE, 1e9,
            "length of one unit of the file's coordinates; left out: 1 m, of an stl 1 mm"),
    IG_REAL(M, edge, "m", "0", 0, 1e9, "element size for geometry meshed by Gmsh; 0: its choice"),
    IG_REAL(M, meshing_time, "s", "0", 0, 1e9,
            "how long Gmsh may read or mesh a file before it is ended; 0: 10 min"),
    IG_REAL(M, meshing_memory, "B", "0", 0, 1e18,
            "memory that Gmsh may take for it, as in 16 GB; 0: three quarters of what is left"),
    IG_CHOICE(M, element, "auto|beam2|tri3|tri6|quad4|tet4|tet10|hex8|wedge6|hex20|wedge15", "auto",
              "element type of boxes and shapes; auto: hex8 for solids, quad4 for plane boxes"),
    IG_CHOICE(M, triangle_pattern, "diagonal|alternating|crossed", "diagonal",
              "how quadrilaterals are cut into triangles; crossed: into four"),
    IG_BOOL(M, shell, "false", "plane boxes, a plate, annulus or disc as a shell in space"),
    IG_CHOICE(M, order, "given|curve", "given",
              "numbering: as made or read, or along a space-filling curve"),
    IG_KEYS(M, voxels, ig_voxel_case, voxel_options, "a part from a surface of triangles"),
    IG_LIST(M, boxes, ig_box_case, box_options, NULL, "grids of cells, joined where they touch"),
    IG_MAP(M, annulus, ig_annulus_case, annulus_options, NULL, "ring or part of one"),
    IG_MAP(M, cylinder, ig_cylinder_case, cylinder_options, NULL, "solid cylinder of hexahedra"),
    IG_MAP(M, tube, ig_annulus_case, annulus_options, NULL, "annulus with a height"),
    IG_MAP(M, cylinder_shell, ig_cylinder_shell_case, cylinder_shell_options, NULL,
           "cylindrical shell or part of one"),
    IG_MAP(M, disc, ig_rings_case, disc_options, NULL, "disc of triangles"),
    IG_MAP(M, dome, ig_rings_case, dome_options, NULL, "spherical cap of shell triangles"),
    IG_MAP(M, lattice_dome, ig_rings_case, lattice_dome_options, NULL, "spherical cap of beams"),
    IG_MAP(M, hemisphere, ig_hemisphere_case, hemisphere_options, NULL,
           "hemispherical shell with a hole at the pole"),
    IG_MAP(M, plate, ig_plate_case, plate_options, NULL, "rectangular plate"),
    IG_MAP(M, beam_line, ig_beam_line_case, beam_line_options, NULL, "beams along a line or arc"),
    IG_LIST(M, remove, ig_place, ig_place_options, NULL,
            "cut away: elements whose centre is there"),
    IG_LIST(M, sets, ig_pick_case, ig_pick_options, NULL, "sets by place"),
    IG_MAP(M, jitter, ig_jitter_case, jitter_options, NULL, "move inner nodes at random"),
    IG_END};
#undef M

/* A way to a mesh: its key for messages, its place in the case, and the function that makes the
   draft; NULL for a file, which is read instead. */
typedef struct {
  const char *key;
  const ig_src *at;
  ig_shape_fn *make;
} source;

/* Finds the one source the case names; none and two are both refused. Files, boxes and voxels count
   as given by their content, shapes by the mark of their map. */
static ig_status source_find(ig_ctx *cx, const ig_mesh_case *c, source *found) {
  const source all[] = {
      {"file", &c->at, NULL},
      {"boxes", NULL, ig_mesh_builder_boxes},
      {"stl", &c->at, ig_mesh_builder_voxels},
#define SHAPE(name) {#name, &c->name.at, ig_mesh_builder_##name}
      SHAPE(annulus),
      SHAPE(cylinder),
      SHAPE(tube),
      SHAPE(cylinder_shell),
      SHAPE(disc),
      SHAPE(dome),
      SHAPE(lattice_dome),
      SHAPE(hemisphere),
      SHAPE(plate),
      SHAPE(beam_line),
#undef SHAPE
  };
  *found = (source){0};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const bool given = i == 0   ? c->file != NULL
                       : i == 1 ? c->boxes.count > 0
                       : i == 2 ? c->voxels.stl != NULL
                                : all[i].at->given;
    if (!given)
      continue;
    if (found->key)
      return ig_fail_at(cx, &c->at, "the mesh has both %s and %s: expected one of them", found->key,
                        all[i].key);
    *found = all[i];
  }
  if (!found->key)
    return ig_fail_at(cx, &c->at,
                      "the mesh has no source: expected file, boxes, stl, or a shape such "
                      "as annulus or plate");
  return IG_OK;
}

/* Cuts away elements by the places of `remove`, one after another. A place that removes nothing is
   refused, as it is nearly always a slip of a coordinate, and so is one that leaves nothing. The
   centre of an element decides, so that a mesh is never cut through. */
static ig_status elements_remove(ig_ctx *cx, const ig_mesh_case *c, ig_mesh_builder *draft) {
  /* One byte an element each: what is left so far, and what the place in hand takes. */
  const ig_lid elements = ig_mesh_elements(draft->mesh);
  uint8_t *keep = NULL, *inside = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &keep, elements, "cut"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &inside, elements, "cut"));
  memset(keep, 1, (size_t)elements);
  for (int i = 0; i < c->remove.count; i++) {
    const ig_place *place = IG_ITEM(const ig_place, c->remove, i);
    ig_lid count;
    IG_TRY_GOTO(status, done, ig_mesh_pick_elements(cx, draft->mesh, place, inside, &count));
    if (count == 0) {
      status = ig_fail_at(cx, &place->at, "nothing to remove: no element's centre is there");
      goto done;
    }
    ig_lid left = 0;
    for (ig_lid e = 0; e < elements; e++) {
      keep[e] = keep[e] && !inside[e];
      left += keep[e];
    }
    if (left == 0) {
      status = ig_fail_at(cx, &place->at, "nothing is left of the mesh after this");
      goto done;
    }
  }
  status = ig_mesh_builder_keep(cx, draft, keep);
done:
  free(keep);
  free(inside);
  return status;
}

/* Element sets of named boxes. Boxes of one name share the tag of the first of them (box_region in
   shape_box.c), so the set is made once for each name. */
static ig_status boxes_name(ig_ctx *cx, const ig_mesh_case *c, ig_mesh *mesh) {
  for (int i = 0; i < c->boxes.count; i++) {
    const ig_box_case *box = IG_ITEM(const ig_box_case, c->boxes, i);
    if (box->name && c->boxes.count > 1 && strcmp(box->name, "all") == 0)
      return ig_fail_at(cx, &box->at,
                        "box 'all': this name is reserved for the set of all elements, which every "
                        "mesh has: choose another name");
    if (box->name && !ig_mesh_find_set(mesh, box->name, IG_SET_ELEMENTS))
      IG_TRY(ig_mesh_placed(cx, ig_mesh_set_tagged(cx, mesh, box->name, i + 1), &box->at));
  }
  return IG_OK;
}

/* Reads the mesh file, or calls the function a program gave in its place. Without INGOT_IO files
   cannot be read at all, but the function still can be called. The mesh is the caller's. */
static ig_status file_read(ig_ctx *cx, const ig_mesh_case *c, ig_mesh **mesh) {
  if (c->make && ((c->unit > 0 && c->unit != 1) || c->edge > 0))
    return ig_fail_at(cx, &c->at, "unit and edge apply to a mesh from a file");
  if (c->make && (c->meshing_time > 0 || c->meshing_memory > 0))
    return ig_fail_at(cx, &c->at, "meshing_time and meshing_memory apply to a mesh from a file");
  if (c->make)
    return c->make(cx, c->user, mesh);
#ifdef INGOT_HAVE_IO
  const ig_mesh_read_options options = {.unit = c->unit > 0 ? c->unit : 0,
                                        .edge = c->edge,
                                        .split = c->split,
                                        .quadratic = c->takes_hex20 && !c->corners,
                                        .curved = c->curved && !c->corners,
                                        .loose = c->loose_nodes,
                                        .time_limit = c->meshing_time,
                                        .memory_limit = c->meshing_memory};
  return ig_mesh_read(cx, c->file, &options, mesh);
#else
  (void)mesh;
  return IG_FAIL(cx, IG_UNSUPPORTED,
                 "%s: mesh files are not compiled in: configure with "
                 "INGOT_IO=ON",
                 c->file);
#endif
}

/* Keys of plane meshes that were given for another one: refused, since a key without effect is most
   likely a misunderstanding. */
static ig_status flat_check(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type type) {
  const bool triangles = type == IG_TRI3 || type == IG_TRI6;
  if (c->triangle_pattern != IG_PATTERN_DIAGONAL && !triangles)
    return ig_fail_at(
        cx, &c->at,
        "triangle_pattern: has no effect here: it is for `element: tri3` and tri6, into which "
        "quadrilaterals are cut; leave it out");
  if (c->shell && ig_elem_info_get(type)->dim != 2)
    return ig_fail_at(cx, &c->at,
                      "shell: has no effect here: the mesh is not plane; give boxes two entries in "
                      "`size` and `cells`, or leave it out");
  return IG_OK;
}

/* All steps. On failure the draft is left to the caller, ig_mesh_generate, to free. */
static ig_status generate(ig_ctx *cx, const ig_mesh_case *c, ig_mesh_builder *draft) {
  source from;
  IG_TRY(source_find(cx, c, &from));
  if (!c->voxels.stl && c->voxels.at.given)
    return ig_fail_at(
        cx, &c->at,
        "voxel, rotate, translate and what else makes voxels of a surface is for a part "
        "from `stl`, not for %s",
        from.key);
  /* No function: a file. What shapes a draft has no effect on it and is refused by name. */
  if (!from.make) {
    if (c->element || c->shell || c->triangle_pattern != IG_PATTERN_DIAGONAL ||
        c->jitter.amount > 0)
      return ig_fail_at(cx, &c->at, "%s applies to boxes and shapes, not to a mesh from a file",
                        c->element                                   ? "element"
                        : c->shell                                   ? "shell"
                        : c->triangle_pattern != IG_PATTERN_DIAGONAL ? "triangle_pattern"
                                                                     : "jitter");
    if (c->quadratic && c->corners)
      return ig_fail_at(cx, &c->at,
                        "the mesh has both quadratic and corners: expected one of them");
    IG_TRY(file_read(cx, c, &draft->mesh));
  } else {
    /* An stl has coordinates in a unit too, so `unit` is for it as it is for a mesh file. */
    const bool unit = c->unit > 0 && c->unit != 1 && !c->voxels.stl;
    if (unit || c->edge > 0 || c->split || c->corners || c->quadratic)
      return ig_fail_at(cx, &c->at, "%s applies to a mesh from a file, not to %s%s",
                        unit          ? "unit"
                        : c->edge > 0 ? "edge"
                        : c->split    ? "split"
                        : c->corners  ? "corners"
                                      : "quadratic",
                        from.key,
                        unit                          ? ": give lengths their unit, 10 mm"
                        : c->quadratic && !c->corners ? ": give `element: hex20` or tet10"
                                                      : "");
    if (!c->voxels.stl && (c->meshing_time > 0 || c->meshing_memory > 0))
      return ig_fail_at(cx, &c->at, "%s applies to a mesh from a file, not to %s",
                        c->meshing_time > 0 ? "meshing_time" : "meshing_memory", from.key);
    /* `element` counts from 1, 0 being the choice of the shape. The shape checks the type and
       leaves in `type` what the draft has still to become. */
    ig_elem_type type = c->element ? (ig_elem_type)(c->element - 1) : IG_ELEM_TYPES;
    IG_TRY(ig_mesh_placed(cx, from.make(cx, c, &type, draft), from.at));
    IG_TRY(flat_check(cx, c, type));
    /* The order matters: elements are removed and nodes moved while all elements are linear, so
       that the nodes in the middles of edges are made last and stay in the middles. */
    if (type == IG_TET4 || type == IG_TET10)
      IG_TRY(ig_mesh_placed(cx, ig_mesh_builder_tets(cx, draft), &c->at));
    if (type == IG_WEDGE6 || type == IG_WEDGE15)
      IG_TRY(ig_mesh_placed(cx, ig_mesh_builder_wedges(cx, draft), &c->at));
    if (c->remove.count)
      IG_TRY(elements_remove(cx, c, draft));
    if (c->jitter.amount > 0)
      IG_TRY(ig_mesh_builder_jitter(cx, draft, &c->jitter));
    if (type == IG_TRI6 || type == IG_TET10 || type == IG_HEX20 || type == IG_WEDGE15)
      IG_TRY(ig_mesh_placed(cx, ig_mesh_builder_quadratic(cx, draft), from.at));
  }
  /* A file is cut here, after it was read; a shape was cut above, before its quadratic nodes. */
  ig_mesh *mesh = draft->mesh;
  if (!from.make && c->remove.count)
    IG_TRY(elements_remove(cx, c, draft));
  if (c->quadratic)
    IG_TRY(ig_mesh_placed(cx, ig_mesh_quadratic(cx, mesh), &c->at));
  IG_TRY(ig_mesh_set_all(cx, mesh));
  IG_TRY(boxes_name(cx, c, mesh));
  /* Tags of voxels as shape_voxel.c numbers them: 1 part, 2 plate, 3 supports. */
  if (c->voxels.stl) {
    IG_TRY(ig_mesh_set_tagged(cx, mesh, "part", 1));
    if (c->voxels.build_plate.at.given)
      IG_TRY(ig_mesh_set_tagged(cx, mesh, "plate", 2));
    if (c->voxels.support_structure.at.given)
      IG_TRY(ig_mesh_set_tagged(cx, mesh, "supports", 3));
  }
  /* Shapes name their own sides; files and boxes get those of the bounding box. */
  if (draft->side)
    IG_TRY(ig_mesh_set_sides(cx, mesh, draft->side, draft->name));
  else
    IG_TRY(ig_mesh_set_bounds(cx, mesh));
  IG_TRY(ig_mesh_pick(cx, mesh, &c->sets));
  /* Sets follow the renumbering; the table of old and new numbers is not needed here. */
  if (c->order) {
    ig_order order;
    IG_TRY(ig_mesh_reorder(cx, mesh, &order));
    ig_order_free(&order);
  }
  if (c->loose_nodes && c->curved && ig_mesh_elements(mesh) == 0)
    return IG_OK; /* nodes alone, of a deck of springs: see the reader */
  return ig_mesh_placed(cx, ig_mesh_check(cx, mesh), &c->at);
}

/* The mesh passes to the caller only when all is well; otherwise the draft still owns it and frees
   it. */
ig_status ig_mesh_generate(ig_ctx *cx, const ig_mesh_case *c, ig_mesh **mesh) {
  *mesh = NULL;
  ig_mesh_builder draft = {0};
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_MESH);
  /* The time until the end of this call counts as meshing in the summary. */
  const ig_status status = generate(cx, c, &draft);
  if (status == IG_OK) {
    *mesh = draft.mesh;
    draft.mesh = NULL;
  }
  ig_mesh_builder_free(&draft);
  ig_phase_end(cx, former);
  return status;
}

/* A case of one box, made in memory: the shortest way for programs and tests. */
ig_status ig_mesh_box(ig_ctx *cx, ig_elem_type type, const double *size, const int *cells,
                      ig_mesh **mesh) {
  const int dim = ig_elem_info_get(type)->dim;
  double n[3] = {0}, edge[3] = {0};
  for (int d = 0; d < dim; d++) {
    n[d] = cells[d];
    edge[d] = size[d];
  }
  ig_box_case box = {.size = {dim, edge}, .cells = {dim, n}};
  const ig_mesh_case c = {.element = (int)type + 1, .boxes = {1, &box}};
  return ig_mesh_generate(cx, &c, mesh);
}
