/* A material law of your own: Ramberg and Osgood's, as deformation theory has it. A bar that is
   pulled at a stress s strains by s / E + 0.002 (s / s0)^n. */
#include "heat.h"
#include <math.h>
#include <string.h>

enum { YOUNG, POISSON, OFFSET_STRESS, EXPONENT }; /* the constants of the material */

/* Equivalent stress q at an equivalent strain e = q / 3G + 0.002 (q / s0)^n; returns dq/de. */
static double curve(const double c[], double shear, double e, double *q) {
  const double s0 = c[OFFSET_STRESS], n = c[EXPONENT];
  *q = fmin(3 * shear * e, s0 * pow(e / 0.002, 1 / n));
  double slope = 3 * shear;
  for (int i = 0; i < 60; i++) {
    const double flow = 0.002 * pow(*q / s0, n), left = *q / (3 * shear) + flow - e;
    slope = 1 / (1 / (3 * shear) + (*q > 0 ? n * flow / *q : 0));
    *q -= left * slope; /* Newton's method from above: the curve is convex */
  }
  return slope;
}

/* No history: stress and tangent follow from the strain alone. */
static bool stress(void *user, const ig_law_point *p) {
  const double *c = p->constant, bulk = c[YOUNG] / (3 - 6 * c[POISSON]);
  const double shear = c[YOUNG] / (2 + 2 * c[POISSON]);
  const double volume = p->strain[0] + p->strain[1] + p->strain[2];
  double dev[6], square = 0, q = 0, slope = 3 * shear;
  (void)user;
  for (int i = 0; i < 6; i++) { /* tensor components of the deviator */
    dev[i] = i < 3 ? p->strain[i] - volume / 3 : p->strain[i] / 2;
    square += (i < 3 ? 1 : 2) * dev[i] * dev[i];
  }
  const double e = sqrt(2 * square / 3);
  if (e > 0)
    slope = curve(c, shear, e, &q);
  const double secant = e > 0 ? q / (3 * e) : shear; /* deviator of the stress = 2 secant dev */
  for (int i = 0; i < 6; i++) {
    p->stress[i] = 2 * secant * dev[i] + (i < 3 ? bulk * volume : 0);
    for (int j = 0; j < 6; j++) {
      const double same = i == j ? (i < 3 ? 2 : 1) : 0;
      p->tangent[6 * i + j] =
          secant * (same - (i < 3 && j < 3 ? 2. / 3 : 0)) + (i < 3 && j < 3 ? bulk : 0) +
          (e > 0 ? 4 * (slope / 3 - secant) / (3 * e * e) * dev[i] * dev[j] : 0);
    }
  }
  return true;
}

static void figure(void *user, const char *key, double value, const char *unit, const char *text) {
  (void)unit, (void)text;
  if (strcmp(key, "displacement_max") == 0)
    *(double *)user = value;
}

int main(void) {
  ig_ctx *cx;
  ig_case *c;
  double end = 0;
  const ig_law_description law = {
      .size = sizeof law, .name = "ramberg_osgood", .constants = 4, .stress = stress};
  TRY(cx, ig_ctx_open(&(ig_ctx_options){.backend = "cpu"}, &cx));
  TRY(cx, ig_law_add(cx, &law));
  TRY(cx, ig_case_new(cx, &c));
  TRY(cx, ig_case_set(c, "physics", "structure"));
  TRY(cx, ig_case_set(c, "mesh", "{boxes: {size: [1 m, 10 mm, 10 mm], cells: [10, 1, 1]}}"));
  TRY(cx, ig_case_set(c, "materials",
                      "{name: alloy, young: 70 GPa, poisson: 0.33, own_law: ramberg_osgood, "
                      "constants: [70e9, 0.33, 270e6, 12]}"));
  TRY(cx, ig_case_set(c, "supports",
                      "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]"));
  TRY(cx, ig_case_set(c, "loads", "{set: xmax, pressure: -300 MPa}"));
  TRY(cx, ig_case_set(c, "analysis", "{kind: static}"));
  TRY(cx, ig_run(c, &(ig_run_options){.figure = figure, .user = &end}));
  const double exact = 300. / 70e3 + 0.002 * pow(300. / 270, 12);
  printf("the bar of 1 m gets %.5g mm longer, exact %.5g mm\n", 1e3 * end, 1e3 * exact);
  ig_case_close(c);
  ig_ctx_close(cx);
  return fabs(end - exact) < 1e-4 * exact ? 0 : 1;
}
