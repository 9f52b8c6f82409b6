/* Supports: fixed and prescribed nodes (an entry of `supports`, with the same keys in every room
   that moves a mesh), and the histories that scale motions and loads over time. */
#ifndef IG_MESH_SUPPORT_H
#define IG_MESH_SUPPORT_H

#include "core/option.h"
#include "kern/motion.h"

/* Units: m, m/s, m/s2, rad/s. */
typedef struct {
  ig_src at;
  const char *set;
  const char *fix;        /* "all", "xy", "x rx ry"; NULL: nothing is fixed */
  const char *components; /* components that the motions lead: "xyz" */
  double displacement[3], velocity[3], acceleration[3], spin[3]; /* NaN: none */
  ig_table history;                                              /* of all of them */
} ig_support_case;

/* Rows of an option table, after its `set`. VECTOR: IG_VECTOR23 where meshes may be plane,
   otherwise IG_VECTOR3. fixes: list of components for the help text, "x y z". of: "" or " of the
   centre". */
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

/* Reads a vector of a case for a mesh of `dim` dimensions; components not given become 0. Fails at
   `at` if it has the wrong number of entries. */
IG_MUST_CHECK ig_status ig_axes_read(ig_ctx *cx, const ig_src *at, const char *key,
                                     const double value[3], int dim, double out[3]);

/* A support that fixes the components `fix` (NULL: none), for programs and tests. */
ig_support_case ig_support_fix(const char *set, const char *fix);

/* Motion of each component: x y z, and the three rotations if `dofs` is 6. dofs = 2: plane mesh. */
typedef struct {
  uint8_t kind[6]; /* ig_move */
  double scale[6]; /* value that the history multiplies */
} ig_support_motion;
IG_MUST_CHECK ig_status ig_support_read(ig_ctx *cx, const ig_support_case *c, int dofs,
                                        ig_support_motion *motion);
/* Fails if the support neither fixes nor prescribes any component. */
IG_MUST_CHECK ig_status ig_support_holds(ig_ctx *cx, const ig_support_case *c,
                                         const ig_support_motion *motion);

/* All histories of a model in one array, so that kernels get two pointers. ig_history gives first
   row and count. */
typedef struct {
  int32_t rows;
  double *x, *y;
} ig_histories;
IG_MUST_CHECK ig_status ig_histories_add(ig_ctx *cx, ig_histories *h, const ig_table *t,
                                         ig_history *place);
void ig_histories_free(ig_histories *h);

/* How one component is held or led. */
typedef struct {
  ig_move kind;
  double scale;
  ig_history history;
} ig_led;
/* Whether two are the same at all times. */
bool ig_led_same(const ig_led *a, const ig_led *b, const ig_histories *rows);

#endif
