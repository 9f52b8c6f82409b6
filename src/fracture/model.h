/* A fracture model: the tables of frac.h with their host side, filled from a mesh, stepped. */
#ifndef IG_FRAC_MODEL_H
#define IG_FRAC_MODEL_H

#include "core/array.h"
#include "core/output.h"
#include "backend/backend.h"
#include "fracture/frac.h"

typedef struct {
  ig_precision precision; /* single or double */
  ig_assembly assembly;
  double thickness, dt; /* dt 0: set later, before stepping */
  int check_every;      /* steps between checks, 0: never */
  bool finite_rotation;
  bool reserve; /* room for every facet open, from the start */
  int materials;
  frac_elastic elastic[FRAC_MATERIALS];
  ig_cohesive law;
  int criterion;
  bool hold;
  double penalty, weibull;
  uint64_t seed;
} frac_settings;

/* Elastic constants: plane 0 solid or plane strain, 1 plane stress. */
frac_elastic frac_elastic_of(double young, double poisson, double rho, int plane_stress);

typedef enum {
  FRAC_PER_ELEMENT,
  FRAC_PER_NODE,
  FRAC_PER_COHESIVE,
  FRAC_PER_LOAD,
  FRAC_ONE
} frac_per;
typedef struct {
  const char *name;
  frac_per per;
  int width;
  bool saved; /* part of a checkpoint */
  void **at;  /* the pointer in frac */
  ig_array a;
} frac_table;
enum { FRAC_TABLES = 48 };

typedef struct {
  ig_ctx *cx;
  const frac_ops *ops;
  frac_shape shape;
  int kind, wide;
  int check_every;
  frac s;
  frac_count count; /* as last seen */
  int tables;
  frac_table table[FRAC_TABLES];
  int64_t facets;      /* interior, at the start */
  int32_t nodes_start; /* of the mesh, before notches */
  int colors;
  ig_lid *color_start;
  bool begun; /* the forces of this step are there */
  int motions, loads, curve_points, loaded;
  double *curve;
  int32_t *load_face;
  ig_graph *graph; /* check_every steps */
} frac_model;

/* Tables of a mesh (one type of simplex); displacements and velocities zero. */
IG_MUST_CHECK ig_status frac_model_new(ig_ctx *cx, const ig_mesh *mesh,
                                       const frac_settings *settings, frac_model *m);
void frac_model_free(frac_model *m);

/* Before frac_model_start. Host side of a table by name. */
void *frac_model_host(frac_model *m, const char *name);
double frac_model_real(const frac_model *m, const void *p, int64_t i);
void frac_model_put(const frac_model *m, void *p, int64_t i, double value);
IG_MUST_CHECK ig_status frac_model_motion(frac_model *m, frac_motion_kind kind, int points,
                                          const double *t, const double *y, int *id);
/* Component d of a node follows a motion. */
IG_MUST_CHECK ig_status frac_model_guide(frac_model *m, ig_lid node, int d, int motion);
IG_MUST_CHECK ig_status frac_model_load(frac_model *m, int points, const double *t, const double *y,
                                        bool pressure, const double way[3], int *id);
IG_MUST_CHECK ig_status frac_model_load_face(frac_model *m, ig_lid element, int mesh_face,
                                             int load);
IG_MUST_CHECK ig_status frac_model_start(frac_model *m);

/* Opens the marked facets (`mark` on the device). */
IG_MUST_CHECK ig_status frac_model_insert(frac_model *m, frac_opening into);
/* One of the passes an insertion is made of, for those who time them. */
enum { FRAC_PASSES = 8 };
extern const char *const frac_pass_names[FRAC_PASSES];
IG_MUST_CHECK ig_status frac_model_pass(frac_model *m, int pass);
/* Takes over counts read back from a checkpoint and makes room for them. */
IG_MUST_CHECK ig_status frac_model_resume(frac_model *m, const frac_count *count);
/* Largest stable step of the bulk. */
IG_MUST_CHECK ig_status frac_model_critical(frac_model *m, double *dt);
void frac_model_set_step(frac_model *m, double dt);
/* Runs until `step` is the current one. */
IG_MUST_CHECK ig_status frac_model_run(frac_model *m, int64_t step);
/* Energies and lengths at the current step. */
IG_MUST_CHECK ig_status frac_model_figures(frac_model *m, double figures[FRAC_FIGURES]);
/* Brings stresses up to date with the displacements. */
IG_MUST_CHECK ig_status frac_model_stress(frac_model *m);
/* Copies a table to its host side. */
IG_MUST_CHECK ig_status frac_model_pull(frac_model *m, const char *name, void **host);
/* Damage of cohesive element c, from tables already pulled ("cs", "cw"): least over its points. */
double frac_model_damage(const frac_model *m, int64_t c);

/* The face opposite corner f, from a face as the mesh numbers it; and its local nodes. */
int frac_face_of_mesh(const frac_model *m, int mesh_face);
int frac_face_node(int kind, int f, int j);
int frac_across(int kind, int turn, int j);

#endif
