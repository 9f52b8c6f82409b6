/* The `mesh` section of a case: a file to import, boxes, or one of the shapes; then what to cut
   away and name. Programs fill the same structs: a zeroed member means its default, and a
   shape counts as given when its at.given is true. */
#ifndef IG_GEOMETRY_MESH_CASE_H
#define IG_GEOMETRY_MESH_CASE_H

#include "mesh/mesh_builder.h"

/* A grid of cells. Points and sizes have two entries in the plane, three in space; lists that may
   be left out have a count of 0. */
typedef struct {
  ig_src at;
  const char *name; /* element set, NULL: none */
  ig_reals origin, size, cells, grading;
} ig_box_case;

/* A ring, plane or with a height; lengths in m. The same struct serves `annulus` and `tube`. */
typedef struct {
  ig_src at;
  double inner, outer;
  ig_reals cells;            /* radial, around; and layers where there is a height */
  double start_angle, angle; /* rad; angle 0: all the way round */
  double height;             /* 0: plane */
} ig_annulus_case;

/* A solid cylinder about z, standing on z = 0; lengths in m. */
typedef struct {
  ig_src at;
  double radius, height;
  ig_reals cells; /* across the core square, from it to the rim, layers */
} ig_cylinder_case;

/* Part of a cylinder about z as a surface; radius and height in m, angle in rad, 0: all round. */
typedef struct {
  ig_src at;
  double radius, height, angle;
  ig_reals cells; /* around, along */
} ig_cylinder_shell_case;

/* A disc, a spherical cap, or a cap of bars: rings around a centre, `sectors` more nodes each. */
typedef struct {
  ig_src at;
  double radius; /* of the disc or the sphere */
  double angle;  /* rad from the axis to the edge of a cap */
  int64_t rings, sectors;
  int64_t cells; /* beams a bar */
} ig_rings_case;

/* The upper half of a sphere with a hole at the pole, as a surface; radius in m. */
typedef struct {
  ig_src at;
  double radius, hole, angle; /* hole: rad from the axis; angle: around */
  ig_reals cells;             /* around, from equator to hole */
} ig_hemisphere_case;

/* A rectangle with one corner at the origin. */
typedef struct {
  ig_src at;
  ig_reals size, cells; /* in x and y */
} ig_plate_case;

/* Beams along a polyline, or along an arc in the plane z = 0. */
typedef struct {
  ig_src at;
  ig_reals x, y, z;     /* corners of a line of straight pieces */
  int64_t cells;        /* a piece */
  double radius, angle; /* or an arc in the plane, about the origin, from the x axis */
} ig_beam_line_case;

/* A part from a surface of triangles, cut into cubes. First the plate below it: thickness and
   margin in m, both rounded up to whole voxels. */
typedef struct {
  ig_src at;
  double thickness, margin;
} ig_voxel_plate;
/* Supports: surfaces flatter than the angle rest on columns of voxels. */
typedef struct {
  ig_src at;
  double angle; /* rad above the horizontal */
} ig_voxel_supports;
/* The part itself. `voxel` is the edge in m; `threshold` and `field` are for images only. */
typedef struct {
  ig_src at;
  const char *stl, *field;
  double voxel, threshold;
  double rotate[3], translate[3]; /* rad about x, then y, then z; m */
  bool place_on_plate, fill_holes;
  ig_voxel_plate build_plate;
  ig_voxel_supports support_structure;
} ig_voxel_case;

/* Cuts of a quadrilateral into triangles: all along one diagonal, in turn along one and the other,
   or into four about a centre node, which has no preferred direction. */
enum { IG_PATTERN_DIAGONAL, IG_PATTERN_ALTERNATING, IG_PATTERN_CROSSED };

/* A program's own way to a mesh, which becomes the caller's. */
typedef ig_status ig_mesh_fn(ig_ctx *cx, void *user, ig_mesh **mesh);

/* The whole section. Zeroed is a mesh without a source, which ig_mesh_generate refuses. Strings and
   lists belong to whoever filled the struct and must live while the mesh is made. */
typedef struct {
  ig_src at;
  const char *file;
  ig_mesh_fn *make; /* instead of reading the file; NULL: it is read. No option */
  void *user;       /* for `make` */
  double unit;      /* metres, of the file's coordinates; 0 or NaN: 1, of an STL 1e-3 */
  double edge;      /* element size for geometry meshed by Gmsh; 0: its own choice */
  bool split;       /* solids of a file are cut into tetrahedra */
  bool corners;     /* hex20 and wedge15 of a file become hex8 and wedge6 */
  bool loose_nodes; /* of a file, that belong to no element: they stay */
  bool quadratic;   /* linear elements of a file become quadratic ones */
  bool takes_hex20; /* set by the caller: the room computes with hex20 and wedge15 */
  bool curved;      /* and with quad8 and beam3 */
  double meshing_time, meshing_memory; /* s, bytes that Gmsh may take; 0: as ig_mesh_read has it */
  int element;                         /* 0: the shape's own, else ig_elem_type + 1 */
  int triangle_pattern;                /* of quadrilaterals cut into triangles */
  bool shell;                          /* plane shapes in space */
  int order;                           /* 0: as made or read, 1: along a space-filling curve */
  ig_voxel_case voxels;
  ig_list boxes; /* of ig_box_case */
  ig_annulus_case annulus;
  ig_cylinder_case cylinder;
  ig_annulus_case tube;
  ig_cylinder_shell_case cylinder_shell;
  ig_rings_case disc, dome, lattice_dome;
  ig_hemisphere_case hemisphere;
  ig_plate_case plate;
  ig_beam_line_case beam_line;
  ig_list remove; /* of ig_place */
  ig_list sets;   /* of ig_pick_case */
  ig_jitter_case jitter;
} ig_mesh_case;

extern const ig_option ig_mesh_options[];
extern const ig_option ig_pick_options[]; /* of a named set: ig_pick_case */

/* Reads or makes the mesh. Every mesh has the element set `all`; boxes and imports also have the
   node and face sets xmin … zmax of the bounding box, shapes those of their own sides. The mesh is
   checked and belongs to the caller; on failure *mesh is NULL. Not collective: each rank that calls
   it makes the whole mesh. */
IG_MUST_CHECK ig_status ig_mesh_generate(ig_ctx *cx, const ig_mesh_case *c, ig_mesh **mesh);

/* Adds the place in the case to a failure that knew only what went wrong. Only IG_INPUT is changed;
   at = NULL: nothing to add. Returns the status, so that a call can be wrapped in it. */
ig_status ig_mesh_placed(ig_ctx *cx, ig_status status, const ig_src *at);

/* One box at the origin, as `boxes` makes it: size[2], cells[2] for quad4, tri3, tri6, three for
   the others. */
IG_MUST_CHECK ig_status ig_mesh_box(ig_ctx *cx, ig_elem_type type, const double *size,
                                    const int *cells, ig_mesh **mesh);

#endif
