/* Elements that are too stiff where a body bends, and what a case can do about them. */
#include "mesh/bending.h"
#include "structure/structure.h"

#include <math.h>
#include <stdlib.h>

#define TAKE_TET10                                                                                 \
  "take tet10 (a mesh of a file: `quadratic: true` in `mesh`; a shape: `element: tet10`)"

/* Load factors of elements that bend too stiffly are too high, which is not safe. */
ig_status ig_structure_stiff_buckling(const ig_structure *s, const ig_structure_analysis *a) {
  uint8_t *mark = NULL;
  int32_t tets = 0;
  double excess = 0;
  IG_TRY(IG_NEW(s->cx, &mark, ig_mesh_elements(s->mesh), "elements"));
  for (int k = 0; k < s->groups; k++) {
    const ig_structure_group *g = &s->group[k];
    tets += g->kind == IG_SOLID_TET4 ? g->count : 0;
    for (int32_t e = 0; e < g->count; e++)
      mark[g->element[e]] = g->kind == IG_SOLID_HEX8;
  }
  const ig_status status = ig_mesh_bending_excess(s->cx, s->mesh, mark, &excess);
  free(mark);
  IG_TRY(status);
  if (excess > 0)
    ig_warn_at(s->cx, &a->at,
               "buckling: hexahedra that are flat, or few across, without incompatible modes: what "
               "bends there is too stiff, and load factors are about %.0f %% too high: leave "
               "`integration` out",
               100 * excess);
  if (tets > ig_mesh_elements(s->mesh) / 4)
    ig_warn_at(s->cx, &a->at,
               "buckling: tetrahedra of four nodes (tet4) are too stiff in bending, and load "
               "factors too high, by 20 %% and more: " TAKE_TET10);
  return IG_OK;
}

/* Tetrahedra of one material around each node. */
typedef struct {
  double *sum;       /* nodes x 7: volume times stress, volume */
  double jumps, all; /* volume integrals of squared stresses: of the differences, of the mean */
} smooth;

/* Sum of squares of a tensor's entries. */
static double square(const double t[6]) {
  return t[0] * t[0] + t[1] * t[1] + t[2] * t[2] + 2 * (t[3] * t[3] + t[4] * t[4] + t[5] * t[5]);
}

/* Means over the elements around each node, then the difference of each element to those of its
   nodes, which is linear in the element: the mean of a linear function's square over a tetrahedron
   is (sum of squares + square of the sum) / 20. */
static void material_add(const ig_structure_group *g, const double *stress, int material,
                         smooth *k) {
  for (int pass = 0; pass < 3; pass++)
    for (int32_t e = 0; e < g->count; e++) {
      const double *v = stress + 7 * (size_t)e;
      double total[6] = {0}, squares = 0, mean = 0;
      if (g->material[e] != material)
        continue;
      for (int a = 0; a < 4; a++) {
        double *to = k->sum + 7 * (size_t)g->node[e][a], off[6];
        for (int c = 0; c < 7; c++)
          to[c] = pass == 0 ? 0 : pass == 1 ? to[c] + (c < 6 ? v[6] * v[c] : v[6]) : to[c];
        if (pass < 2)
          continue;
        for (int c = 0; c < 6; c++) {
          off[c] = to[c] / to[6] - v[c];
          total[c] += off[c];
        }
        squares += square(off);
      }
      if (pass < 2)
        continue;
      mean = square(v);
      k->jumps += v[6] * (squares + square(total)) / 20;
      k->all += v[6] * mean;
    }
}

/* Zienkiewicz and Zhu's estimate of the error: stresses of elements against their means at nodes,
   here without the weights of Hooke's law. The square of the relative error of stresses is about
   what is missing of the displacements under given loads. */
static ig_status tets_smooth(const ig_structure *s, const ig_structure_group *g, smooth *k) {
  double *stress = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &k->sum, 7 * (size_t)s->nodes + 1, "stresses"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &stress, 7 * (size_t)g->count + 1, "stresses"));
  for (int32_t e = 0; e < g->count; e++) {
    double report[IG_SOLID_POINTS * IG_SOLID_REPORT], X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES],
        w[IG_SOLID_NODES];
    IG_TRY_GOTO(status, done, ig_structure_report(s, g, e, NULL, report));
    ig_structure_gather(s, g->node[e], 4, NULL, X, u);
    for (int c = 0; c < 6; c++)
      stress[7 * (size_t)e + (size_t)c] = report[c];
    stress[7 * (size_t)e + 6] = ig_solid_weights(g->kind, ig_structure_law(g, e)->rule, X, w);
  }
  for (int m = 0; m < s->laws; m++)
    material_add(g, stress, m, k);
done:
  free(stress);
  free(k->sum);
  k->sum = NULL;
  return status;
}

ig_status ig_structure_stiff_static(const ig_structure *s, const ig_structure_analysis *a) {
  for (int i = 0; i < s->groups; i++) {
    const ig_structure_group *g = &s->group[i];
    smooth k = {0};
    if (g->kind != IG_SOLID_TET4 || g->count < ig_mesh_elements(s->mesh) / 4)
      continue;
    IG_TRY(tets_smooth(s, g, &k));
    const double share = k.all > 0 ? k.jumps / (k.all + k.jumps) : 0;
    if (share > IG_STRUCTURE_STIFF)
      ig_warn_at(s->cx, &a->at,
                 "tetrahedra of four nodes (tet4) are too stiff where a body bends, as here: "
                 "stresses jump from element to element, and displacements are too small by about "
                 "%.0f %%%s: " TAKE_TET10,
                 100 * share, share > 0.3 ? " or more" : "");
  }
  return IG_OK;
}
