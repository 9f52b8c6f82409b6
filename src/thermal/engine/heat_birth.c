/* The order of births, and the faces that each event covers and exposes. Cells are renumbered by
   time of birth, then by number. So "there" is always a range [0, now.elements), kernels need no
   mask of active elements, and arrays of elements that are not there yet are never touched. */
#include "core/threads.h"
#include "thermal/engine/heat_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* qsort is not stable, so the number decides between equal times: the order must be the same on
   every machine and rank. */
typedef struct {
  double birth;
  ig_lid element;
} born;
static int by_birth(const void *a, const void *b) {
  const born *p = a, *q = b;
  if (p->birth != q->birth)
    return p->birth < q->birth ? -1 : 1;
  return (p->element > q->element) - (p->element < q->element);
}

/* Events of a whole mesh: runs of equal times. birth: cells in their order; those before `at_start`
   are there from the start (event 0). `mesh` counts elements of the mesh where an element is
   several cells. */
static ig_status events_find(ig_ctx *cx, const double *birth, ig_lid at_start, const ig_lid *parent,
                             ig_heat *h) {
  ig_heat_births *b = &h->birth;
  const ig_lid end = h->elements - b->never;
  int events = 1;
  for (ig_lid e = at_start; e < end; e++)
    events += e == at_start || birth[e] != birth[e - 1];
  IG_TRY(IG_NEW(cx, &b->time, events, "births"));
  IG_TRY(IG_NEW(cx, &b->start, (size_t)events + 1, "births"));
  IG_TRY(IG_NEW(cx, &b->mesh, (size_t)events + 1, "births"));
  b->whole = b->start;
  b->time[0] = -INFINITY;
  b->events = 1;
  for (ig_lid e = at_start; e < end; e++)
    if (e == at_start || birth[e] != birth[e - 1]) {
      b->time[b->events] = birth[e];
      b->start[b->events++] = e;
    }
  b->start[b->events] = end;
  memcpy(b->mesh, b->start, ((size_t)events + 1) * sizeof *b->mesh);
  if (ig_mesh_elements(h->mesh) == h->elements) /* each is a cell */
    return IG_OK;
  for (int i = 0; i < events; i++) { /* the cells of an element follow each other */
    b->mesh[i + 1] = b->mesh[i];
    for (ig_lid e = b->start[i]; e < b->start[i + 1]; e++)
      b->mesh[i + 1] += e == 0 || parent[b->order[e]] != parent[b->order[e - 1]];
  }
  return IG_OK;
}

/* Events of the whole; which elements of the part come with them. birth: NULL: all are there. */
static ig_status events_take(ig_ctx *cx, const ig_heat_births *whole, const double *birth,
                             ig_heat *h) {
  ig_heat_births *b = &h->birth;
  const size_t count = (size_t)whole->events + 1;
  const ig_lid end = h->elements - b->never;
  IG_TRY(IG_NEW(cx, &b->time, whole->events, "births"));
  IG_TRY(IG_NEW(cx, &b->start, count, "births"));
  IG_TRY(IG_NEW(cx, &b->whole, count, "births"));
  IG_TRY(IG_NEW(cx, &b->mesh, count, "births"));
  memcpy(b->time, whole->time, (count - 1) * sizeof *b->time);
  memcpy(b->whole, whole->start, count * sizeof *b->whole);
  memcpy(b->mesh, whole->mesh, count * sizeof *b->mesh);
  b->events = whole->events;
  ig_lid at = 0;
  for (int i = 0; i < b->events; i++) {
    b->start[i] = at;
    while (at < end && (!birth || birth[at] == b->time[i]))
      at++;
  }
  b->start[b->events] = at;
  return IG_OK;
}

/* Cells sorted by birth, as numbers of cells; those never born go last and are left out of the
 * events. */
ig_status ig_heat_births_sort(ig_ctx *cx, const ig_heat_setup *setup, const ig_heat *whole,
                              const ig_lid *parent, ig_heat *h) {
  const ig_lid n = h->elements;
  h->birth.of = setup->birth;
  IG_TRY(IG_NEW(cx, &h->birth.order, n, "birth order"));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (ig_lid e = 0; e < n; e++)
    h->birth.order[e] = e;
  ig_lid at_start = n;
  double *birth = NULL;
  if (setup->birth) {
    born *sorted;
    IG_TRY(IG_NEW(cx, &sorted, n, "birth order"));
    for (ig_lid e = 0; e < n; e++)
      sorted[e] = (born){setup->birth[parent[e]], e};
    qsort(sorted, (size_t)n, sizeof *sorted, by_birth);
    const ig_status status = IG_NEW(cx, &birth, n, "births");
    for (ig_lid e = 0; e < n && status == IG_OK; e++) {
      h->birth.order[e] = sorted[e].element;
      birth[e] = sorted[e].birth;
    }
    free(sorted);
    IG_TRY(status);
    at_start = 0;
    while (at_start < n && birth[at_start] == -INFINITY)
      at_start++;
    while (h->birth.never < n && birth[n - 1 - h->birth.never] == INFINITY)
      h->birth.never++;
  }
  const ig_status status = whole ? events_take(cx, &whole->birth, birth, h)
                                 : events_find(cx, birth, at_start, parent, h);
  free(birth);
  return status;
}

/* The event element e (birth order) is born with; `events` if never. */
int ig_heat_event_of(const ig_heat *h, ig_lid e) {
  int low = 0, high = h->birth.events;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (h->birth.start[middle + 1] <= e)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Covers and exposes faces as the elements of the next event arrive. */
void ig_heat_event_expose(ig_ctx *cx, ig_heat *h) {
  const int event = ++h->next.event;
  const ig_lid begin = h->birth.start[event], end = h->birth.start[event + 1];
  h->next.elements = end;
  if (h->face.start)
    h->next.faces = h->face.start[event + 1];
  ig_lid nodes = h->next.nodes;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, end - begin, IG_WORK_NODE))      \
    reduction(max                                                                                  \
              : nodes)
  for (ig_lid e = begin; e < end; e++) { /* a face has one neighbour: no two write the same */
    for (int f = 0; f < 6; f++) {
      const int64_t at = 6 * (int64_t)e + f;
      const ig_lid other = h->face.neighbor ? h->face.neighbor[at] : -1;
      h->face.exposed[at] = other >= 0 && other < end ? 0 : h->face.kind[at];
      if (other >= 0 && other < begin)
        for (int g = 0; g < 6; g++)
          if (h->face.neighbor[6 * (int64_t)other + g] == e)
            h->face.exposed[6 * (int64_t)other + g] = 0;
    }
    for (int a = 0; a < 8; a++)
      nodes = ig_heat_conn(h, e)[a] >= nodes ? ig_heat_conn(h, e)[a] + 1 : nodes;
  }
  h->next.nodes = nodes;
}

/* Whether node a is nearer to n than b is. Distances that differ by rounding only are equal; then
   the lower place decides, first by z, then y, x. Numbers of nodes must not matter: a renumbered
   mesh and a part give the same donor. */
static bool donor_nearer(const ig_heat_neighbours *k, ig_lid n, ig_lid a, ig_lid b) {
  const double *at = k->point + 3 * (int64_t)n, *p = k->point + 3 * (int64_t)a,
               *q = k->point + 3 * (int64_t)b;
  double to_p = 0, to_q = 0;
  for (int d = 0; d < 3; d++) {
    to_p += (p[d] - at[d]) * (p[d] - at[d]);
    to_q += (q[d] - at[d]) * (q[d] - at[d]);
  }
  const double alike = 1e-9 * (to_p + to_q);
  if (fabs(to_p - to_q) > alike)
    return to_p < to_q;
  for (int d = 2; d >= 0; d--)
    if (fabs(p[d] - q[d]) > sqrt(alike))
      return p[d] < q[d];
  return false;
}

/* A new node looks for its donor in the elements born with it. Where all their nodes are new too (a
   layer more than one element thick), `deep` looks through those nodes, one level further. */
ig_lid ig_heat_donor(const ig_heat_neighbours *k, ig_lid n, ig_lid begin, ig_lid end, bool deep) {
  ig_lid donor = -1;
  for (ig_lid i = k->around->start[n]; i < k->around->start[n + 1]; i++) {
    const ig_lid e = k->around->item[i];
    if ((k->cell ? k->cell[e] : e) >= end)
      continue;
    for (int a = 0; a < 8; a++) {
      const ig_lid other = k->conn[8 * (int64_t)e + a];
      const ig_lid first = k->first ? k->first[other] : k->around->item[k->around->start[other]];
      ig_lid found = -1;
      if (first < begin)
        found = other;
      else if (deep && other != n)
        found = ig_heat_donor(k, other, begin, end, false);
      if (found >= 0 && found != donor && (donor < 0 || donor_nearer(k, n, found, donor)))
        donor = found;
    }
  }
  return donor;
}
