/* Nastran bulk data: GRID, solids, shells, bars and rods, CORD2R; small, large and free fields,
   files included. A property becomes the element set property_N. */
#include "core/number.h"
#include "io/cell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { CARD = 64, FIELD = 24, SYSTEMS = 1024, DEPTH = 8 };

typedef struct {
  int64_t id;
  double origin[3], axis[3][3];
} coordinate_system;

typedef struct {
  ig_mesh_text t;
  ig_gather g;
  int depth;
  bool ended;
  /* the card being read: its fields after the name, trimmed */
  char name[FIELD], field[CARD][FIELD];
  int fields, line; /* line: where it begins */
  /* nodes whose place is in another system than the basic one */
  int64_t *placed; /* pairs: node, system */
  size_t placements, placed_capacity;
  int systems;
  coordinate_system system[SYSTEMS];
  int64_t passed;
  char passed_name[FIELD];
} nastran;

static ig_status card_fail(nastran *in, const char *what) {
  return IG_FAIL(in->t.cx, IG_INPUT, "%s:%d: %s: %s", in->t.path, in->line, in->name, what);
}

/* --- lines to cards */

static ig_status field_add(nastran *in, const char *from, const char *stop) {
  while (from < stop && (*from == ' ' || *from == '\t'))
    from++;
  while (stop > from && (stop[-1] == ' ' || stop[-1] == '\t'))
    stop--;
  if (stop - from >= FIELD)
    return card_fail(in, "a field is longer than any number");
  if (in->fields == CARD)
    return IG_OK; /* longer cards are none that is read */
  memcpy(in->field[in->fields], from, (size_t)(stop - from));
  in->field[in->fields++][stop - from] = '\0';
  return IG_OK;
}

/* The fields of one line behind its first one. */
static ig_status line_add(nastran *in, bool large) {
  const char *p = in->t.line, *end = in->t.line_end;
  const char *comma = memchr(p, ',', (size_t)(end - p));
  if (comma) {
    const int most = in->fields + (large ? 4 : 8); /* the tenth is a mark */
    for (p = comma + 1; in->fields < most; p = comma + 1) {
      comma = memchr(p, ',', (size_t)(end - p));
      IG_TRY(field_add(in, p, comma ? comma : end));
      if (!comma)
        break;
    }
    while (in->fields < most && in->fields < CARD) /* what is left out is blank */
      in->field[in->fields++][0] = '\0';
    return IG_OK;
  }
  const int width = large ? 16 : 8, count = large ? 4 : 8;
  p = end - p > 8 ? p + 8 : end;
  for (int i = 0; i < count; i++) {
    const char *stop = end - p > width ? p + width : end;
    IG_TRY(field_add(in, p, stop));
    p = stop;
  }
  return IG_OK;
}

static bool is_comment(const ig_mesh_text *t) {
  const char *p = t->line;
  while (p < t->line_end && (*p == ' ' || *p == '\t'))
    p++;
  return p == t->line_end || *p == '$';
}

/* Whether the next line goes on with the card: it begins with a blank, '+', '*' or a comma. */
static bool goes_on(const nastran *in) {
  const char *p = in->t.next;
  if (p >= in->t.end || !*p || !strchr(" +*,", *p))
    return false;
  while (p < in->t.end && (*p == ' ' || *p == '\t'))
    p++;
  return p < in->t.end && *p != '\n' && *p != '\r' && *p != '$';
}

/* The card that begins in the current line; a comment is cut off. */
static ig_status card_read(nastran *in) {
  const char *p = in->t.line;
  in->line = in->t.number;
  in->fields = 0;
  char *mark = memchr(in->t.line, '$', (size_t)(in->t.line_end - in->t.line));
  in->t.line_end = mark ? mark : in->t.line_end;
  int n = 0;
  while (p < in->t.line_end && n < 8 && *p != ',' && *p != ' ' && *p != '\t')
    in->name[n++] = *p++;
  const bool large = n > 0 && in->name[n - 1] == '*';
  in->name[large ? n - 1 : n] = '\0';
  IG_TRY(line_add(in, large));
  while (goes_on(in)) {
    ig_text_line(&in->t);
    mark = memchr(in->t.line, '$', (size_t)(in->t.line_end - in->t.line));
    in->t.line_end = mark ? mark : in->t.line_end;
    IG_TRY(line_add(in, *in->t.line == '*'));
  }
  return IG_OK;
}

/* --- fields to numbers */

static ig_status int_at(nastran *in, int i, int64_t otherwise, int64_t *value) {
  char *end;
  const char *text = i < in->fields ? in->field[i] : "";
  *value = otherwise;
  if (!*text)
    return IG_OK;
  *value = strtoll(text, &end, 10);
  return *end ? IG_FAIL(in->t.cx, IG_INPUT, "%s:%d: %s: '%s' is no whole number", in->t.path,
                        in->line, in->name, text)
              : IG_OK;
}

/* "1.5", "1.5E-3", "1.5D-3", and "1.5-3", which means the same. */
static ig_status real_at(nastran *in, int i, double *value) {
  const char *text = i < in->fields ? in->field[i] : "";
  char copy[FIELD + 2];
  size_t n = 0;
  *value = 0;
  if (!*text)
    return IG_OK;
  bool exponent = false;
  for (const char *p = text; *p; p++) {
    const bool letter = strchr("eEdD", *p) != NULL;
    if ((*p == '+' || *p == '-') && p > text && !exponent) {
      copy[n++] = 'e';
      exponent = true;
    }
    copy[n++] = letter ? 'e' : *p;
    exponent |= letter;
  }
  copy[n] = '\0';
  char *end;
  *value = ig_decimal_read(copy, &end);
  return *end || end == copy || !isfinite(*value)
             ? IG_FAIL(in->t.cx, IG_INPUT, "%s:%d: %s: '%s' is no number", in->t.path, in->line,
                       in->name, text)
             : IG_OK;
}

/* --- cards */

static ig_status grid_read(nastran *in) {
  int64_t id, system;
  double x[3];
  bool twice;
  IG_TRY(int_at(in, 0, 0, &id));
  IG_TRY(int_at(in, 1, 0, &system));
  for (int d = 0; d < 3; d++)
    IG_TRY(real_at(in, 2 + d, &x[d]));
  if (id < 1 || id > IG_ID_MASK)
    return card_fail(in, "expected a number from 1");
  IG_TRY(ig_gather_node(&in->g, id, x, &twice));
  if (twice)
    return card_fail(in, "this node is defined twice");
  if (system == 0)
    return IG_OK;
  if (in->placements == in->placed_capacity) {
    const size_t capacity = 2 * in->placed_capacity + 256;
    int64_t *more = realloc(in->placed, 2 * capacity * sizeof *more);
    if (!more)
      return IG_FAIL(in->t.cx, IG_MEMORY, "no memory for nodes");
    in->placed = more;
    in->placed_capacity = capacity;
  }
  in->placed[2 * in->placements] = in->g.nodes - 1;
  in->placed[2 * in->placements++ + 1] = system;
  return IG_OK;
}

/* CORD2R: origin, a point on z, a point in the plane of x and z. */
static ig_status system_read(nastran *in) {
  int64_t base;
  double p[9];
  if (in->systems == SYSTEMS)
    return card_fail(in, "too many coordinate systems");
  coordinate_system *s = &in->system[in->systems];
  IG_TRY(int_at(in, 0, 0, &s->id));
  IG_TRY(int_at(in, 1, 0, &base));
  for (int i = 0; i < 9; i++)
    IG_TRY(real_at(in, 2 + i, &p[i]));
  if (base != 0)
    return card_fail(in, "a coordinate system within another is not read");
  double length = 0, along = 0;
  for (int d = 0; d < 3; d++) {
    s->origin[d] = p[d];
    s->axis[2][d] = p[3 + d] - p[d];
    length += s->axis[2][d] * s->axis[2][d];
  }
  for (int d = 0; d < 3; d++) {
    s->axis[2][d] /= sqrt(length);
    along += s->axis[2][d] * (p[6 + d] - p[d]);
  }
  length = 0;
  for (int d = 0; d < 3; d++) {
    s->axis[0][d] = p[6 + d] - p[d] - along * s->axis[2][d];
    length += s->axis[0][d] * s->axis[0][d];
  }
  for (int d = 0; d < 3; d++)
    s->axis[0][d] /= sqrt(length);
  if (!(length > 0) || !isfinite(s->axis[2][0]) || !isfinite(s->axis[0][0]))
    return card_fail(in, "its points lie on a line");
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    s->axis[1][d] = s->axis[2][e] * s->axis[0][f] - s->axis[2][f] * s->axis[0][e];
  }
  in->systems++;
  return IG_OK;
}

static const struct {
  const char *name;
  int nodes[2], code[2]; /* linear; quadratic */
} kinds[] = {
    {"CHEXA", {8, 20}, {IG_HEX8, IG_CELL_HEX20}},
    {"CPENTA", {6, 15}, {IG_WEDGE6, IG_CELL_WEDGE15}},
    {"CTETRA", {4, 10}, {IG_TET4, IG_TET10}},
    {"CPYRAM", {5, 13}, {IG_PYRAMID5, IG_CELL_PYRAMID13}},
    {"CPYRA", {5, 13}, {IG_PYRAMID5, IG_CELL_PYRAMID13}},
    {"CQUAD4", {4, 4}, {IG_QUAD4, IG_QUAD4}},
    {"CQUADR", {4, 4}, {IG_QUAD4, IG_QUAD4}},
    {"CQUAD8", {4, 8}, {IG_QUAD4, IG_CELL_QUAD8}},
    {"CTRIA3", {3, 3}, {IG_TRI3, IG_TRI3}},
    {"CTRIAR", {3, 3}, {IG_TRI3, IG_TRI3}},
    {"CTRIA6", {3, 6}, {IG_TRI3, IG_TRI6}},
    {"CBAR", {2, 2}, {IG_BEAM2, IG_BEAM2}},
    {"CBEAM", {2, 2}, {IG_BEAM2, IG_BEAM2}},
    {"CROD", {2, 2}, {IG_BEAM2, IG_BEAM2}},
    {"CTUBE", {2, 2}, {IG_BEAM2, IG_BEAM2}},
};

static ig_status element_read(nastran *in, int kind) {
  int64_t id, property, node[IG_CELL_MOST_NODES] = {0};
  bool twice;
  int whole = 1;
  IG_TRY(int_at(in, 0, 0, &id));
  IG_TRY(int_at(in, 1, 0, &property));
  for (int i = 0; i < kinds[kind].nodes[1]; i++) {
    int64_t one = 0;
    if (i < kinds[kind].nodes[0] || in->fields > 2 + kinds[kind].nodes[0])
      IG_TRY(int_at(in, 2 + i, 0, &one));
    node[i] = one;
    if (one < 1 && i < kinds[kind].nodes[0])
      return card_fail(in, "a corner is missing");
    whole = whole && one > 0; /* mid-side nodes may be left out: then the corners hold */
  }
  if (id < 1 || id > IG_ID_MASK || property < 0 || property > INT32_MAX)
    return card_fail(in, "expected an element's number and a property");
  IG_TRY(ig_gather_cell(&in->g, id, kinds[kind].code[whole], (int32_t)property, node, &twice));
  if (twice)
    return card_fail(in, "this element is defined twice");
  if (property == 0)
    return IG_OK;
  char name[32];
  snprintf(name, sizeof name, "property_%lld", (long long)property);
  ig_group *set = ig_gather_group(&in->g, name, strlen(name), IG_SET_ELEMENTS);
  if (!set)
    return card_fail(in, "too many properties");
  return ig_gather_member(&in->g, set, id, 0);
}

static ig_status nastran_read(nastran *in);

static ig_status include_read(nastran *in) {
  char *from = in->t.line + 7, *stop = in->t.line_end;
  ig_mesh_text outer;
  while (from < stop && strchr(" '\"", *from))
    from++;
  while (stop > from && strchr(" '\"", stop[-1]))
    stop--;
  IG_TRY(ig_text_enter(&in->t, from, (int)(stop - from), in->depth, &outer));
  in->depth++;
  const ig_status status = nastran_read(in);
  in->depth--;
  ig_text_leave(&in->t, &outer);
  return status;
}

static ig_status bulk_line(nastran *in) {
  if (strncasecmp(in->t.line, "INCLUDE", 7) == 0)
    return include_read(in);
  IG_TRY(card_read(in));
  if (strcasecmp(in->name, "ENDDATA") == 0)
    in->ended = true;
  if (strcasecmp(in->name, "GRID") == 0)
    return grid_read(in);
  if (strcasecmp(in->name, "CORD2R") == 0)
    return system_read(in);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcasecmp(in->name, kinds[k].name) == 0)
      return element_read(in, (int)k);
  /* springs, masses, rigid elements, and others that join nodes */
  if (strncasecmp(in->name, "CELAS", 5) == 0 || strncasecmp(in->name, "CONM", 4) == 0 ||
      strncasecmp(in->name, "RBE", 3) == 0 || strncasecmp(in->name, "CBUSH", 5) == 0 ||
      strcasecmp(in->name, "CONROD") == 0 || strncasecmp(in->name, "CSHEAR", 6) == 0 ||
      strncasecmp(in->name, "CTRIAX", 6) == 0 || strncasecmp(in->name, "CQUADX", 6) == 0) {
    in->passed++;
    memcpy(in->passed_name, in->name, sizeof in->name);
  }
  return IG_OK;
}

static ig_status nastran_read(nastran *in) {
  while (!in->ended && ig_text_line(&in->t))
    if (!is_comment(&in->t))
      IG_TRY(bulk_line(in));
  return IG_OK;
}

/* What stands before BEGIN BULK is no bulk data; a file without it is bulk data throughout. */
static void head_skip(ig_mesh_text *t) {
  const ig_mesh_text start = *t;
  while (ig_text_line(t)) {
    const char *p = t->line;
    if (strncasecmp(p, "BEGIN", 5) == 0 && t->line_end - p >= 10) {
      p += 5;
      while (p < t->line_end && (*p == ' ' || *p == '\t'))
        p++;
      if (strncasecmp(p, "BULK", 4) == 0)
        return;
    }
  }
  *t = start;
}

static ig_status nodes_place(nastran *in) {
  for (size_t i = 0; i < in->placements; i++) {
    const coordinate_system *s = NULL;
    for (int k = 0; k < in->systems && !s; k++)
      s = in->system[k].id == in->placed[2 * i + 1] ? &in->system[k] : NULL;
    if (!s)
      return IG_FAIL(in->t.cx, IG_INPUT,
                     "%s: a node is placed in coordinate system %lld, which is no CORD2R of this "
                     "file",
                     in->t.path, (long long)in->placed[2 * i + 1]);
    double *x = &in->g.x[3 * in->placed[2 * i]], y[3];
    for (int d = 0; d < 3; d++)
      y[d] = s->origin[d] + x[0] * s->axis[0][d] + x[1] * s->axis[1][d] + x[2] * s->axis[2][d];
    memcpy(x, y, sizeof y);
  }
  return IG_OK;
}

ig_status ig_mesh_read_nastran(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                               ig_mesh **mesh) {
  nastran *in;
  *mesh = NULL;
  IG_TRY(IG_NEW(cx, &in, 1, "Nastran bulk data"));
  in->g = (ig_gather){.cx = cx, .split = options->split};
  ig_status status = ig_text_open(cx, path, &in->t);
  if (status == IG_OK) {
    head_skip(&in->t);
    status = nastran_read(in);
  }
  if (status == IG_OK)
    status = nodes_place(in);
  if (status == IG_OK)
    status = ig_gather_mesh(&in->g, path, true, mesh);
  if (status == IG_OK && in->passed)
    ig_warn(cx, "%s: %lld springs, masses, rigid and other elements (the last: %s) are passed over",
            path, (long long)in->passed, in->passed_name);
  ig_text_close(&in->t);
  ig_gather_free(&in->g);
  free(in->placed);
  free(in);
  return status;
}
