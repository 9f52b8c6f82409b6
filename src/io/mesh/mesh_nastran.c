/* Reader of Nastran bulk data (MSC and NX Nastran quick reference): GRID, solids, shells, bars and
   rods, coordinate systems; small (8 columns), large (16 columns) and free (comma) fields,
   continuation lines, INCLUDE. A property becomes the element set property_N. */
#include "core/number.h"
#include "io/mesh/cell_types.h"
#include "io/mesh/nastran_place.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Fields of a card, bytes of a field, coordinate systems, columns of a line. */
enum { CARD = 64, FIELD = 40, SYSTEMS = 4096, WIDE = 160 };

/* State of the reader. */
typedef struct {
  ig_mesh_text t;
  ig_gather g;
  int depth;
  bool ended;
  /* the card being read: its fields after the name, trimmed */
  char name[FIELD], field[CARD][FIELD];
  int fields, line; /* line: where it begins */
  /* the coordinate system of each node; -1: as GRDSET says */
  int64_t *system_of, grdset;
  int systems;
  ig_nastran_system system[SYSTEMS];
  int64_t passed;
  char passed_name[FIELD];
} nastran;

/* Errors name the line in which the card begins. */
static ig_status card_fail(nastran *in, const char *what) {
  return IG_FAIL(in->t.cx, IG_INPUT, "%s:%d: %s: %s", in->t.path, in->line, in->name, what);
}

/* --- lines to cards */

/* Adds a trimmed field. One that is too long is cut, but stays longer than any number, so it fails
   later. */
static void field_add(nastran *in, const char *from, const char *stop) {
  while (from < stop && (*from == ' ' || *from == '\t'))
    from++;
  while (stop > from && (stop[-1] == ' ' || stop[-1] == '\t'))
    stop--;
  if (in->fields == CARD)
    return; /* longer cards are none that is read */
  const size_t length = stop - from < FIELD ? (size_t)(stop - from) : FIELD - 1;
  memcpy(in->field[in->fields], from, length);
  in->field[in->fields++][length] = '\0';
}

/* Fields of one line behind its first. Free format by commas; otherwise columns, with tabs expanded
   to multiples of 8. Free format has commas; fixed format has columns of 8 letters, or of 16 in
   large fields. The last field of a line is a mark of continuation and is left out. */
static void line_add(nastran *in, bool large) {
  const char *p = in->t.line, *end = in->t.line_end;
  const char *comma = memchr(p, ',', (size_t)(end - p));
  if (comma) {
    const int most = in->fields + (large ? 4 : 8); /* the tenth is a mark */
    for (p = comma + 1; in->fields < most && in->fields < CARD; p = comma + 1) {
      comma = memchr(p, ',', (size_t)(end - p));
      field_add(in, p, comma ? comma : end);
      if (!comma)
        break;
    }
    while (in->fields < most && in->fields < CARD) /* what is left out is blank */
      in->field[in->fields++][0] = '\0';
    return;
  }
  char wide[WIDE]; /* a tab goes to the next column of 8 */
  int n = 0;
  for (; p < end && n < WIDE - 8; p++)
    do
      wide[n++] = *p == '\t' ? ' ' : *p;
    while (*p == '\t' && n % 8);
  const int width = large ? 16 : 8, count = large ? 4 : 8;
  for (int i = 0, from = 8; i < count; i++, from += width)
    field_add(in, wide + (from < n ? from : n), wide + (from + width < n ? from + width : n));
}

/* Empty lines and those that begin with a dollar sign. */
static bool is_comment(const ig_mesh_text *t) {
  const char *p = t->line;
  while (p < t->line_end && (*p == ' ' || *p == '\t'))
    p++;
  return p == t->line_end || *p == '$';
}

/* Whether the next line that is not a comment continues the card: it begins with a blank, '+', '*'
   or a comma. Comments before it are skipped only then. */
static bool goes_on(nastran *in) {
  ig_mesh_text ahead = in->t, before = in->t;
  while (ig_text_line(&ahead) && is_comment(&ahead))
    before = ahead;
  if (ahead.line == in->t.line || is_comment(&ahead) || !strchr(" \t+*,", *ahead.line))
    return false;
  in->t = before;
  return true;
}

static void comment_cut(ig_mesh_text *t) {
  char *mark = memchr(t->line, '$', (size_t)(t->line_end - t->line));
  t->line_end = mark ? mark : t->line_end;
}

/* Reads the card that begins in the current line, with its continuations. A name that ends in '*'
   means large fields. */
static void card_read(nastran *in) {
  in->line = in->t.number;
  in->fields = 0;
  comment_cut(&in->t);
  const char *p = in->t.line;
  int n = 0;
  while (p < in->t.line_end && n < 8 && *p != ',' && *p != ' ' && *p != '\t')
    in->name[n++] = *p++;
  const bool large = n > 0 && in->name[n - 1] == '*';
  in->name[large ? n - 1 : n] = '\0';
  line_add(in, large);
  while (goes_on(in)) {
    ig_text_line(&in->t);
    comment_cut(&in->t);
    line_add(in, *in->t.line == '*');
  }
}

/* --- fields to numbers */

/* An empty or missing field takes the value `otherwise`. */
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

/* Real numbers of Nastran: "1.5", "1.5E-3", "1.5D-3" and "1.5-3", where the sign alone starts the
   exponent. Nastran writes exponents without a letter, 1.5-3 for 1.5e-3, or with D: both become
   what strtod reads. Empty fields are zero. */
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

/* The coordinate system of a node is applied at the end, when all systems are known. A repeated
   identical node is accepted. */
static ig_status grid_read(nastran *in) {
  int64_t id, system;
  double x[3];
  bool twice;
  IG_TRY(int_at(in, 0, 0, &id));
  IG_TRY(int_at(in, 1, -1, &system));
  for (int d = 0; d < 3; d++)
    IG_TRY(real_at(in, 2 + d, &x[d]));
  if (id < 1 || id > IG_ID_MASK)
    return card_fail(in, "expected a number from 1");
  IG_TRY(ig_mesh_build_node(&in->g, id, x, &twice));
  if (twice) {
    const ig_lid node = ig_mesh_build_find_node(&in->g, id);
    return ig_mesh_build_lies_at(&in->g, node, x) && in->system_of[node] == system
               ? IG_OK
               : card_fail(in, "this node is defined twice, in different places");
  }
  IG_TRY(IG_MORE(in->t.cx, &in->system_of, in->g.nodes - 1, "nodes"));
  in->system_of[in->g.nodes - 1] = system;
  return IG_OK;
}

/* CORD2x: origin, a point on z, a point in the x-z plane, in system `base`. CORD1x: three nodes
   instead; a second system may follow on the same card. */
static ig_status system_read(nastran *in, bool by_nodes, char form) {
  const int most = by_nodes && in->fields > 4 && in->field[4][0] ? 2 : 1;
  for (int k = 0; k < most; k++) {
    if (in->systems == SYSTEMS)
      return card_fail(in, "too many coordinate systems");
    ig_nastran_system *s = &in->system[in->systems];
    *s = (ig_nastran_system){.by_nodes = by_nodes, .form = form};
    IG_TRY(int_at(in, 4 * k, 0, &s->id));
    for (int i = 0; by_nodes && i < 3; i++)
      IG_TRY(int_at(in, 4 * k + 1 + i, 0, &s->node[i]));
    if (!by_nodes)
      IG_TRY(int_at(in, 1, 0, &s->base));
    for (int i = 0; !by_nodes && i < 9; i++)
      IG_TRY(real_at(in, 2 + i, &s->point[i]));
    in->systems++;
  }
  return IG_OK;
}

/* Cards of elements; the second entry is the quadratic type of the same card. */
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
    {"CQUAD8", {4, 8}, {IG_QUAD4, IG_QUAD8}},
    {"CTRIA3", {3, 3}, {IG_TRI3, IG_TRI3}},
    {"CTRIAR", {3, 3}, {IG_TRI3, IG_TRI3}},
    {"CTRIA6", {3, 6}, {IG_TRI3, IG_TRI6}},
    {"CBAR", {2, 2}, {IG_BEAM2, IG_BEAM2}},
    {"CBEAM", {2, 2}, {IG_BEAM2, IG_BEAM2}},
    {"CROD", {2, 2}, {IG_BEAM2, IG_BEAM2}},
    {"CTUBE", {2, 2}, {IG_BEAM2, IG_BEAM2}},
    {"CONROD", {2, 2}, {IG_BEAM2, IG_BEAM2}},
};

/* Mid-side nodes may be omitted individually; then the element is reduced to its corners. Quadratic
   elements may leave out nodes in the middles of edges: such an element is taken by its corners. */
static ig_status element_read(nastran *in, int kind) {
  int64_t id, property, node[IG_CELL_MOST_NODES] = {0};
  bool twice;
  int whole = 1;
  const int first = strcasecmp(in->name, "CONROD") == 0 ? 1 : 2; /* it has no property */
  IG_TRY(int_at(in, 0, 0, &id));
  IG_TRY(int_at(in, 1, 0, &property));
  property = first == 1 ? 0 : property;
  for (int i = 0; i < kinds[kind].nodes[1]; i++) {
    int64_t one = 0;
    if (i < kinds[kind].nodes[0] || in->fields > 2 + kinds[kind].nodes[0])
      IG_TRY(int_at(in, first + i, 0, &one));
    node[i] = one;
    if (one < 1 && i < kinds[kind].nodes[0])
      return card_fail(in, "a corner is missing");
    whole = whole && one > 0; /* mid-side nodes may be left out: then the corners hold */
  }
  /* Numbers are bounded so that instances and dimensions fit into the bits above them. */
  if (id < 1 || id > IG_ID_MASK || property < 0 || property > INT32_MAX)
    return card_fail(in, "expected an element's number and a property");
  IG_TRY(ig_mesh_build_cell(&in->g, id, kinds[kind].code[whole], (int32_t)property, node, &twice));
  if (twice)
    return card_fail(in, "this element is defined twice");
  /* Elements of one property become a set. */
  if (property == 0)
    return IG_OK;
  char name[32];
  snprintf(name, sizeof name, "property_%lld", (long long)property);
  ig_group *set = ig_mesh_build_group(&in->g, name, strlen(name), IG_SET_ELEMENTS);
  if (!set)
    return card_fail(in, "too many properties");
  return ig_mesh_build_member(&in->g, set, id, 0);
}

static ig_status nastran_read(nastran *in);

/* The name may be in quotes. */
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

/* Springs, masses, rigid elements, axisymmetric ones and similar: counted and reported, not
   read. */
static bool is_other(const char *name) {
  static const char *const begin[] = {"CELAS", "CONM",   "CMASS", "CDAMP",  "CVISC",  "CGAP",
                                      "CBUSH", "CFAST",  "CWELD", "CSHEAR", "CTRIAX", "CQUADX",
                                      "CTRAX", "CFLUID", "RBE",   "RBAR",   "RROD",   "CBEND"};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
    if (strncasecmp(name, begin[i], strlen(begin[i])) == 0)
      return true;
  return strcasecmp(name, "CQUAD") == 0;
}

/* One card. Cards that are not listed belong to the model, not to the mesh. One card with its
   continuations, or an INCLUDE. What a mesh cannot be read without, such as repeated cards, is
   refused; other cards are noted for one warning. */
static ig_status bulk_line(nastran *in) {
  if (strncasecmp(in->t.line, "INCLUDE", 7) == 0)
    return include_read(in);
  card_read(in);
  if (strcasecmp(in->name, "ENDDATA") == 0)
    in->ended = true;
  if (in->name[0] == '=')
    return card_fail(in, "cards that repeat the one before are not followed: write them out");
  if (strcasecmp(in->name, "BEGIN") == 0)
    return card_fail(in, "a model of several superelements is not read: its parts number their "
                         "nodes anew; write it as one");
  /* Cards may come in any order in the file. */
  if (strcasecmp(in->name, "GRID") == 0)
    return grid_read(in);
  if (strcasecmp(in->name, "GRDSET") == 0)
    return int_at(in, 1, 0, &in->grdset);
  if (strncasecmp(in->name, "CORD", 4) == 0 && strchr("12", in->name[4]) && in->name[4] &&
      strchr("RCSrcs", in->name[5]) && in->name[5])
    return system_read(in, in->name[4] == '1', (char)(in->name[5] & ~0x20));
  /* Elements by the table of kinds. */
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcasecmp(in->name, kinds[k].name) == 0)
      return element_read(in, (int)k);
  if (is_other(in->name)) {
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

/* Skips the executive and case control sections before BEGIN BULK; a file without it is bulk data
   throughout. */
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

/* Nodes without a system get that of GRDSET. */
static ig_status nodes_place(nastran *in, const char *path) {
  bool any = false;
  for (ig_lid n = 0; n < in->g.nodes; n++) {
    in->system_of[n] = in->system_of[n] < 0 ? in->grdset : in->system_of[n];
    any |= in->system_of[n] != 0;
  }
  return any ? ig_nastran_place(&in->g, path, in->system_of, in->system, in->systems) : IG_OK;
}

/* The executive and case control sections before BEGIN BULK are skipped; a file without them is
   bulk data from its first line. Places of nodes are computed at the end, as coordinate systems may
   come after them. */
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
    status = nodes_place(in, path);
  if (status == IG_OK)
    status = ig_mesh_build_mesh(&in->g, path, true, mesh);
  if (status == IG_OK && in->passed)
    ig_warn(cx, "%s: %lld springs, masses, rigid and other elements (the last: %s) are passed over",
            path, (long long)in->passed, in->passed_name);
  ig_text_close(&in->t);
  ig_mesh_build_free(&in->g);
  free(in->system_of);
  free(in);
  return status;
}
