/* Inherent strain that turns with the scan direction: one row of the table per layer of a build.
   Elements refer to rows by 16-bit numbers (which): 0 none, 1 … the inherent strains of the case
   in their first direction, and then the rows of layers. */
#include "stress/run.h"

#include <math.h>

/* Real layers in an element layer of `height`; at most 1e5, a mean over more changes nothing. */
static int layers_of(const ig_stress_inherent *in, double height) {
  const double n = isnan(in->layer_height) ? 1 : round(height / in->layer_height);
  return n < 1 ? 1 : n > 1e5 ? 100000 : (int)n;
}

/* Rows of the build in phase `phase`, whose groups are made: from `rows` on; table NULL: counted
   only. */
static int64_t phase_rows(ig_stress_run *r, int phase, int groups, int64_t rows, double *table,
                          uint16_t *which) {
  const ig_stress_phase *p = IG_ITEM(const ig_stress_phase, r->c->phases, phase);
  for (int i = 0; i < r->c->inherent.count; i++) {
    const ig_stress_inherent *in = IG_ITEM(const ig_stress_inherent, r->c->inherent, i);
    const int n = layers_of(in, p->height);
    if (in->rotation == 0)
      continue;
    for (int g = 0; table && g < groups; g++)
      ig_stress_inherent_turned(in, r->c->inherent_scale, (double)g * n, n, table + 4 * (rows + g));
    for (ig_lid e = 0; table && e < r->m->elements; e++)
      if (which[e] == i + 1 && r->group[e] >= 0)
        which[e] = (uint16_t)(rows + r->group[e]);
    rows += groups;
  }
  return rows;
}

/* First counts rows, then allocates and fills. The groups of a phase (its layers) are made for
   each pass, as only one phase is grouped at a time. */
ig_status ig_stress_scan(ig_stress_run *r) {
  ig_stress *m = r->m;
  const ig_list *phases = &r->c->phases;
  int64_t rows = 1 + r->c->inherent.count;
  int groups;
  for (int i = 0; i < phases->count; i++)
    if (IG_ITEM(const ig_stress_phase, *phases, i)->kind == IG_PHASE_BUILD) {
      IG_TRY(ig_stress_steps_regroup(r, i, &groups));
      rows = phase_rows(r, i, groups, rows, NULL, NULL);
    }
  if (rows == 1 + r->c->inherent.count)
    return IG_OK;
  if (rows > UINT16_MAX)
    return ig_fail_at(m->cx, &r->c->at,
                      "inherent strains that turn, in %lld layers: at most %d; give the build a "
                      "larger `height`",
                      (long long)rows, UINT16_MAX);
  ig_array_free(m->cx, &m->material.inherent);
  IG_TRY(ig_array_new(m->cx, &m->material.inherent, 4 * (size_t)rows, sizeof(double), "strains"));
  double *table = m->material.inherent.host;
  rows = 1 + r->c->inherent.count;
  for (int i = 0; i < r->c->inherent.count; i++)
    ig_stress_inherent_row(r->c, i, table + 4 * (i + 1));
  for (int i = 0; i < phases->count; i++)
    if (IG_ITEM(const ig_stress_phase, *phases, i)->kind == IG_PHASE_BUILD) {
      IG_TRY(ig_stress_steps_regroup(r, i, &groups));
      rows = phase_rows(r, i, groups, rows, table, m->material.which.host);
    }
  r->grouped = -1;
  m->args.inherent = m->material.inherent.dev;
  IG_TRY(ig_array_push(m->cx, &m->material.inherent));
  return ig_stress_elements_push(m, &m->material.which);
}
