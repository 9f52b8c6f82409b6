/* A mesh of hexahedra or of tetrahedra with supports, loads and roles: the discretisation of
   topopt on a mesh. ig_topopt_mesh_model owns everything but the mesh itself; its member `d` is
   what the design works with.

   Files by task: mesh_model.c sets up, mesh_place.c applies the case to nodes and elements,
   mesh_system.c is K u = f, mesh_filter.c and mesh_helmholtz.c filter, mesh_making.c,
   overhang_mesh.c and mesh_groups.c restrict designs to what can be made, mesh_plate.c and
   mesh_build.c put the mesh onto a build plate, mesh_part.c and
   mesh_cut.c divide the mesh between ranks, mesh_surface.c and mesh_finish.c make the part,
   mesh_output.c writes.

   Of a mesh that is divided, arrays of elements are those of the rank's own elements, arrays of
   states have own nodes and ghosts; while all is set up every rank still has the whole mesh. */
#ifndef IG_TOPOPT_MESH_MESH_MODEL_H
#define IG_TOPOPT_MESH_MESH_MODEL_H

#include "mesh/topology.h"
#include "solver/amg/mesh_amg.h"
#include "solver/mesh/mesh_ops.h"
#include "solver/krylov/rows.h"
#include "solver/krylov/slab.h"
#include "topopt/kernels/making_ops.h"
#include "topopt/mesh/mesh_petsc.h"
#include "topopt/topopt.h"

/* Sums over the elements near each: the cone of the filter, the balls that bound members. In a part
   centres and values of own elements come first, then those of others that they reach. */
typedef struct {
  ig_cone shape;
  ig_array start, order;
  ig_array center, values; /* of a part */
  ig_halo reach;
} ig_topopt_mesh_cone;

/* The filter as a differential equation: -(R / 2 sqrt 3)^2 laplacian u + u = x. */
typedef struct {
  ig_mesh_args hex, own; /* elements; those of the design */
  ig_ground ground;
  ig_plan corners; /* of quadratic tetrahedra, which have it linear */
  const ig_plan *plan;
  ig_array fix, block, inverse, z, f, u; /* nodes */
  ig_pcg pcg;
  ig_linear system;
  ig_grid sums; /* blocks of nodes */
  int64_t own_values[2];
} ig_helmholtz;

/* A face of an own element (numbered through them) behind which another rank's is, by its number in
   the whole, or IG_JUNCTION: several are. */
typedef struct {
  ig_lid face, other;
} ig_topopt_mesh_crossing;

/* A rank's part of the mesh, of the design and of all vectors, with ghosts, under numbers of its
   own that rise as the whole's do; its own nodes and elements follow each other. */
typedef struct {
  bool divided;
  const char *whole; /* why not, though the case could be */
  ig_rows cells;     /* elements of each rank's design */
  ig_slab *cell_slab;
  ig_lid nodes, held;         /* nodes and elements that are there, ghosts counted */
  ig_lid node_at, element_at; /* numbers of the first own ones */
  ig_lid *node;               /* what they are in the whole, host */
  /* ghosts: nodes of own elements; moduli of elements that touch own nodes */
  ig_halo states, moduli;
  ig_array around;  /* values of the elements that are there; empty: not needed yet */
  uint8_t *touched; /* own elements (host): 1 where a node is held or loaded */
  double *centers;  /* of own elements, if a file's densities are asked for */
  ig_array counted; /* own elements: 1 where a stress counts */
  bool ready;       /* all is set up */
  ig_topopt_mesh_crossing *crossing;
  ig_lid crossings;
  ig_mesh_args own;    /* own elements alone */
  ig_array fix, share; /* of the whole, until all is set up */
  ig_rows rows;        /* nodes */
  ig_halo ghosts;
  ig_slab *slab;         /* of sums */
  int64_t own_values[2]; /* of the rows */
  ig_lid elements;       /* that touch own nodes */
} ig_topopt_mesh_part;

/* Groups of elements that are computed one by one: columns that a tool is drawn along, elements
   that share a density. Of a mesh in parts a group is computed by a rank that has elements of it
   and borrows the others: in arrays of the rank own elements come first, then borrowed ones. */
typedef struct {
  int64_t all;    /* groups of the whole */
  ig_links links; /* those of this rank */
  ig_array start, order;
  ig_array role, value[3]; /* own and borrowed elements */
  ig_halo lend, back;
} ig_topopt_mesh_groups;

/* Printing. Levels come in stages: what a stage stands on is this rank's, or was computed by others
   in stages before it. */
enum { IG_PRINT_LISTS = 6 };
typedef struct {
  ig_topopt_supports supports;
  int levels, stages; /* of the whole */
  int *stage;         /* stages + 1: where each begins among the levels here */
  int64_t *level;
  ig_array list[IG_PRINT_LISTS];
  ig_array printed, work;    /* own elements, then others' below or above them */
  ig_halo_stages rise, sink; /* of what is below; of what is above */
} ig_topopt_mesh_printing;

typedef struct ig_topopt_mesh_model {
  ig_ctx *cx;
  const ig_topopt_case *c;
  const ig_mesh *mesh;
  const ig_solver_mesh_ops *ops;
  ig_lid nodes, elements;
  int size; /* unknowns per node: 3, or 1 of heat problems */
  ig_elem_type type;
  const ig_elem_info *info;
  ig_lid *conn;                   /* host: elements x nodes of the type */
  const uint8_t *fixed;           /* host, of the whole as these: supports; */
  const double *shares, *centers; /* volumes over the mean; centres of elements */
  double slack;                   /* points this close are on a plane */
  double plane[6];                /* of symmetry: lowest and highest x, y, z; NaN: none */
  double poisson;                 /* of the solid */
  ig_assembly how;
  ig_plan plan;        /* how elements add to nodes; with clusters all but the elastic product */
  ig_clusters cluster; /* assembly `cluster`: of products of heat and of the filter */
  ig_array borders;
  ig_plan colors; /* and to matrices, which have no slots; with gather alone */
  ig_ebe op;      /* elastic products; multigrid has its own in single precision */
  ig_ebe op_single;
  ig_mesh_args hex, hex_colors;
  ig_ground ground;
  ig_topopt_mesh_cone cone, ball; /* of the filter; of the balls that bound members */
  ig_helmholtz helmholtz;
  ig_array scale;    /* moduli of several materials over the first's */
  ig_array poissons; /* of the elements, where materials differ in it */
  ig_array x, fix, spring, role, modulus, modulus_single, share, center, slots;
  ig_array block, inverse, z, partial; /* the preconditioner's, and sums */
  ig_amg *amg;                         /* one of these, or blocks alone */
  ig_topopt_petsc *petsc;
  ig_pcg pcg;
  ig_linear system;
  ig_grid sums, cells; /* blocks of nodes and of elements that sums are made of */
  ig_topopt_mesh_part part;
  ig_discretisation d;
  double normal[3]; /* of the face at hand */
  ig_loading loading;
  ig_topopt_mesh_printing printing;       /* levels 0: none */
  ig_topopt_mesh_groups columns, pattern; /* of drawing; that share a density; all 0: none */
  double draw_power;                      /* draw.inc */
  struct ig_topopt_mesh_plate *plate;     /* where it is printed; NULL: nowhere */
  ig_topopt_build build;                  /* the same */
} ig_topopt_mesh_model;

/* Centre of an element (face < 0) or of one of its faces. */
void ig_topopt_mesh_center(const ig_topopt_mesh_model *m, ig_lid e, int face, double *x);
/* The same of an element with these nodes, whose positions are in `x`. */
void ig_topopt_mesh_middle(ig_elem_type type, const double *x, const ig_lid *node, int face,
                           double *middle);

/* Outward normal of a face, as long as its area; edges are taken as straight. */
void ig_topopt_mesh_normal(const ig_topopt_mesh_model *m, ig_lid e, int face, double *normal);

/* Volume of an element; mean values of its shape functions unless NULL. */
double ig_topopt_mesh_weights(const ig_topopt_mesh_model *m, ig_lid e, double *mean);

/* Supports, springs, loads, ports and roles; mesh_place.c. */
IG_MUST_CHECK ig_status ig_topopt_mesh_place(ig_topopt_mesh_model *m);
IG_MUST_CHECK ig_status ig_topopt_mesh_limit(void *self, const ig_limit_case *limit, ig_array *to,
                                             double *norm);

/* mesh_system.c */
IG_MUST_CHECK ig_status ig_topopt_mesh_system_new(ig_topopt_mesh_model *m, ig_assembly how);
void ig_topopt_mesh_system_free(ig_topopt_mesh_model *m);
/* What depends on how many nodes and elements are here: arrays, and the first of the solver's. */
IG_MUST_CHECK ig_status ig_topopt_mesh_system_arrays(ig_topopt_mesh_model *m, ig_lid nodes,
                                                     ig_lid elements);
/* Multigrid's view of the mesh; PETSc's preconditioner of that. */
ig_amg_problem ig_topopt_mesh_problem(ig_topopt_mesh_model *m);
IG_MUST_CHECK ig_status ig_topopt_mesh_petsc(ig_topopt_mesh_model *m,
                                             const ig_amg_problem *problem);

/* mesh_part.c: sums, and whether the mesh is divided and how. */
IG_MUST_CHECK ig_status ig_topopt_mesh_part_choose(ig_topopt_mesh_model *m);
void ig_topopt_mesh_part_free(ig_topopt_mesh_model *m);
/* Nodes that this rank computes; ghosts of a vector of `value` bytes each take their owners'
   values. */
typedef struct {
  ig_lid from, count;
} ig_topopt_mesh_range;
ig_topopt_mesh_range ig_topopt_mesh_own(const ig_topopt_mesh_model *m);
/* Blocks of nodes that sums of one value per node are made of: of a part its own. */
ig_grid ig_topopt_mesh_blocks(const ig_topopt_mesh_model *m);
IG_MUST_CHECK ig_status ig_topopt_mesh_ghosts(ig_topopt_mesh_model *m, size_t value, const void *x);
/* mesh_system.c: values of the design's elements, `count` arrays, as the elements that add to own
   nodes have them: with those of other ranks. */
IG_MUST_CHECK ig_status ig_topopt_mesh_surround(ig_topopt_mesh_model *m, int count,
                                                const double **in);

/* Of a part: which elements beside its own a rank needs (number: 0, else -1), and then what it
   calls each of the whole: own ones first, those after them, -1: not there. Returns how many there
   are. */
ig_lid ig_topopt_mesh_number(const ig_topopt_mesh_model *m, ig_lid *number);

/* mesh_cut.c: from the whole to this rank's part, where part.divided says so; then lets go of what
   was there to set it up. */
IG_MUST_CHECK ig_status ig_topopt_mesh_cut(ig_topopt_mesh_model *m);
void ig_topopt_mesh_release_global(void *self);
/* The same of the filter, from the whole's. */
IG_MUST_CHECK ig_status ig_topopt_mesh_filter_cut(ig_topopt_mesh_model *m);
/* Connectivity and volumes of the whole: mesh_model.c. */
IG_MUST_CHECK ig_status ig_topopt_mesh_connect(ig_topopt_mesh_model *m);
IG_MUST_CHECK ig_status ig_topopt_mesh_volumes(const ig_topopt_mesh_model *m, double *volume);

/* mesh_filter.c; filtering is symmetric, so it is its own adjoint */
IG_MUST_CHECK ig_status ig_topopt_mesh_filter_new(ig_topopt_mesh_model *m);
void ig_topopt_mesh_filter_free(ig_topopt_mesh_model *m);
IG_MUST_CHECK ig_status ig_topopt_mesh_filter(void *self, const double *in, double *out);
/* mesh_helmholtz.c. Of a part: `element` are the numbers of its elements in the whole, `conn` is
   its connectivity; else NULL. */
IG_MUST_CHECK ig_status ig_topopt_mesh_helmholtz_new(ig_topopt_mesh_model *m, const ig_lid *element,
                                                     const ig_lid *conn);
IG_MUST_CHECK ig_status ig_topopt_mesh_helmholtz(ig_topopt_mesh_model *m, const double *in,
                                                 double *out);
void ig_topopt_mesh_helmholtz_free(ig_topopt_mesh_model *m);
double ig_topopt_mesh_radius(const ig_topopt_mesh_model *m);
IG_MUST_CHECK ig_status ig_topopt_mesh_around(void *self, const double *in, double *out);

/* What can be made: of one pattern, drawn, printed; mesh_making.c. */
IG_MUST_CHECK ig_status ig_topopt_mesh_making_new(ig_topopt_mesh_model *m);
void ig_topopt_mesh_making_free(ig_topopt_mesh_model *m);
void ig_topopt_mesh_making_describe(const ig_topopt_mesh_model *m, ig_check_line *line, void *user);
/* x-, x+, … z+ as an axis and 1 or -1. */
IG_MUST_CHECK ig_status ig_topopt_mesh_direction(const ig_topopt_mesh_model *m, const ig_src *at,
                                                 const char *key, const char *text, int *axis,
                                                 double *sign);
/* mesh_print.c */
IG_MUST_CHECK ig_status ig_topopt_mesh_print_new(ig_topopt_mesh_model *m);
void ig_topopt_mesh_print_free(ig_topopt_mesh_model *m);
/* overhang_mesh.c: elements that hold one up at an angle (degrees) and stand on the plate, as of
   ig_topopt_build, of a mesh that is not divided; for the case's `printing`. */
IG_MUST_CHECK ig_status ig_topopt_mesh_holders(ig_topopt_mesh_model *m, int axis, double sign,
                                               double angle, int64_t **start, int32_t **held,
                                               uint8_t **plate);
/* mesh_plate.c: the direction of a print, and where the mesh begins and ends along it. */
typedef struct {
  int axis;
  double sign, low, high;
} ig_topopt_mesh_rise;
IG_MUST_CHECK ig_status ig_topopt_mesh_rise_find(const ig_topopt_mesh_model *m,
                                                 ig_topopt_mesh_rise *r);
/* mesh_build.c: nothing where the case has no `printing`. Fills m->build and m->d.build. */
IG_MUST_CHECK ig_status ig_topopt_mesh_build_new(ig_topopt_mesh_model *m);
void ig_topopt_mesh_build_free(ig_topopt_mesh_model *m);
/* mesh_plate.c: nothing where no inherent strain is given. Fills m->plate and m->d.plate. */
typedef struct ig_topopt_mesh_plate ig_topopt_mesh_plate;
IG_MUST_CHECK ig_status ig_topopt_mesh_plate_new(ig_topopt_mesh_model *m);
void ig_topopt_mesh_plate_free(ig_topopt_mesh_model *m);
/* mesh_groups.c: from lists of the whole (host); so many arrays are borrowed at once. */
IG_MUST_CHECK ig_status ig_topopt_mesh_groups_new(ig_topopt_mesh_model *m, int64_t count,
                                                  const int64_t *start, const int64_t *order,
                                                  int arrays, ig_topopt_mesh_groups *g);
void ig_topopt_mesh_groups_free(ig_topopt_mesh_model *m, ig_topopt_mesh_groups *g);
/* Of a part: arrays of elements into g->value, with those of borrowed elements; and one of these
   back to all who lent. */
IG_MUST_CHECK ig_status ig_topopt_mesh_groups_borrow(ig_topopt_mesh_model *m,
                                                     ig_topopt_mesh_groups *g, int arrays,
                                                     const double *const *from);
IG_MUST_CHECK ig_status ig_topopt_mesh_groups_return(ig_topopt_mesh_model *m,
                                                     ig_topopt_mesh_groups *g, int array,
                                                     double *to);

/* mesh_finish.c. What a rank looks at of the finished part: its own elements, all of a mesh that is
   not in parts. On the host. */
typedef struct {
  ig_lid nodes, elements, held; /* nodes that are here; own elements; with those around them */
  ig_lid first;                 /* what the first own element is in the whole */
  const double *x;
  const ig_lid *conn, *held_conn;
  const ig_lid *node;  /* what nodes are in the whole; NULL: the same */
  const double *share; /* of own elements: volume over the mean */
} ig_topopt_mesh_body;
ig_topopt_mesh_body ig_topopt_mesh_body_of(const ig_topopt_mesh_model *m);
/* Densities of own elements (host) averaged by volume to their nodes; free *value. */
IG_MUST_CHECK ig_status ig_topopt_mesh_values(ig_topopt_mesh_model *m, const double *density,
                                              double **value);
/* While all is set up: own faces that are shared with other ranks. */
IG_MUST_CHECK ig_status ig_topopt_mesh_crossings(ig_topopt_mesh_model *m);
/* What is behind faces of own elements: an own one, or as ig_adjacency says, or another rank's. */
enum { IG_TOPOPT_MESH_ELSEWHERE = -3 };
IG_MUST_CHECK ig_status ig_topopt_mesh_behind(const ig_topopt_mesh_model *m, ig_adjacency *adj);
IG_MUST_CHECK ig_status ig_topopt_mesh_faces(void *self, ig_topopt_pieces *p);

/* The part at a density (host); mesh_surface.c. */
IG_MUST_CHECK ig_status ig_topopt_mesh_surface(void *self, double *density, double level,
                                               bool mirror, ig_topopt_part *surface);
IG_MUST_CHECK ig_status ig_topopt_mesh_inside(void *self, double *density, double *level,
                                              double *share);
/* mesh_elements.c: see ig_discretisation */
IG_MUST_CHECK ig_status ig_topopt_mesh_elements(void *self, ig_topopt_body *b);

/* mesh_output.c: see ig_discretisation */
IG_MUST_CHECK ig_status ig_topopt_mesh_snapshot(void *self, int64_t step, ig_snapshot **snap);
void ig_topopt_mesh_pack(void *self, bool nodes, int components, const double *from, float *to);
IG_MUST_CHECK ig_status ig_topopt_mesh_stream(void *self, bool states, const double *from,
                                              bool host, ig_stream_take *take, void *user);
IG_MUST_CHECK ig_status ig_topopt_mesh_show(void *self, bool states, double scale,
                                            const double *from, ig_stream_take *take, void *user);
IG_MUST_CHECK ig_status ig_topopt_mesh_outline(void *self, int array, ig_stream_take *take,
                                               void *user);
/* mesh_place.c */
IG_MUST_CHECK ig_status ig_topopt_mesh_touched(void *self, uint8_t *mark);

#endif
