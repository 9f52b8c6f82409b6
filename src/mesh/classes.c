/* Classes of congruent elements: elements whose node offsets from their first node agree within
   1e-9 of the element's size. A mesh from a grid has one class, so element matrices need to be
   computed and stored once.

   The search is a hash table. Rounding must not separate equal elements, so the key has only two
   numbers: the size (on a log scale) and a fixed linear combination of the offsets divided by the
   size. Both are divided into cells; an element near the edge of a cell also looks into the next
   one. Candidates are then compared offset by offset. Cost: linear in the elements. */
#include "mesh/topology.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of the largest element type (hexahedron of 20 nodes). */
enum { MOST_NODES = 20 };
#define TOLERANCE 1e-9
/* Width of the cells of the hash key: wide compared with the tolerance, so that an element rarely
   looks into two cells; narrow compared with the variety of shapes. */
#define CELL 1e-6 /* wide against the tolerance, narrow against shapes */

/* An element as it is compared: offsets of nodes 1 to npe - 1 from node 0, their 1-norm, and the
   two numbers of the key. */
typedef struct {
  double offset[3 * MOST_NODES];
  double size, log_size, blend;
} shape;

/* The shape of an element: its nodes relative to the first, and the sum of their magnitudes as its
   size, m. */
static void offsets_of(const double *x, const ig_lid *conn, int npe, shape *s) {
  s->size = 0;
  for (int a = 1; a < npe; a++)
    for (int d = 0; d < 3; d++) {
      const double v = x[3 * (size_t)conn[a] + (size_t)d] - x[3 * (size_t)conn[0] + (size_t)d];
      s->offset[3 * (a - 1) + d] = v;
      s->size += fabs(v);
    }
}

/* The blend is one number by which most different shapes are distinguished before all offsets are
   compared. */
static void shape_of(const double *x, const ig_lid *conn, int npe, shape *s) {
  offsets_of(x, conn, npe, s);
  s->blend = 0;
  /* Weights between 1 and 2 from a linear congruential generator (the constants of Numerical
     Recipes): any fixed weights do that do not map different shapes of a mesh to one number. */
  uint32_t weight = 1;
  for (int i = 0; i < 3 * (npe - 1); i++) {
    weight = weight * 1664525u + 1013904223u;
    s->blend += s->offset[i] * (1 + weight / 4294967296.0);
  }
  s->log_size = s->size > 0 ? log(s->size) : 0;
  s->blend = s->size > 0 ? s->blend / s->size : 0;
}

/* All offsets within the tolerance. Written as a negated comparison, so that NaN is not
   congruent. */
static bool congruent(const shape *s, const shape *t, int npe) {
  for (int i = 0; i < 3 * (npe - 1); i++)
    if (!(fabs(s->offset[i] - t->offset[i]) <= TOLERANCE * s->size))
      return false;
  return true;
}

/* Two odd multipliers and a final mix; quality only affects speed. */
static uint64_t cell_hash(int64_t a, int64_t b) {
  uint64_t h = (uint64_t)a * 0x9e3779b97f4a7c15u ^ (uint64_t)b * 0xc2b2ae3d27d4eb4fu;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return h ^ h >> 32;
}

/* Open addressing with linear probing; at most half full, so a probe ends soon. */
typedef struct {
  ig_lid *slot; /* class + 1 */
  uint64_t mask;
} table;

/* 4 tolerances: errors of the offsets add up in size and blend. */
static ig_lid find(const table *t, const ig_classes *classes, const double *x, int npe,
                   const ig_lid *conn, const shape *s) {
  const double reach = 4 * TOLERANCE;
  const int64_t size_low = (int64_t)floor((s->log_size - reach) / CELL);
  const int64_t size_high = (int64_t)floor((s->log_size + reach) / CELL);
  const int64_t blend_low = (int64_t)floor((s->blend - reach) / CELL);
  const int64_t blend_high = (int64_t)floor((s->blend + reach) / CELL);
  /* One cell almost always; two or four where a number is within `reach` of a cell's edge. */
  for (int64_t a = size_low; a <= size_high; a++)
    for (int64_t b = blend_low; b <= blend_high; b++)
      for (uint64_t h = cell_hash(a, b) & t->mask; t->slot[h]; h = (h + 1) & t->mask) {
        const ig_lid c = t->slot[h] - 1;
        shape other;
        shape_of(x, conn + (size_t)classes->representative[c] * (size_t)npe, npe, &other);
        if (congruent(s, &other, npe))
          return c;
      }
  return -1;
}

/* Open addressing; the table is at most half full, so that a free place always comes. */
static void insert(const table *t, const shape *s, ig_lid c) {
  uint64_t h =
      cell_hash((int64_t)floor(s->log_size / CELL), (int64_t)floor(s->blend / CELL)) & t->mask;
  while (t->slot[h])
    h = (h + 1) & t->mask;
  t->slot[h] = c + 1;
}

/* Whether all elements are congruent to the first. The common case of a structured grid; parallel
   and without the table. */
static bool all_alike(ig_ctx *cx, const double *x, ig_lid elements, int npe, const ig_lid *conn) {
  if (elements == 0)
    return false;
  shape first;
  shape_of(x, conn, npe, &first);
  bool alike = true;
#pragma omp parallel for num_threads(ig_team(cx, elements, IG_WORK_ELEMENT)) schedule(static)
  for (ig_lid e = 1; e < elements; e++) {
    bool on;
#pragma omp atomic read
    on = alike;
    shape s;
    if (!on)
      continue;
    offsets_of(x, conn + (size_t)e * (size_t)npe, npe, &s);
    if (!congruent(&s, &first, npe)) {
#pragma omp atomic write
      alike = false;
    }
  }
  return alike;
}

/* Sequential apart from all_alike: the class numbers are those of the first occurrence, in element
   order, so they do not depend on threads. */
ig_status ig_mesh_classes(ig_ctx *cx, const double *x, ig_lid elements, int npe, const ig_lid *conn,
                          ig_classes *classes) {
  memset(classes, 0, sizeof *classes);
  if (npe < 1 || npe > MOST_NODES)
    return IG_FAIL(cx, IG_ARG, "elements of %d nodes: expected 1 to %d", npe, MOST_NODES);
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_TOPOLOGY);
  table t = {.mask = 255};
  const bool alike = all_alike(cx, x, elements, npe, conn);
  while (!alike && t.mask < 2 * (uint64_t)elements)
    t.mask = 2 * t.mask + 1;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &t.slot, t.mask + 1, "element classes"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &classes->of, elements, "element classes"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &classes->representative, elements, "element classes"));
  shape last = {.size = -1};
  classes->count = alike; /* `of` and its representative are 0 */
  for (ig_lid e = 0; e < elements && !alike; e++) {
    shape s;
    shape_of(x, conn + (size_t)e * (size_t)npe, npe, &s);
    ig_lid c = e > 0 && congruent(&s, &last, npe) ? classes->of[e - 1]
                                                  : find(&t, classes, x, npe, conn, &s);
    if (c < 0) {
      c = classes->count++;
      classes->representative[c] = e;
      insert(&t, &s, c);
    }
    classes->of[e] = c;
    /* The comparison is with the class's first element: along a chain of near equals the shape
       could drift away from it. */
    if (e == 0 || c != classes->of[e - 1])
      shape_of(x, conn + (size_t)classes->representative[c] * (size_t)npe, npe, &last);
  }
  /* There may be as many classes as elements, but usually there are few: the rest of the array is
     returned. Failure of a shrinking realloc is harmless. */
  ig_lid *tight = realloc(classes->representative,
                          (size_t)(classes->count ? classes->count : 1) * sizeof *tight);
  classes->representative = tight ? tight : classes->representative;
done:
  free(t.slot);
  ig_phase_end(cx, former);
  if (status != IG_OK)
    ig_classes_free(classes);
  return status;
}

/* Safe with zeroed members. */
void ig_classes_free(ig_classes *classes) {
  free(classes->of);
  free(classes->representative);
  memset(classes, 0, sizeof *classes);
}
