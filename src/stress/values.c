/* What passes over elements compute for the host, some elements at a time: the whole of it would be
   as much memory on the device as the state of the points. */
#include "stress/model.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

/* The next elements from `begin` on, on the device in work.values. */
static ig_status portion(ig_stress *m, ig_stress_value what, ig_lid begin, ig_lid *count) {
  const size_t fit = m->work.values.count / (size_t)ig_stress_value_count(what);
  const ig_lid left = m->part.elements - begin;
  *count = (size_t)left < fit ? left : (ig_lid)fit;
  return m->ops->values(m->cx, &m->args, what, m->work.old.dev, m->u.dev, begin, *count,
                        m->work.values.dev);
}

/* `out`: elements of the part x ig_stress_value_count(what), host. Each portion is copied out
   before the next one overwrites work.values. */
static ig_status values_of_part(ig_stress *m, ig_stress_value what, double *out) {
  const size_t size = (size_t)ig_stress_value_count(what);
  ig_lid count;
  for (ig_lid begin = 0; begin < m->part.elements; begin += count) {
    IG_TRY(portion(m, what, begin, &count));
    IG_TRY(m->cx->backend->copy_out(m->cx, out + size * (size_t)begin, m->work.values.dev,
                                    size * (size_t)count * sizeof *out));
  }
  return IG_OK;
}

/* `out`: the same of all elements. */
ig_status ig_stress_values(ig_stress *m, ig_stress_value what, double *out) {
  const size_t size = (size_t)ig_stress_value_count(what);
  double *mine;
  if (!ig_stress_divided(m))
    return values_of_part(m, what, out);
  IG_TRY(IG_NEW(m->cx, &mine, size * (size_t)m->part.elements, "values of elements"));
  ig_status status = values_of_part(m, what, mine);
  if (status == IG_OK)
    status = ig_stress_elements_gather(m, mine, size * sizeof *mine, out);
  free(mine);
  return status;
}

/* Portion by portion, each taken before the next one overwrites it; on several ranks all ranks take
   the values of all. */
ig_status ig_stress_values_take(ig_stress *m, ig_stress_value what, ig_stress_taking *take,
                                void *user) {
  const size_t size = (size_t)ig_stress_value_count(what);
  const bool divided = ig_stress_divided(m);
  double *value = NULL;
  ig_lid count;
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(m->cx, &value, divided ? size * (size_t)m->elements + 1 : m->work.values.count,
                "values of elements"));
  if (divided) {
    status = ig_stress_values(m, what, value);
    status = status == IG_OK ? take(user, 0, m->elements, value) : status;
  }
  for (ig_lid begin = 0; begin < m->elements && !divided; begin += count) {
    IG_TRY_GOTO(status, done, portion(m, what, begin, &count));
    IG_TRY_GOTO(status, done,
                m->cx->backend->copy_out(m->cx, value, m->work.values.dev,
                                         size * (size_t)count * sizeof *value));
    IG_TRY_GOTO(status, done, take(user, begin, count, value));
  }
done:
  free(value);
  return status;
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
  return ig_stress_values_take(m, what, sum_take, &s);
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
