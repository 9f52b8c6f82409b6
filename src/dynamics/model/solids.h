/* Solids that exist where all analyses solve equations (static by Newton's method, frequencies,
   buckling): elements of solid/, computed on the host in double precision. Hexahedra with
   incompatible modes, quadratic hexahedra and tetrahedra, wedges. The model's groups leave them
   out; masses, loads, reports and energies add them.

   Displacements count from m->x0. Positions of the last accepted state are in `x`; during an
   analysis the groups look at the trial positions of the statics. */
#ifndef IG_DYNAMICS_SOLIDS_H
#define IG_DYNAMICS_SOLIDS_H

#include "dynamics/dynamics.h"
#include "solid/group.h"
#include "solid/nodal.h"

/* A group of solids with what the room adds to it. Owned by ig_dyn_solids. */
typedef struct {
  ig_solid_group g;
  ig_lid *element; /* of the mesh */
  double density;
  ig_array ids, report; /* element; IG_DYN_REPORT each: for fields on the device */
} ig_dyn_solid;

/* All solids of a model; NULL in models without them. Owned by the model. */
typedef struct ig_dyn_solids {
  int count;
  ig_dyn_solid *item;
  double *x;     /* nodes x 3 */
  uint8_t *mine; /* elements of the mesh: computed here */
  /* pressures on their faces */
  ig_solid_faces faces;
  int32_t pressed;
  struct {
    ig_solid_face face;
    ig_history history;
    int load; /* of the case */
  } * press;
  double *factor; /* loads: by what programs multiply them */
} ig_dyn_solids;

/* Whether elements of this type, section and law are solids of this kind; refuses those that can be
   nothing else in analyses that are not static. */
IG_MUST_CHECK ig_status ig_dyn_solid_kind(const ig_dyn_model *m, const ig_dyn_section *s,
                                          const ig_material_case *mat, ig_elem_type type, int law,
                                          ig_solid_kind *kind, bool *solid);
/* Takes over `count` elements of the mesh; see solids.c. */
IG_MUST_CHECK ig_status ig_dyn_solids_add(ig_dyn_model *m, ig_solid_kind kind, const mech_f64 *mat,
                                          int law, const ig_lid *list, ig_lid count);
void ig_dyn_solids_free(ig_dyn_model *m);
bool ig_dyn_solid_has(const ig_dyn_model *m, ig_lid element);
bool ig_dyn_solids_yield(const ig_dyn_model *m);

/* Adds masses to particles (lumped); gravity pulls by the consistent weights of the shape
   functions. Fails for inverted elements. */
IG_MUST_CHECK ig_status ig_dyn_solids_masses(ig_dyn_model *m);
/* Registers a pressure (Pa) on a face of such an element; load: its number in the case. */
IG_MUST_CHECK ig_status ig_dyn_solids_press(ig_dyn_model *m, ig_lid element, int face,
                                            double pressure, ig_history history, int load);
/* Multiplies load number `load` by `factor` from now on. */
void ig_dyn_solids_load(ig_dyn_model *m, int load, double factor);
/* Pressures at a time; `trial` positions. */
void ig_dyn_solids_pressures(ig_dyn_model *m, double time);
/* Adds what pressures push at a time, where the model is: to sum[3], or to three numbers of each
   node. */
void ig_dyn_solids_pushed(const ig_dyn_model *m, double time, bool at_nodes, double *sum);

/* Reports in the mesh's numbering, elements x IG_DYN_REPORT; the same to fields on the device. */
IG_MUST_CHECK ig_status ig_dyn_solids_report(ig_dyn_model *m, double *out);
IG_MUST_CHECK ig_status ig_dyn_solids_fields(ig_dyn_model *m, const ig_dyn_fields *to);
/* Adds their stresses to those at nodes; keys count from `key`. */
IG_MUST_CHECK ig_status ig_dyn_solids_stresses(const ig_dyn_model *m, int key, ig_nodal *to);
/* Adds internal energy, and what of it is not stored. */
void ig_dyn_solids_energy(ig_dyn_model *m, double sum[2]);

#endif
