/* What holds and leads nodes: an entry of `supports`, the same in every room that moves a mesh, and
   the histories that scale motions and loads over time. */
#ifndef IG_MESH_SUPPORT_H
#define IG_MESH_SUPPORT_H

#include "core/option.h"
#include "kern/motion.h"

typedef struct {
  ig_src at;
  const char *set;
  const char *fix;        /* "all", "xy", "x rx ry"; NULL: nothing is held still */
  const char *components; /* components that the motions lead: "xyz" */
  double displacement[3], velocity[3], acceleration[3], spin[3]; /* NaN: none */
  ig_table history;                                              /* of all of them */
} ig_support_case;

/* Rows of an option table, after its `set`. VECTOR: IG_VECTOR23 where meshes may be plane, else
   IG_VECTOR3. fixes: "x y z". of: "" or " of the centre". */
#define IG_SUPPORT_ROWS(VECTOR, fixes, of)                                                         \
  IG_TEXT(ig_support_case, fix, NULL, "held still: 'all', or some of " fixes),                     \
      IG_TEXT(ig_support_case, components, "xyz",                                                  \
              "components that the motions below lead; the others stay free"),                     \
      VECTOR(ig_support_case, displacement, "m", NULL,                                             \
             "displacement" of " from where it starts, times the history"),                        \
      VECTOR(ig_support_case, velocity, "m/s", NULL, "velocity" of ", times the history"),         \
      VECTOR(ig_support_case, acceleration, "m/s^2", NULL,                                         \
             "acceleration" of ", times the history")
#define IG_HISTORY_ROW(S) IG_TABLE(S, history, "s", "", NULL, 0, 0, "factor over time; left out: 1")

/* A vector of a case on a mesh in `dim` dimensions: two numbers in the plane, three in space; zeros
   where it was not given. */
IG_MUST_CHECK ig_status ig_axes_read(ig_ctx *cx, const ig_src *at, const char *key,
                                     const double value[3], int dim, double out[3]);

/* A support that holds `fix` still (NULL: nothing), as a program begins one. */
ig_support_case ig_support_fix(const char *set, const char *fix);

/* How each component is led: x y z, and the three rotations where `dofs` is 6. Where `dofs` is 2
   the mesh is plane. */
typedef struct {
  uint8_t kind[6]; /* ig_move */
  double scale[6]; /* value that the history multiplies */
} ig_support_motion;
IG_MUST_CHECK ig_status ig_support_read(ig_ctx *cx, const ig_support_case *c, int dofs,
                                        ig_support_motion *motion);
/* Fails where nothing is held and nothing led. */
IG_MUST_CHECK ig_status ig_support_holds(ig_ctx *cx, const ig_support_case *c,
                                         const ig_support_motion *motion);

/* The rows of all histories of a model, one after the other. */
typedef struct {
  int32_t rows;
  double *x, *y;
} ig_histories;
IG_MUST_CHECK ig_status ig_histories_add(ig_ctx *cx, ig_histories *h, const ig_table *t,
                                         ig_history *place);
void ig_histories_free(ig_histories *h);

#endif
