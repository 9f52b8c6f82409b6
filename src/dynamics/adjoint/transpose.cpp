/* Element functions on a tape. Kind and law are looked up as they run: the time is that of the
   tape, and there is one copy of each function to compile. */
#include "dynamics/adjoint/transpose.h"

#include <stdlib.h>
#include <string.h>

/* state of a pack alone: a number of the tape per value */
#undef IG_DYN_BLOCK
#define IG_DYN_BLOCK 1
#include "kern/prec_reverse.h"
#include "material/j2.inc"
#include "dynamics/elements/element.inc"
#include "dynamics/elements/elements.inc"

struct ig_dyn_transpose {
  ig_rev_tape tape;
  dyn_group_rev group;
  ig_rev state[IG_TRANSPOSE_STATES];
};

/* Every number of a group, of either type, in the order of the enumeration. */
template <class G, class F> static void numbers_each(G &g, F &&number) {
  auto &m = g.mat;
  number(m.density), number(m.young), number(m.poisson), number(m.bulk), number(m.shear);
  number(m.yield), number(m.hardening), number(m.kinematic);
  for (int i = 0; i < IG_HARDENING_ROWS; i++)
    number(m.strain[i]);
  for (int i = 0; i < IG_HARDENING_ROWS; i++)
    number(m.stress[i]);
  number(m.jc_b), number(m.jc_n), number(m.jc_c), number(m.jc_rate0), number(m.jc_m);
  number(m.jc_range), number(m.jc_heat);
  for (int i = 0; i < 5; i++)
    number(m.jc_d[i]);
  number(g.thickness), number(g.area), number(g.iy), number(g.iz), number(g.torsion);
  for (int i = 0; i < IG_DYN_FIBRES; i++)
    for (int k = 0; k < 3; k++)
      number(g.fibre[i][k]);
  number(g.hourglass), number(g.bulk_linear), number(g.bulk_quadratic);
}

void ig_dyn_numbers(const dyn_group_f64 *g, double out[IG_DYN_NUMBERS]) {
  int n = 0;
  numbers_each(*g, [&](double v) { out[n++] = v; });
}

ig_dyn_transpose *ig_dyn_transpose_new(void) {
  return (ig_dyn_transpose *)calloc(1, sizeof(ig_dyn_transpose));
}

int ig_dyn_transpose_lanes(void) {
  return IG_PACK_F64;
}

void ig_dyn_transpose_free(ig_dyn_transpose *t) {
  if (t)
    ig_rev_free(&t->tape);
  free(t);
}

static ig_pack_f64 pack_at(const double *v) {
  ig_pack_f64 p;
  memcpy(&p, v, sizeof p);
  return p;
}

/* Onto an empty tape: numbers, then the state; rows follow each other. Numbers that are 0 stay
   constants, as they switch something off, but for Poisson's ratio. */
static bool begin(ig_dyn_transpose *t, const ig_dyn_pack_bars *b, int32_t row[IG_DYN_NUMBERS]) {
  const dyn_group_f64 *g = b->g;
  dyn_group_rev *to = &t->group;
  double own[IG_DYN_NUMBERS];
  int n = 0;
  ig_rev_now = &t->tape;
  if (g->states > IG_TRANSPOSE_STATES || !ig_rev_clear(&t->tape))
    return false;
  to->first = g->first, to->count = g->count;
  to->npe = g->npe, to->dofs = g->dofs, to->states = g->states;
  to->bbar = g->bbar, to->planes = g->planes, to->cable = g->cable, to->thinning = g->thinning;
  to->mat.rows = g->mat.rows;
  to->state = t->state;
  for (int i = 0; i < 3; i++)
    to->along[i] = g->along[i];
  ig_dyn_numbers(g, own);
  numbers_each(*to, [&](ig_rev &v) {
    v = own[n] != 0 || n == IG_NUMBER_POISSON ? ig_rev_in(ig_rev_pack(own[n])) : ig_rev(own[n]);
    row[n++] = v.i;
  });
  for (int k = 0; k < g->states; k++)
    t->state[k] = ig_rev_in(pack_at(b->state + (int64_t)k * b->pitch));
  return true;
}

/* Bars of what came out are in their rows: back over the tape, and bars of what went in. */
static bool end(ig_dyn_transpose *t, const ig_dyn_pack_bars *b, const int32_t row[IG_DYN_NUMBERS],
                int32_t state, int32_t x, int32_t u) {
  const dyn_group_f64 *g = b->g;
  const size_t size = sizeof(ig_pack_f64);
  ig_rev_back(&t->tape);
  memset((void *)t->tape.bar, 0, size); /* what constants got */
  for (int i = 0; i < IG_DYN_NUMBERS; i++)
    memcpy(b->number_bar + i * IG_PACK_F64, &t->tape.bar[row[i]], size);
  memcpy(b->state_bar, &t->tape.bar[state], (size_t)g->states * size);
  memcpy(b->x_bar, &t->tape.bar[x], (size_t)(3 * g->npe) * size);
  if (u)
    memcpy(b->u_bar, &t->tape.bar[u], (size_t)(g->npe * g->dofs) * size);
  ig_rev_now = NULL;
  return !t->tape.failed;
}

static void seed(ig_dyn_transpose *t, ig_rev to, const double *bar) {
  if (to.i)
    t->tape.bar[to.i] += pack_at(bar);
}

bool ig_dyn_transpose_force(ig_dyn_transpose *t, const ig_dyn_pack_bars *b) {
  const dyn_group_f64 *g = b->g;
  const int n = g->npe * g->dofs;
  int32_t row[IG_DYN_NUMBERS];
  ig_rev x[IG_DYN_POSITIONS], u[IG_DYN_MOTIONS], f[IG_DYN_MOTIONS], left;
  if (!begin(t, b, row))
    return false;
  const int32_t state = t->tape.rows - g->states;
  for (int i = 0; i < 3 * g->npe; i++)
    x[i] = ig_rev_in(pack_at(b->x + i * IG_PACK_F64));
  for (int i = 0; i < n; i++)
    u[i] = ig_rev_in(pack_at(b->u + i * IG_PACK_F64));
  element_force_rev(b->kind, b->law, &t->group, t->state, ig_rev(b->dt), x, u, f, &left);
  memset((void *)t->tape.bar, 0, (size_t)t->tape.rows * sizeof(ig_pack_f64));
  for (int i = 0; i < n; i++)
    seed(t, f[i], b->f_bar + i * IG_PACK_F64);
  for (int k = 0; k < g->states; k++)
    seed(t, t->state[k], b->state_bar + k * IG_PACK_F64);
  return end(t, b, row, state, state + g->states, state + g->states + 3 * g->npe);
}

bool ig_dyn_transpose_report(ig_dyn_transpose *t, const ig_dyn_pack_bars *b) {
  const dyn_group_f64 *g = b->g;
  int32_t row[IG_DYN_NUMBERS];
  ig_rev x[IG_DYN_POSITIONS], out[IG_DYN_REPORT];
  if (!begin(t, b, row))
    return false;
  const int32_t state = t->tape.rows - g->states;
  for (int i = 0; i < 3 * g->npe; i++)
    x[i] = ig_rev_in(pack_at(b->x + i * IG_PACK_F64));
  element_report_rev(b->kind, b->law, &t->group, t->state, x, out);
  memset((void *)t->tape.bar, 0, (size_t)t->tape.rows * sizeof(ig_pack_f64));
  for (int i = 0; i < IG_DYN_REPORT; i++)
    seed(t, out[i], b->report_bar + i * IG_PACK_F64);
  for (int k = 0; k < g->states; k++)
    seed(t, t->state[k], b->state_bar + k * IG_PACK_F64);
  return end(t, b, row, state, state + g->states, 0);
}
