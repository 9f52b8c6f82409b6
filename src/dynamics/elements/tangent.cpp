/* Element functions for dual numbers. A pass follows IG_DUAL directions; the first particle's own
   displacements need none, as forces do not change where all particles move alike. */
#include "dynamics/elements/tangent.h"

/* state of one element alone */
#undef IG_DYN_BLOCK
#define IG_DYN_BLOCK (IG_DUAL + 1)
#include "kern/prec_dual.h"
#include "dynamics/elements/elements.inc"

typedef ig_dual force_dual(const dyn_group_f64 *, double *, double, const ig_dual *,
                           const ig_dual *, ig_dual *, ig_dual *);
#define X(kind, law)                                                                               \
  static __attribute__((noinline))                                                                 \
  ig_dual force_##kind##_##law(const dyn_group_f64 *g, double *st, double dt, const ig_dual *x,    \
                               const ig_dual *du, ig_dual *f, ig_dual *left) {                     \
    return FN(element_force)(IG_DYN_##kind, IG_LAW_##law, g, st, dt, x, du, f, left);              \
  }
IG_DYN_STAMPS(X)
#undef X

static force_dual *force_find(int kind, int law) {
#define X(k, l)                                                                                    \
  if (kind == IG_DYN_##k && law == IG_LAW_##l)                                                     \
    return force_##k##_##l;
  IG_DYN_STAMPS(X)
#undef X
  return NULL;
}

extern "C" double ig_dyn_tangent(ig_dyn_kind kind, int law, const dyn_group_f64 *g,
                                 const double *state, int pitch, double dt, const double *x,
                                 const double *u, double *f, double *k, double *left,
                                 double *room) {
  force_dual *const force = force_find(kind, law);
  const int npe = g->npe, dofs = g->dofs, n = npe * dofs;
  double bad = 0;
  for (int first = 3; first < n; first += IG_DUAL) {
    ig_dual xd[IG_DYN_POSITIONS], ud[IG_DYN_MOTIONS], fd[IG_DYN_MOTIONS], rest;
    for (int i = 0; i < g->states; i++)
      *(ig_dual *)(room + (IG_DUAL + 1) * i) = ig_dual_of(state[(int64_t)i * pitch]);
    for (int i = 0; i < 3 * npe; i++)
      xd[i] = ig_dual_of(x[i] - x[i % 3]);
    for (int i = 0; i < n; i++)
      ud[i] = ig_dual_of(u[i]);
    for (int d = 0; d < IG_DUAL && first + d < n; d++) {
      const int i = first + d;
      ud[i].a[1 + d] = 1;
      if (i % dofs < 3)
        xd[3 * (i / dofs) + i % dofs].a[1 + d] = 1;
    }
    bad = ig_value(force(g, room, dt, xd, ud, fd, &rest));
    for (int i = 0; i < n; i++) {
      f[i] = ig_value(fd[i]);
      for (int d = 0; d < IG_DUAL && first + d < n; d++)
        k[i * n + first + d] = fd[i].a[1 + d];
    }
    *left = ig_value(rest);
  }
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) {
      k[i * n + c] = 0;
      for (int a = 1; a < npe; a++)
        k[i * n + c] -= k[i * n + a * dofs + c];
    }
  return bad;
}
