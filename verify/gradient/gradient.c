/* Gradients against what they must be.

     dot product   a figure J(x) that is linear and homogeneous in its input x is the product of x
                   and its gradient: one run forward and one backward see the same operator
     differences   the worst of all keys, over the largest effect of a relative change of one of
   them Taylor        J(x + e d) - J(x) - e dJ.d goes to zero as e^2: the order between the largest
   and the smallest e */
#include "verify/gradient/gradient.h"
#include "core/ctx.h"
#include <ingot/gradient.h>

#include <math.h>
#include <stdlib.h>

enum { MOST = 16 };

static int length(const char *const *list) {
  int n = 0;
  while (list[n])
    n++;
  return n;
}

/* The gradient of a case with all keys multiplied by 1 + e. */
static ig_status gradient_at(ig_ctx *cx, const char *const *set, const char *figure,
                             const char *const *key, const ig_gradient *from, double e,
                             bool differences, ig_gradient **to) {
  ig_case *c;
  ig_status status = ig_case_new(cx, &c);
  for (int i = 0; set[i] && status == IG_OK; i += 2)
    status = ig_case_set(c, set[i], set[i + 1]);
  for (int i = 0; from && i < from->rows && status == IG_OK; i++)
    status = ig_case_set_real(c, key[i], from->row[i].value[0] * (1 + e * (1 + 0.3 * i)));
  if (status == IG_OK)
    status = ig_case_gradient(c, figure, key, from ? 0 : length(key),
                              &(ig_gradient_options){differences}, to);
  ig_case_close(c);
  return status;
}

static ig_status dot_product(ig_ctx *cx, const ig_verify_gradient *g, const ig_verify_sink *sink) {
  ig_gradient *found = NULL;
  double sum = 0;
  const ig_status status =
      gradient_at(cx, g->linear_set, g->linear_figure, g->linear, NULL, 0, false, &found);
  for (int i = 0; status == IG_OK && i < found->rows; i++)
    for (int64_t k = 0; k < found->row[i].count; k++)
      sum += found->row[i].value[k] * found->row[i].derivative[k];
  if (status == IG_OK)
    sink->row(sink->user,
              &(ig_verify_row){"input times adjoint, of a linear figure", "the figure itself",
                               found->value, sum, g->linear_tolerance, true});
  ig_gradient_free(found);
  return status;
}

static void differences(const ig_gradient *found, const ig_verify_sink *sink) {
  double worst = 0, most = 0;
  for (int i = 0; i < found->rows; i++) {
    const ig_gradient_row *r = &found->row[i];
    worst = fmax(worst, fabs((r->derivative[0] - r->difference) * r->value[0]));
    most = fmax(most, fabs(r->derivative[0] * r->value[0]));
  }
  sink->row(sink->user,
            &(ig_verify_row){"derivatives, worst of all keys", "central differences of whole runs",
                             0, worst / most, 1e-6, false});
}

static ig_status taylor(ig_ctx *cx, const ig_verify_gradient *g, const ig_gradient *at,
                        const ig_verify_sink *sink) {
  enum { POINTS = 3 };
  double along = 0, rest[POINTS];
  for (int i = 0; i < at->rows; i++)
    along += at->row[i].derivative[0] * at->row[i].value[0] * (1 + 0.3 * i);
  for (int k = 0; k < POINTS; k++) {
    const double e = 1e-2 * pow(10, -0.75 * k);
    ig_gradient *moved;
    IG_TRY(gradient_at(cx, g->set, g->figure, g->key, at, e, false, &moved));
    rest[k] = fabs(moved->value - at->value - e * along);
    ig_gradient_free(moved);
  }
  sink->row(sink->user, &(ig_verify_row){"order of the remainder, 1.5 decades", "Taylor", 2,
                                         log10(rest[0] / rest[POINTS - 1]) / (0.75 * (POINTS - 1)),
                                         0.05, false});
  return IG_OK;
}

ig_status ig_verify_gradients(const ig_verify_gradient *g, const ig_verify_sink *sink) {
  ig_ctx *cx = NULL;
  ig_gradient *found = NULL;
  ig_status status = ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, &cx);
  if (status == IG_OK)
    status = dot_product(cx, g, sink);
  if (status == IG_OK)
    status = gradient_at(cx, g->set, g->figure, g->key, NULL, 0, true, &found);
  if (status == IG_OK) {
    differences(found, sink);
    status = taylor(cx, g, found, sink);
  }
  if (status != IG_OK)
    sink->row(sink->user,
              &(ig_verify_row){"runs", cx ? ig_ctx_message(cx) : "no context", 0, NAN, 0, false});
  ig_gradient_free(found);
  ig_ctx_close(cx);
  return IG_OK;
}
