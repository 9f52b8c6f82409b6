/* Elements that resist bending.

   With mean dilatation (`element: bbar`): those that are about as long as the body is thick, or
   longer. Such a hexahedron cannot bend: it shears instead, and a beam of thickness h in elements
   of length l is 1 + (G / E) (l / h)^2 times too stiff, however many of them lie across it.

   With assumed strain: trapezoids. No hexahedron that passes patch tests bends if its two sides
   across the thickness lean in opposite directions (MacNeal 1987). With a curvature k its upper and
   lower corners, at x = +-(l / 2 - t z), sink by k x^2 / 2, so it stretches across by k l t / 2
   (t: tangent of the angle by which a side leans): 3 (l t / h)^2 times the energy of bending. */
#include "mesh/topology.h"
#include "stress/run.h"

#include <math.h>
#include <stdlib.h>

/* From face to face along an axis of the element. */
static double element_length(const ig_stress *m, ig_lid e, int axis) {
  const int *low = ig_elem_face(IG_HEX8, 2 * axis), *high = ig_elem_face(IG_HEX8, 2 * axis + 1);
  const ig_lid *conn = m->conn + 8 * (int64_t)e;
  double sum = 0;
  for (int d = 0; d < 3; d++) {
    double apart = 0;
    for (int a = 0; a < 4; a++)
      apart += 0.25 * (m->mesh->x[3 * (int64_t)conn[high[a]] + d] -
                       m->mesh->x[3 * (int64_t)conn[low[a]] + d]);
    sum += apart * apart;
  }
  return sqrt(sum);
}

/* Walks through the body from an outer face of element e, straight on through opposite faces. With
   `all` its elements learn how long the way is. */
static double walk(const ig_stress *m, ig_lid e, int face, double (*all)[3], double length) {
  double sum = 0;
  for (ig_lid steps = 0; e >= 0 && steps < m->elements; steps++) {
    if (all)
      all[e][face / 2] = length;
    else
      sum += element_length(m, e, face / 2);
    const int64_t out = 6 * (int64_t)e + (face ^ 1);
    e = m->adjacency.neighbor[out];
    face = m->adjacency.back[out];
  }
  return sum;
}

/* extent[e][a]: length of the straight row of elements through e along its axis a; elements of a
   ring, where no row begins, keep infinity. */
static ig_status extents_make(const ig_stress *m, double (**extent)[3]) {
  IG_TRY(IG_NEW(m->cx, extent, m->elements, "extents"));
  for (ig_lid e = 0; e < m->elements; e++)
    for (int a = 0; a < 3; a++)
      (*extent)[e][a] = INFINITY; /* a ring has no end */
  for (ig_lid e = 0; e < m->elements; e++)
    for (int f = 0; f < 6; f++)
      if (m->adjacency.neighbor[6 * (int64_t)e + f] == IG_NO_NEIGHBOR)
        walk(m, e, f, *extent, walk(m, e, f, NULL, 0));
  return IG_OK;
}

/* Tangent of the angle by which the sides of e at the ends of its axis s lean in opposite
   directions, seen along its axis t: 0 for parallelograms. */
static double lean(const ig_stress *m, ig_lid e, int s, int t) {
  const ig_lid *conn = m->conn + 8 * (int64_t)e;
  double along[3] = {0}, both[3] = {0}, length = 0, change = 0;
  for (int f = 0; f < 2; f++)
    for (int g = 0; g < 2; g++)
      for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
          const int n = ig_elem_face(IG_HEX8, 2 * s + f)[a];
          if (n != ig_elem_face(IG_HEX8, 2 * t + g)[b])
            continue;
          for (int d = 0; d < 3; d++) {
            const double x = m->mesh->x[3 * (int64_t)conn[n] + d];
            along[d] += f ? x : -x;
            both[d] += f == g ? x : -x;
          }
        }
  for (int d = 0; d < 3; d++) {
    length += along[d] * along[d];
    change += along[d] * both[d];
  }
  /* sums over eight corners: an eighth of each is a coefficient of the trilinear map, half an
     extent */
  return length > 0 ? fabs(change) / sqrt(length) / (4 * element_length(m, e, t)) : 0;
}

/* Trapezoids in slender parts (four times longer than thick) of assumed-strain elements. */
static ig_status trapezoids_warn(const ig_stress_run *r) {
  static const double MOST = 1.2; /* times too stiff */
  const ig_stress *m = r->m;
  double(*extent)[3] = NULL, worst = 0, thick = 0, angle = 0;
  ig_lid found = 0, at = 0;
  IG_TRY(extents_make(m, &extent));
  for (ig_lid e = 0; e < m->elements; e++) {
    bool is = false;
    for (int i = 0; i < 9; i++) {
      const int t = i / 3, s = i % 3;
      const double h = extent[e][t];
      if (s == t || isinf(h) || extent[e][s] < 4 * h)
        continue;
      const double tangent = lean(m, e, s, t), part = element_length(m, e, s) * tangent / h;
      const double factor = 1 + 3 * part * part;
      if (factor < MOST)
        continue;
      is = true;
      if (factor > worst) {
        worst = factor;
        thick = h;
        angle = atan(tangent) * 45 / atan(1);
        at = e;
      }
    }
    found += is;
  }
  free(extent);
  if (found) {
    const double *x = m->mesh->x + 3 * (int64_t)m->conn[8 * (int64_t)at];
    ig_warn_at(m->cx, &r->c->at,
               "%d elements are trapezoids across the thickness, which resist bending: at (%.4g, "
               "%.4g, %.4g) m, where the body is %.3g m thick, sides lean by %.2g degrees in "
               "opposite directions, and an element is about %.3g times too stiff; mesh with "
               "parallel sides there, or make elements shorter along the body",
               (int)found, x[0], x[1], x[2], thick, angle, worst);
  }
  return IG_OK;
}

/* An element is too long along one of its axes if its length is that of the thickness h of the
   body along another axis (0.7 h, or h if one element lies across), and if the body is slender
   there: four times longer than thick. The factor in the message is 1 + (G / E) (l / h)^2 with G
   / E = 1 / (2 + 2 nu). */
ig_status ig_stress_slender_warn(const ig_stress_run *r) {
  const ig_stress *m = r->m;
  double(*extent)[3] = NULL, worst = 0, length = 0, thick = 0;
  ig_lid found = 0, at = 0;
  if (m->type != IG_HEX8) /* tetrahedra of ten nodes bend */
    return IG_OK;
  if (r->c->element != IG_ELEMENT_BBAR)
    return trapezoids_warn(r);
  IG_TRY(extents_make(m, &extent));
  for (ig_lid e = 0; e < m->elements; e++) {
    const double own[3] = {element_length(m, e, 0), element_length(m, e, 1),
                           element_length(m, e, 2)};
    bool is = false;
    for (int i = 0; i < 9; i++) {
      const double h = extent[e][i / 3], l = own[i % 3];
      /* one cube across is for the manual to tell of: many parts have a wall like that somewhere */
      const double most = own[i / 3] > 0.99 * h ? 1.01 * h : 0.7 * h;
      if (i / 3 == i % 3 || l < most || extent[e][i % 3] < 4 * h)
        continue;
      is = true;
      if (l / h > worst) {
        worst = l / h;
        length = l;
        thick = h;
        at = e;
      }
    }
    found += is;
  }
  free(extent);
  if (found) {
    const double *x = m->mesh->x + 3 * (int64_t)m->conn[8 * (int64_t)at];
    ig_warn_at(
        m->cx, &r->c->at,
        "%d elements are too long for the body to bend there (%.3g m where it is %.3g m thick, "
        "at (%.4g, %.4g, %.4g) m): it is %.3g times too stiff in bending; take `element: "
        "assumed`, or make elements shorter along it, more of them across do not help",
        (int)found, length, thick, x[0], x[1], x[2],
        1 + worst * worst / (2 + 2 * m->material.poisson));
  }
  return IG_OK;
}
