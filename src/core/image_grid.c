/* Rows of the arrays of a regular grid follow from their numbers. */
#include "core/image_grid.h"

#include <string.h>

enum { CORNERS = 8, HEXAHEDRON = 12 }; /* VTK's */

/* The place of an item among `n` along each axis. */
static void place_of(const int64_t *n, int64_t item, int64_t at[3]) {
  at[0] = item % n[0];
  at[1] = item / n[0] % n[1];
  at[2] = item / n[0] / n[1];
}
/* The next one's. */
static void place_next(const int64_t *n, int64_t at[3]) {
  if (++at[0] < n[0])
    return;
  at[0] = 0;
  if (++at[1] < n[1])
    return;
  at[1] = 0;
  at[2]++;
}

static void points_make(const ig_image_grid *g, int64_t from, int64_t rows, double *x) {
  int64_t at[3];
  place_of(g->nodes, from, at);
  for (int64_t i = 0; i < rows; i++, place_next(g->nodes, at))
    for (int d = 0; d < 3; d++)
      *x++ = g->origin[d] + (double)at[d] * g->spacing[d];
}

/* VTK's hexahedron goes round its lower face, then round the upper one. */
static void corners_make(const ig_image_grid *g, int64_t from, int64_t rows, int64_t *corner) {
  const int64_t nx = g->nodes[0], plane = nx * g->nodes[1];
  const int64_t step[CORNERS] = {0, 1, nx + 1, nx, plane, plane + 1, plane + nx + 1, plane + nx};
  const int64_t cells[3] = {nx - 1, g->nodes[1] - 1, g->nodes[2] - 1};
  int64_t at[3];
  place_of(cells, from / CORNERS, at);
  for (int64_t i = from; i < from + rows; i++) {
    *corner++ = at[0] + nx * at[1] + plane * at[2] + step[i % CORNERS];
    if (i % CORNERS == CORNERS - 1)
      place_next(cells, at);
  }
}

void ig_image_rows(const ig_image_grid *g, ig_grid_array array, int64_t from, int64_t rows,
                   void *to) {
  switch (array) {
  case IG_GRID_POINTS:
    points_make(g, from, rows, to);
    return;
  case IG_GRID_CORNERS:
    corners_make(g, from, rows, to);
    return;
  case IG_GRID_OFFSETS:
    for (int64_t i = 0; i < rows; i++)
      ((int64_t *)to)[i] = CORNERS * (from + i);
    return;
  case IG_GRID_TYPES:
    memset(to, HEXAHEDRON, (size_t)rows);
    return;
  }
}
