/* The critical time step. An explicit step is stable up to 2 / lambda, lambda the largest
   eigenvalue of C^-1 K. It is at most the largest eigenvalue of any single element with its own
   lumped capacity (Irons and Treharne, 1971), so elements are looked at one by one: once per class
   of congruent elements and material where there are classes, otherwise all of them by all threads.
   Conductivity is taken as the largest, capacity as the smallest of the table: safe at every
   temperature. Convection and radiation add the slope of their flux at the worst corner. */
#include "core/threads.h"
#include "thermal/engine/heat_make.h"
#include "thermal/engine/heat_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rate of one element, and what films add at most to a corner of it; < 0: it is inverted. *flat: it
   has a face without area. */
static double element_rate(const ig_heat *h, ig_lid e, double best, double steepest, double *film,
                           bool *flat) {
  const heat_material_f64 *m = ig_heat_material_of(h, e);
  const double alpha = ig_heat_material_diffusivity(m);
  ig_heat_shape own;
  const ig_heat_shape *s = ig_heat_shape_of(h, e, &own);
  if (!h->shape.classes.count)
    ig_heat_shape_matrix(h->node.point, ig_heat_conn(h, e), NULL, &own);
  for (int a = 0; a < 8; a++)
    if (!(s->volume[a] > 0))
      return -1;
  const ig_lid *conn = ig_heat_conn(h, e);
  double most = 0;
  for (int f = 0; f < 6; f++) {
    const double *area = s->area[f], sum = area[0] + area[1] + area[2] + area[3];
    ig_lid node[5];
    *flat = *flat || (sum <= 1e-9 * most && ig_heat_face_nodes(conn, f, node) > 2);
    most = fmax(most, sum);
  }
  /* a corner may have three faces bare */
  for (int f = 0; f < 6 && steepest > 0; f++)
    for (int a = 0; a < 4; a++) {
      const ig_lid n = conn[ig_heat_corner[ig_elem_face(IG_HEX8, f)[a]]];
      double area = 0, volume = 0;
      for (int b = 0; b < 4; b++)
        area += conn[ig_heat_corner[ig_elem_face(IG_HEX8, f)[b]]] == n ? s->area[f][b] : 0;
      for (int b = 0; b < 8; b++)
        volume += conn[b] == n ? s->volume[b] : 0;
      *film = fmax(*film, 3 * steepest * area / (ig_heat_material_capacity_min(m) * volume));
    }
  return alpha * ig_heat_shape_rate(s, conn, best / alpha);
}

/* Bound of the largest rate, into h->limit. Fails where an element is inverted. The comparison of
   rates has a relative tolerance of 1e-12 and prefers the lower element, so that `limit.element`,
   which the user sees, does not depend on the order in which threads come. */
ig_status ig_heat_rate_bound(ig_ctx *cx, ig_heat *h) {
  /* the slope of radiation, d(e T^4)/dT = 4 e T^3, has no bound: 3500 K is above the boiling point
     of the metals that are printed */
  double steepest = 0; /* of the films, W/(m^2 K), up to a temperature metals boil at */
  for (int c = 0; c < h->face.classes; c++)
    steepest = fmax(steepest, h->face.film[c].h + 4 * h->face.film[c].e * 3500. * 3500. * 3500.);
  uint8_t *met; /* class x material */
  IG_TRY(IG_NEW(cx, &met, (size_t)h->shape.classes.count * (size_t)h->material.count,
                "critical step"));
  double film = 0, best = 0;
  int64_t left = (int64_t)h->shape.classes.count * h->material.count;
  const ig_lid looked = left == 1 ? 1 : h->elements; /* all of one class and material: the first */
  ig_lid limiting = h->elements, inverted = h->elements, flattened = h->elements;
  const int threads = h->shape.classes.count ? 1 /* few are looked at */
                                             : ig_team(cx, h->elements, IG_WORK_ELEMENT);
#pragma omp parallel for schedule(static, 4096) num_threads(threads) reduction(max                 \
                                                                               : film)             \
    reduction(min                                                                                  \
              : inverted, flattened)
  for (ig_lid e = 0; e < looked; e++) {
    if (h->shape.classes.count && left == 0)
      continue; /* one thread: all that there can be have been met */
    if (h->shape.classes.count) {
      uint8_t *mark = &met[(int64_t)h->shape.classes.of[e] * h->material.count +
                           ((uint8_t *)h->material.of.host)[e]];
      uint8_t seen;
#pragma omp atomic read
      seen = *mark;
      if (seen)
        continue;
#pragma omp atomic write
      *mark = 1;
      left--;
    }
    double bar, more = 0;
#pragma omp atomic read
    bar = best;
    bool flat = false;
    const double rate = element_rate(h, e, bar, steepest, &more, &flat);
    if (flat)
      flattened = e < flattened ? e : flattened;
    film = fmax(film, more);
    if (rate < 0)
      inverted = e < inverted ? e : inverted;
    if (rate >= bar) {
#pragma omp critical(ig_heat_rate)
      if (rate > best * (1 + 1e-12) || (rate > best * (1 - 1e-12) && e < limiting)) {
        best = fmax(rate, best);
        limiting = e;
      }
    }
  }
  free(met);
  if (inverted < h->elements)
    return IG_FAIL(cx, IG_INPUT,
                   "element %d is inverted or flat: reorder its nodes or repair the mesh",
                   (int)h->birth.order[inverted]);
  if (flattened < h->elements)
    ig_warn(cx, "element %d has a face without area: nothing passes through it",
            (int)h->birth.order[flattened]);
  h->limit.element = h->birth.order[limiting];
  h->limit.rate = best + film;
  double share = 0; /* the largest diffusivity at one temperature, of that of any pair */
  for (int m = 0; m < h->material.count; m++) {
    const heat_material_f64 *material = (const heat_material_f64 *)h->material.table + m;
    share = fmax(share, ig_heat_material_diffusivity_at_one(material) /
                            ig_heat_material_diffusivity(material));
  }
  h->limit.rate_state = best * share + film;
  h->limit.film = film;
  return IG_OK;
}
