/* What passes over elements compute for the host, some elements at a time: the whole of it would be
   as much memory on the device as the state of the points. */
#include "stress/model.h"
#include "backend/backend.h"
#include "ranks/allgather.h"

#include <stdlib.h>
#include <string.h>

/* Values that are made portion by portion, each copied out before the next one overwrites
   work.values. */
typedef struct {
  ig_stress *m;
  ig_stress_value what;
  ig_stress_taking *take;
  void *user;
} passing;

/* Of elements of the part, at most as many as a portion has. */
static ig_status values_make(void *user, ig_lid begin, ig_lid count, void *rows) {
  const passing *p = user;
  ig_stress *m = p->m;
  const size_t size = (size_t)ig_stress_value_count(p->what);
  IG_TRY(m->ops->values(m->cx, &m->args, p->what, m->work.old.dev, m->u.dev, begin, count,
                        m->work.values.dev));
  return m->cx->backend->copy_out(m->cx, rows, m->work.values.dev,
                                  size * (size_t)count * sizeof(double));
}

static ig_status values_hand(void *user, ig_lid begin, ig_lid count, const void *rows) {
  const passing *p = user;
  return p->take(p->user, begin, count, rows);
}

ig_status ig_stress_report(ig_stress *m) {
  passing p = {m, IG_VALUE_REPORT, NULL, NULL};
  const ig_lid most = (ig_lid)(m->work.values.count / IG_STRESS_REPORT), all = m->part.elements;
  for (ig_lid begin = 0; begin < all; begin += most)
    IG_TRY(values_make(&p, begin, all - begin < most ? all - begin : most,
                       m->report + IG_STRESS_REPORT * (int64_t)begin));
  return IG_OK;
}

ig_status ig_stress_values_take(ig_stress *m, ig_stress_value what, bool everyone,
                                ig_stress_taking *take, void *user) {
  passing p = {m, what, take, user};
  return ig_stress_elements_flow(
      m, &(ig_stress_flow){sizeof(double) * (size_t)ig_stress_value_count(what), values_make,
                           values_hand, &p, everyone});
}

/* Columns of the report. */
typedef struct {
  const double *report;
  int from, components;
  ig_stress_taking *take;
  void *user;
} choosing;

static ig_status columns_make(void *user, ig_lid begin, ig_lid count, void *rows) {
  const choosing *c = user;
  const double *from = c->report + IG_STRESS_REPORT * (int64_t)begin + c->from;
  for (ig_lid i = 0; i < count; i++, from += IG_STRESS_REPORT)
    memcpy((double *)rows + c->components * (int64_t)i, from,
           sizeof(double) * (size_t)c->components);
  return IG_OK;
}

static ig_status columns_hand(void *user, ig_lid begin, ig_lid count, const void *rows) {
  const choosing *c = user;
  return c->take(c->user, begin, count, rows);
}

ig_status ig_stress_report_take(ig_stress *m, int from, int components, ig_stress_taking *take,
                                void *user) {
  choosing c = {m->report, from, components, take, user};
  return ig_stress_elements_flow(m, &(ig_stress_flow){sizeof(double) * (size_t)components,
                                                      columns_make, columns_hand, &c, false});
}

ig_status ig_stress_report_at(ig_stress *m, const ig_lid *item, ig_lid count, int column,
                              double *value) {
  const ig_stress_division *p = &m->part;
  double *all;
  for (ig_lid k = 0; k < count; k++) {
    const int64_t e = ig_stress_own(m, item[k]);
    value[k] = e < 0 ? 0 : m->report[IG_STRESS_REPORT * e + column];
  }
  if (!ig_stress_divided(m))
    return IG_OK;
  ig_status status =
      ig_ranks_allgather(m->cx, IG_OK, value, sizeof *value * (size_t)count, (void **)&all);
  for (ig_lid k = 0; k < count && status == IG_OK; k++)
    value[k] = all[p->owner[item[k]] * (int64_t)count + k];
  free(all);
  return status;
}

/* As integers the bits of numbers that are not negative have their order. */
ig_status ig_stress_largest(ig_stress *m, double *value, int count) {
  int64_t bits[IG_STRESS_LARGEST];
  if (!ig_stress_divided(m))
    return IG_OK;
  memcpy(bits, value, sizeof *value * (size_t)count);
  IG_TRY(ig_ranks_max(m->cx, IG_OK, bits, count));
  memcpy(value, bits, sizeof *value * (size_t)count);
  return IG_OK;
}

/* Sums in the order of elements on the host: the same bits with any backend's threads. */
typedef struct {
  int size;
  double *sum;
} summing;
static ig_status sum_take(void *user, ig_lid begin, ig_lid count, const double *value) {
  const summing *s = user;
  (void)begin;
  for (int64_t i = 0; i < s->size * (int64_t)count; i++)
    s->sum[i % s->size] += value[i];
  return IG_OK;
}

ig_status ig_stress_value_sums(ig_stress *m, ig_stress_value what, double *sum) {
  summing s = {ig_stress_value_count(what), sum};
  memset(sum, 0, sizeof *sum * (size_t)s.size);
  return ig_stress_values_take(m, what, true, sum_take, &s);
}

ig_status ig_stress_past(ig_stress *m) {
  const ig_backend *backend = m->cx->backend;
  IG_TRY(backend->copy(m->cx, m->work.T_past.dev, m->T.dev, sizeof(double) * (size_t)m->nodes));
  return backend->copy(m->cx, m->work.warmer_past.dev, m->warmer.dev,
                       sizeof(double) * (size_t)m->part.elements);
}

/* Per element: tangent of its points in floats, bulk modulus 4 bytes, connectivity; per node:
   position and two vectors in doubles. */
double ig_stress_product_bytes(const ig_stress *m) {
  return (double)m->elements * (m->points * 4.0 * m->args.slopes + 4 + 4 * m->npe) +
         9 * 8.0 * (double)m->nodes;
}
