/* Elements, facets and cohesive elements as the tables have them, on the host.

   The kernels' formulas instantiated in double precision for the host: output, tips and pieces
   use them, so that numbering and geometry exist once. */
#include "assembly/scatter.h"
#include "fracture/run.h"
#include "kern/prec_f64.h"
#include "material/cohesive.inc"
#include "assembly/scatter.inc"
#include "fracture/kernels/types.inc"

#include <math.h>

int ig_frac_face_node(int kind, int f, int j) {
  return ig_frac_shapes[kind].dim == 2 ? tri6_face_node_f64(f, j) : tet10_face_node_f64(f, j);
}

int ig_frac_across(int kind, int turn, int j) {
  return ig_frac_shapes[kind].dim == 2 ? tri6_across_f64(turn, j) : tet10_across_f64(turn, j);
}

/* conn, coh, turn: tables on the host. The upper facet is traversed the other way round and, in
   space, turned by `turn` corners. */
int32_t ig_frac_cohesive_node(const ig_frac_model *m, const int32_t *conn, const int32_t *coh,
                              const uint8_t *turn, int64_t c, int j, bool upper) {
  const int64_t ne = m->s.ne, nf = m->shape.faces, facet = coh[2 * c + upper];
  const int k = upper ? ig_frac_across(m->kind, turn[c], j) : j;
  return conn[ig_frac_face_node(m->kind, (int)(facet % nf), k) * ne + facet / nf];
}

/* Mean over the corners of a quadratic element, whose stress is linear. */
void ig_frac_element_stress(const ig_frac_model *m, const void *se, int64_t e, double t[6]) {
  const int nst = m->shape.stresses;
  const int corners = m->shape.nodes > m->shape.corners ? m->shape.corners : 1;
  for (int c = 0; c < 6; c++)
    t[c] = 0;
  for (int k = 0; k < corners; k++)
    for (int c = 0; c < nst; c++)
      t[c] += ig_frac_model_real(m, se, (e * corners + k) * nst + c) / corners;
}

double ig_frac_principal(const ig_frac_model *m, const double t[6]) {
  return m->shape.dim == 2 ? tri3_largest_principal_f64(t) : tet4_largest_principal_f64(t);
}

/* The tangential part is the length of the vector at each point, then averaged. */
void ig_frac_cohesive_mean(const ig_frac_model *m, const void *cs, int64_t c, int what,
                           double mean[2]) {
  const int dim = m->shape.dim, np = m->shape.points;
  mean[0] = mean[1] = 0;
  for (int p = 0; p < np; p++) {
    const int64_t at = (c * np + p) * m->shape.state + what * dim;
    double t = 0;
    for (int d = 1; d < dim; d++)
      t += ig_frac_model_real(m, cs, at + d) * ig_frac_model_real(m, cs, at + d);
    mean[0] += ig_frac_model_real(m, cs, at) / np;
    mean[1] += sqrt(t) / np;
  }
}
