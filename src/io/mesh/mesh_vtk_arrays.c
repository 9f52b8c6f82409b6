/* Arrays of grids as VTK's files contain them: they grow piece by piece. */
#include "io/format/vtk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The grid itself belongs to the caller, and can be filled again. */
void ig_vtk_free(ig_vtk_grid *g) {
  free(g->point);
  free(g->corner);
  free(g->offset);
  free(g->type);
  for (int i = 0; i < g->fields; i++)
    free(g->field[i].value);
  g->fields = 0;
}

/* Grows an array and clears the new part. The limit keeps products of counts and sizes in range. */
static ig_status more_of(ig_ctx *cx, void **p, int64_t have, int64_t more, size_t size) {
  char *q = have + more <= INT32_MAX * INT64_C(64)
                ? realloc(*p, (size_t)(have + more ? have + more : 1) * size)
                : NULL;
  if (!q)
    return IG_FAIL(cx, IG_MEMORY, "no memory for %lld points or cells", (long long)(have + more));
  memset(q + (size_t)have * size, 0, (size_t)more * size);
  *p = q;
  return IG_OK;
}

/* offset has cells + 1 entries: one more when the first cells come. */
ig_status ig_vtk_grow(ig_vtk_grid *g, int64_t points, int64_t cells, int64_t corners) {
  const bool first = !g->offset;
  if (g->points + points > INT32_MAX || g->cells + cells > INT32_MAX / 2)
    return IG_FAIL(g->cx, IG_INPUT, "%lld points and %lld cells are more than can be numbered",
                   (long long)(g->points + points), (long long)(g->cells + cells));
  IG_TRY(more_of(g->cx, (void **)&g->point, 3 * g->points, 3 * points, sizeof *g->point));
  IG_TRY(more_of(g->cx, (void **)&g->corner, g->corners, corners, sizeof *g->corner));
  IG_TRY(more_of(g->cx, (void **)&g->offset, first ? 0 : g->cells + 1, cells + first,
                 sizeof *g->offset));
  IG_TRY(more_of(g->cx, (void **)&g->type, g->cells, cells, sizeof *g->type));
  g->points += points;
  g->cells += cells;
  g->corners += corners;
  return IG_OK;
}

/* Pieces append to the field of the same name. A set that cannot be kept is an error, another field
   is ignored. The array of a field, extended where a further piece of the file has the same one.
   *value NULL: the field is not of use and can be passed over. */
ig_status ig_vtk_field_add(ig_vtk_grid *g, const char *name, bool at_points, int64_t count,
                           int64_t **value) {
  int i = 0;
  *value = NULL;
  while (i < g->fields &&
         !(g->field[i].at_points == at_points && strcmp(g->field[i].name, name) == 0))
    i++;
  if (i == IG_VTK_FIELDS || strlen(name) >= sizeof g->field[i].name)
    return strncmp(name, "nodes:", 6) == 0 || strncmp(name, "elements:", 9) == 0 ||
                   strncmp(name, "faces:", 6) == 0
               ? IG_FAIL(g->cx, IG_INPUT,
                         "set '%.60s…': expected names of less than 54 letters, at "
                         "most %d sets",
                         name, IG_VTK_FIELDS)
               : IG_OK;
  ig_vtk_field *f = &g->field[i];
  if (i == g->fields) {
    *f = (ig_vtk_field){.at_points = at_points};
    snprintf(f->name, sizeof f->name, "%s", name);
    g->fields++;
  }
  IG_TRY(more_of(g->cx, (void **)&f->value, f->count, count, sizeof *f->value));
  *value = f->value + f->count;
  f->count += count;
  return IG_OK;
}
