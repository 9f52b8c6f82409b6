/* The finished part: from the surface of a topopt result to an analysis on body-fitted meshes.

   ig_finish (finish.c)
     case.yaml, summary.json, part.stl of a result           finish.c
     for each of up to three sizes:
       surface with triangles of that size, tetrahedra        finish_mesh.c (Gmsh, confined)
       supports and loads of the case on the new nodes        finish_region.c, finish_loads.c
       deck for CalculiX                                      finish_deck.c
       linear statics by the room structure, figures          finish_analysis.c
       damage by a spectrum of loads                          finish_fatigue.c
     errors from three meshes, comparison with the density model, feasibility, summary.json
                                                              finish_report.c

   ig_run_and_finish: a run with the section `finish`        finish_run.c

   A change of temperature: displacements are computed without the free expansion, as in the design
   (topopt/design/load.h), and supports prescribe what is left of it.

   Lengths in m, forces in N. A part with planes of symmetry is mirrored: loads and supports act on
   every image of the model, so that the part's compliance is that of the model times the number of
   images. */
#ifndef IG_FINISH_FINISH_H
#define IG_FINISH_FINISH_H

#include <ingot/finish.h>
#include "io/format/json.h"
#include "mesh/topology.h"
#include "run/job.h"
#include "topopt/surface/surface.h"

typedef struct {
  const ig_material_case *of;
  double young, poisson, density; /* density NaN: not given */
} ig_finish_material;

/* A result that is to be finished. */
typedef struct {
  ig_ctx *cx;
  char *out; /* FOLDER/finished-in-work: its files go to FOLDER/finished together, at the end */
  int mesh, meshes; /* the one in work, from 1, of how many; 0: none yet */
  ig_case *c;
  ig_job job;
  const ig_topopt_case *t;
  const ig_node *summary; /* of the result */
  double low[3], high[3]; /* of the model that was optimised */
  double edge;            /* of its elements */
  bool mirrored[3];       /* the surface is mirrored at this plane */
  double plane[3];        /* where the planes of symmetry are; NaN: there is none */
  double expansion;       /* strain of the free expansion by a change of temperature */
  int cases;              /* load cases */
  double weight[IG_LOAD_CASES];
  int materials;
  ig_finish_material material[64];
  ig_topopt_part surface;
  ig_text warned; /* warnings, a line each */
} ig_finished;

/* Warns, and keeps the text for the summary. */
void ig_finish_warn(ig_finished *f, const char *format, ...) IG_PRINTF(2, 3);

/* --- finish_region.c: where an entry of the case is */
typedef struct {
  const ig_finished *f;
  const ig_place *place[2]; /* inside both; NULL: no restriction */
  double min[3], max[3];    /* of a side of the grid */
  ig_place side;
  bool listed; /* a set of the mesh: near one of these triangles, or points */
  double (*triangle)[9];
  double (*point)[3];
  ig_lid triangles, points;
  ig_lid *near, nears; /* the triangles that are looked at; NULL: all */
} ig_finish_region;
IG_MUST_CHECK ig_status ig_finish_region_open(const ig_finished *f, const ig_src *at,
                                              const char *set, const ig_place *place,
                                              ig_finish_region *region);
void ig_finish_region_close(ig_finish_region *region);
/* From now on only points within `reach` of x are asked about: of many triangles few are near. */
IG_MUST_CHECK ig_status ig_finish_region_focus(ig_finish_region *region, const double x[3],
                                               double reach);
void ig_finish_region_widen(ig_finish_region *region); /* about any point again */
/* Whether a point of the model is in the region, or no further away than `tolerance`. */
bool ig_finish_region_has(const ig_finish_region *region, const double x[3], double tolerance);
/* Images of the model in the part: bit d of `image` mirrors axis d. Points or vectors. */
int ig_finish_images(const ig_finished *f);
/* The free expansion of a point of the part along axis d, m. */
double ig_finish_expanded(const ig_finished *f, const double x[3], int d);
bool ig_finish_image_is(const ig_finished *f, int image); /* whether the part has it */
void ig_finish_mirror(const ig_finished *f, int image, const double x[3], double y[3]);
void ig_finish_turn(int image, const double v[3], double w[3]);
/* Whether a point of the part is in that image of the model; of points on a plane of symmetry one
   image has each. */
bool ig_finish_image_owns(const ig_finished *f, int image, const double x[3]);
/* ig_finish_region_has with x in the part: of one image of the region. */
bool ig_finish_image_has(const ig_finish_region *region, int image, const double x[3],
                         double tolerance);

/* --- finish_mesh.c */
typedef struct {
  ig_mesh *mesh; /* tet10 */
  ig_boundary boundary;
  double size, volume, area;    /* edge asked for, m; m^3, m^2 */
  double mass;                  /* kg, NaN: not known */
  uint8_t *material;            /* of elements */
  uint8_t *fix;                 /* nodes: bits of the components that are prescribed */
  double *value;                /* nodes x 3: their displacements */
  double *force[IG_LOAD_CASES]; /* nodes x 3 */
} ig_finish_model;
/* Tetrahedra of about that edge length in the surface. */
IG_MUST_CHECK ig_status ig_finish_mesh(ig_finished *f, const ig_finish_options *options,
                                       double size, ig_finish_model *m);
void ig_finish_model_free(ig_finish_model *m);
/* Files of the surface that Gmsh reads, of up to so many shells. */
enum { IG_FINISH_SHELLS = 100 };
void ig_finish_surface_remove(const char *folder, int shells);
IG_MUST_CHECK ig_status ig_finish_surface_copy(ig_ctx *cx, const ig_topopt_part *from,
                                               ig_topopt_part *to);

/* --- finish_region.c: fills material and mass */
IG_MUST_CHECK ig_status ig_finish_materials(const ig_finished *f, ig_finish_model *m);

/* --- finish_loads.c: fills fix, value and force */
IG_MUST_CHECK ig_status ig_finish_loads(ig_finished *f, bool report, ig_finish_model *m);

/* --- finish_deck.c */
IG_MUST_CHECK ig_status ig_finish_deck(const ig_finished *f, const ig_finish_model *m,
                                       const char *path);
/* --- finish_step.c: the surface as a faceted solid; not written, with a warning, where it cannot
 * be */
IG_MUST_CHECK ig_status ig_finish_step(ig_finished *f, const char *path);

/* --- finish_analysis.c */
/* Figures of one mesh. Of the constraints: value in the unit of the bound, NaN: not computed. */
enum { IG_FINISH_BUCKLINGS = 20 };
typedef struct {
  ig_lid elements, nodes;
  double size;                             /* cube root of the mean volume of an element, m */
  double work[IG_LOAD_CASES];              /* compliance of each load case, J */
  double compliance, displacement, stress; /* weighted sum, J; largest, m and Pa */
  double moved[IG_LOAD_CASES];             /* the largest displacement of each load case, m */
  double where[3];                         /* of the largest stress */
  double limit[IG_LIMITS];
  double sum[IG_LOAD_CASES][3]; /* of the loads, N */
  int lost; /* load case, from 1, under which a design for large deflections finds no equilibrium */
  int frequencies;
  double frequency[50];         /* Hz */
  int bucklings[IG_LOAD_CASES]; /* positive factors found, of so many asked for */
  double buckling[IG_LOAD_CASES][IG_FINISH_BUCKLINGS];
  double damage, damage_at[3]; /* largest of one pass of the spectrum, and where */
  /* with large displacements and rotations: of each load case; NaN: no equilibrium was found */
  double large_work[IG_LOAD_CASES], large_moved[IG_LOAD_CASES];
} ig_finish_figures;
IG_MUST_CHECK ig_status ig_finish_analyse(ig_finished *f, const ig_finish_model *m,
                                          const ig_finish_options *o, ig_finish_figures *figures);
/* The same loads with large displacements and rotations: large_work and large_moved. */
IG_MUST_CHECK ig_status ig_finish_analyse_large(ig_finished *f, const ig_finish_model *m,
                                                ig_finish_figures *figures);

/* --- finish_fatigue.c: damage by load case q, at nodes, from stresses (nodes x 6) of a material */
void ig_finish_damage_add(const ig_finished *f, const ig_fatigue_case *by, int q, ig_lid nodes,
                          const double *stress, double *damage);

/* --- finish_measure.c */
/* Smallest member and gap, m; NaN: there is none. */
IG_MUST_CHECK ig_status ig_finish_measure(const ig_finished *f, double *member, double *gap);
/* Smallest and largest diameter of the wall of a cylinder, m; false: there is none. */
bool ig_finish_hole(const ig_finished *f, const ig_in_cylinder *c, double diameter[2]);

/* --- finish_report.c */
/* Value on the finest of some meshes (coarse to fine) with its error. order: at which it
   converges, NaN: not known. grows: it does not converge. */
typedef struct {
  double value, error, order;
  bool grows;
} ig_finish_estimate;
ig_finish_estimate ig_finish_extrapolate(int meshes, const double *size, const double *value);
IG_MUST_CHECK ig_status ig_finish_report(ig_finished *f, const ig_finish_options *options,
                                         int meshes, const ig_finish_figures *figures,
                                         const ig_finish_model *finest);

#endif
