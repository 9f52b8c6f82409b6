/* Values that a program gives a case: numbers, texts, lists, a mesh. They are converted to text and
   set like any key, so there is one place that checks them. 17 significant digits reproduce a
   double exactly. */
#include "run/case.h"
#include "core/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number as a case file has it, with a decimal point in every locale. */
static int real_text(char *to, size_t size, double value) {
  return ig_format(to, size, "%.17g", value);
}

/* With all digits: what is read back is the same double. */
ig_status ig_case_set_real(ig_case *c, const char *key, double value) {
  char text[40];
  IG_TRY(ig_case_usable(c));
  if (!isfinite(value))
    return IG_FAIL(c->cx, IG_INPUT, "%s: %g is no number a case can hold", key ? key : "?", value);
  real_text(text, sizeof text, value);
  return ig_case_set(c, key, text);
}

/* As text, like every value of a case: one reader checks them all. */
ig_status ig_case_set_int(ig_case *c, const char *key, int64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, value);
  return ig_case_set(c, key, text);
}

/* Single-quoted YAML: the only escape is a doubled quote. A text that looks like a number stays a
   text. */
ig_status ig_case_set_text(ig_case *c, const char *key, const char *value) {
  IG_TRY(ig_case_usable(c));
  if (!value)
    return IG_FAIL(c->cx, IG_ARG, "%s: no text is given", key ? key : "?");
  char *text, *to;
  IG_TRY(ig_alloc(c->cx, (void **)&text, 2 * strlen(value) + 3, 1, "a value"));
  to = text;
  *to++ = '\'';
  for (; *value; value++) {
    if (*value == '\'')
      *to++ = '\'';
    *to++ = *value;
  }
  *to = '\'';
  const ig_status status = ig_case_set(c, key, text);
  free(text);
  return status;
}

ig_status ig_case_set_reals(ig_case *c, const char *key, const double *values, int count) {
  /* Bytes per number: 17 digits, sign, point, exponent and comma are at most 25. */
  enum { EACH = 32 };
  char *text;
  size_t at = 1;
  IG_TRY(ig_case_usable(c));
  if (count < 0 || (count > 0 && !values))
    return IG_FAIL(c->cx, IG_ARG, "%s: no numbers are given", key ? key : "?");
  IG_TRY(ig_alloc(c->cx, (void **)&text, (size_t)count * EACH + 3, 1, "values"));
  *text = '[';
  ig_status status = IG_OK;
  for (int i = 0; i < count && status == IG_OK; i++) {
    if (!isfinite(values[i]))
      status = IG_FAIL(c->cx, IG_INPUT, "%s: %g is no number a case can hold", key ? key : "?",
                       values[i]);
    if (i > 0)
      text[at++] = ',';
    at += (size_t)real_text(text + at, EACH, values[i]);
  }
  text[at] = ']';
  if (status == IG_OK)
    status = ig_case_set(c, key, text);
  free(text);
  return status;
}

/* A deep copy: coordinates, blocks with connectivity and tags, sets. On failure the caller frees
 *to. After a failure *to may be set and is the caller's to free. */
static ig_status mesh_copy(ig_ctx *cx, const ig_mesh *from, ig_mesh **to) {
  IG_TRY(ig_mesh_new(cx, from->dim, from->nodes, to));
  if (from->nodes)
    memcpy((*to)->x, from->x, 3 * sizeof(double) * (size_t)from->nodes);
  for (int b = 0; b < from->blocks; b++) {
    const ig_block *old = &from->block[b];
    const size_t nodes = (size_t)ig_elem_info_get(old->type)->nodes;
    ig_block *block;
    IG_TRY(ig_mesh_add_block(cx, *to, old->type, old->count, &block));
    if (old->count == 0)
      continue;
    memcpy(block->conn, old->conn, (size_t)old->count * nodes * sizeof *old->conn);
    memcpy(block->tag, old->tag, (size_t)old->count * sizeof *old->tag);
  }
  for (int i = 0; i < from->sets; i++) {
    const ig_set *old = &from->set[i];
    ig_set *set;
    IG_TRY(ig_mesh_add_set(cx, *to, old->name, old->kind, old->count, &set));
    if (old->count == 0)
      continue;
    memcpy(set->item, old->item, (size_t)old->count * sizeof *old->item);
    if (old->kind == IG_SET_FACES)
      memcpy(set->face, old->face, (size_t)old->count);
  }
  return IG_OK;
}

/* mesh NULL removes a mesh set before. The copy is made first, so a failure keeps the old mesh. */
ig_status ig_case_set_mesh(ig_case *c, const ig_mesh *mesh) {
  ig_mesh *copy = NULL;
  IG_TRY(ig_case_usable(c));
  if (mesh) {
    IG_TRY(ig_mesh_check(c->cx, mesh));
    const ig_status status = mesh_copy(c->cx, mesh, &copy);
    if (status != IG_OK) {
      ig_mesh_free(copy);
      return status;
    }
  }
  ig_mesh_free(c->mesh);
  c->mesh = copy;
  return IG_OK;
}

/* The case must have a mesh; *mesh is the caller's, NULL after a failure. */
ig_status ig_case_mesh_copy(const ig_case *c, ig_mesh **mesh) {
  *mesh = NULL;
  const ig_status status = mesh_copy(c->cx, c->mesh, mesh);
  if (status != IG_OK) {
    ig_mesh_free(*mesh);
    *mesh = NULL;
  }
  return status;
}
