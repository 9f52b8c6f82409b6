/* Abaqus and CalculiX input files: *NODE, *ELEMENT, *NSET, *ELSET, *SURFACE, of one part or of
   parts and their instances, files included; the rest is passed over. */
#include "io/mesh_inp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
  char name[80];
  ig_gather g;
} part;

typedef struct {
  char name[80];
  int part;
} instance;

typedef struct {
  ig_mesh_text t;
  ig_gather *to; /* the part in work, or `whole` */
  ig_gather whole;
  int parts, instances, depth; /* depth: of included files */
  part *part;
  instance *instance;
  int64_t above; /* of numbers in sets that name an instance */
  bool space;    /* an element that is not plane was seen */
  bool passed;   /* an element that is none here was seen */
} inp;

static ig_status taken(inp *in, const char *at, const char *what, int64_t id) {
  return ig_text_fail(&in->t, at, "%s %lld is defined twice", what, (long long)id);
}

/* The value of a keyword's parameter: *KEY, NAME=value. False if it is not there; a bare NAME has
   an empty value. */
static bool parameter(const ig_mesh_text *t, const char *name, char **from, char **stop) {
  char *p = memchr(t->line, ',', (size_t)(t->line_end - t->line));
  for (p = p ? p + 1 : NULL; p;) {
    char *a, *b;
    ig_text_field(t, &p, &a, &b);
    char *equals = memchr(a, '=', (size_t)(b - a)), *end = equals ? equals : b;
    while (end > a && end[-1] == ' ')
      end--;
    if (!ig_text_is(a, end, name))
      continue;
    *from = equals ? equals + 1 : b;
    *stop = b;
    while (*from < *stop && **from == ' ')
      ++*from;
    if (*stop - *from >= 2 && **from == '"' && (*stop)[-1] == '"') {
      ++*from;
      --*stop;
    }
    return true;
  }
  return false;
}

static ig_status group_named(inp *in, const char *from, const char *stop, ig_set_kind kind,
                             ig_group **group) {
  bool sound = from < stop && stop - from <= 53;
  for (const char *c = from; sound && c < stop; c++)
    sound = *c != '/' && (unsigned char)*c >= ' ';
  if (!sound)
    return ig_text_fail(&in->t, from, "expected a set name of 1 to 53 letters without '/'");
  *group = ig_gather_group(in->to, from, (size_t)(stop - from), kind);
  return *group ? IG_OK : IG_FAIL(in->t.cx, IG_MEMORY, "no memory for a set");
}

/* True if the next line belongs to the keyword; comments are skipped. */
static bool data_line(inp *in) {
  for (;;) {
    if (in->t.next >= in->t.end)
      return false;
    const bool star = in->t.next[0] == '*', comment = star && in->t.next[1] == '*';
    if (star && !comment)
      return false;
    ig_text_line(&in->t);
    const char *p = in->t.line;
    while (p < in->t.line_end && (*p == ' ' || *p == '\t'))
      p++;
    if (!comment && p < in->t.line_end)
      return true;
  }
}

static ig_status id_read(inp *in, char *from, char *stop, int64_t *id) {
  IG_TRY(ig_text_int(&in->t, from, stop, id));
  if (*id < 1 || *id > INT32_MAX)
    return ig_text_fail(&in->t, from, "%lld: expected a number from 1 to %d", (long long)*id,
                        INT32_MAX);
  return IG_OK;
}

/* x, y, z of r, an angle in degrees, z (C); of r and two angles, the second from the plane (S). */
static void turn_round(char system, double *x) {
  const double r = x[0];
  double c[2], w[2]; /* cosine and sine of both angles; right angles are exact */
  if (system == 'R')
    return;
  for (int i = 0; i < 2; i++) {
    const double degrees = x[1 + i], angle = degrees * (M_PI / 180);
    const bool right = fmod(degrees, 90) == 0;
    c[i] = right ? round(cos(angle)) : cos(angle);
    w[i] = right ? round(sin(angle)) : sin(angle);
  }
  x[0] = r * c[0] * (system == 'S' ? c[1] : 1);
  x[1] = r * w[0] * (system == 'S' ? c[1] : 1);
  x[2] = system == 'S' ? r * w[1] : x[2];
}

static ig_status nodes_read(inp *in) {
  char *from, *stop, system = 'R';
  ig_group *set = NULL;
  int number = -1;
  if (parameter(&in->t, "SYSTEM", &from, &stop) && from < stop) {
    system = (char)(*from & ~0x20);
    if (stop - from != 1 || !strchr("RCS", system))
      return ig_text_fail(&in->t, from, "SYSTEM: expected R, C or S");
  }
  if (parameter(&in->t, "NSET", &from, &stop)) {
    IG_TRY(group_named(in, from, stop, IG_SET_NODES, &set));
    number = (int)(set - in->to->group);
  }
  while (data_line(in)) {
    char *p = in->t.line;
    int64_t id;
    double x[3] = {0, 0, 0};
    bool twice;
    ig_text_field(&in->t, &p, &from, &stop);
    IG_TRY(id_read(in, from, stop, &id));
    char *at = from;
    for (int d = 0; d < 3 && p; d++) {
      ig_text_field(&in->t, &p, &from, &stop);
      if (from < stop)
        IG_TRY(ig_text_real(&in->t, from, stop, &x[d]));
    }
    turn_round(system, x);
    IG_TRY(ig_gather_node(in->to, id, x, &twice));
    if (twice)
      return taken(in, at, "node", id);
    if (number >= 0)
      IG_TRY(ig_gather_member(in->to, &in->to->group[number], id, 0));
  }
  return IG_OK;
}

static ig_status elements_read(inp *in) {
  char *from, *stop;
  if (parameter(&in->t, "INPUT", &from, &stop))
    return ig_text_fail(&in->t, from, "INPUT is not followed: use *INCLUDE");
  if (!parameter(&in->t, "TYPE", &from, &stop))
    return ig_text_fail(&in->t, in->t.line, "*ELEMENT without TYPE=");
  const ig_inp_type *kind = ig_inp_type_find(from, stop);
  if (!kind)
    return ig_text_fail(&in->t, from,
                        "element type %.*s is not known: expected C3D8, C3D4, C3D10, C3D20, C3D6, "
                        "C3D5, S3, S4, S8, CPS3, CPS4, CPE…, B31, B32 or T3D2",
                        (int)(stop - from > 40 ? 40 : stop - from), from);
  if (kind->code == IG_INP_PASSED_OVER) {
    if (!in->passed)
      ig_warn(in->t.cx, "%s:%d: elements of type %.*s are passed over", in->t.path, in->t.number,
              (int)(stop - from > 40 ? 40 : stop - from), from);
    in->passed = true;
    return IG_OK;
  }
  in->space = in->space || !kind->plane;
  int number = -1;
  if (parameter(&in->t, "ELSET", &from, &stop)) {
    ig_group *set;
    IG_TRY(group_named(in, from, stop, IG_SET_ELEMENTS, &set));
    number = (int)(set - in->to->group);
  }
  const int npe = ig_cell_info_get(kind->code).nodes;
  while (data_line(in)) {
    char *p = in->t.line, *at = p;
    int64_t id, node[IG_CELL_MOST_NODES];
    bool twice;
    ig_text_field(&in->t, &p, &from, &stop);
    IG_TRY(id_read(in, from, stop, &id));
    for (int a = 0; a < npe; a++) {
      if (p) {
        ig_text_field(&in->t, &p, &from, &stop);
        if (from == stop && !p && a > 0) { /* ended by a comma: goes on in the next line */
          if (!data_line(in))
            return ig_text_fail(&in->t, from, "element %lld ends after %d of %d nodes",
                                (long long)id, a, npe);
          p = at = in->t.line;
          ig_text_field(&in->t, &p, &from, &stop);
        }
      } else if (data_line(in)) {
        p = at = in->t.line;
        ig_text_field(&in->t, &p, &from, &stop);
      } else {
        return ig_text_fail(&in->t, in->t.line_end, "element %lld ends after %d of %d nodes",
                            (long long)id, a, npe);
      }
      IG_TRY(id_read(in, from, stop, &node[a]));
    }
    if (kind->code == IG_CELL_BEAM3) { /* its middle node comes second */
      const int64_t middle = node[1];
      node[1] = node[2];
      node[2] = middle;
    }
    IG_TRY(ig_gather_cell(in->to, id, kind->code, number + 1, node, &twice));
    if (twice)
      return taken(in, at, "element", id);
    if (number >= 0)
      IG_TRY(ig_gather_member(in->to, &in->to->group[number], id, 0));
  }
  return IG_OK;
}

/* --- parts and their instances: node n of instance i is number i << IG_ID_BITS | n */

static bool named(const char *name, const char *from, const char *stop) {
  return ig_text_is(from, stop, name);
}

static int instance_find(const inp *in, const char *from, const char *stop) {
  for (int i = 0; i < in->instances; i++)
    if (named(in->instance[i].name, from, stop))
      return i;
  return -1;
}

static ig_status name_take(inp *in, const char *key, char *name, size_t size) {
  char *from, *stop;
  if (!parameter(&in->t, key, &from, &stop) || from == stop || stop - from >= (int)size)
    return ig_text_fail(&in->t, in->t.line, "expected %s=, a name of less than %zu letters", key,
                        size);
  snprintf(name, size, "%.*s", (int)(stop - from), from);
  return IG_OK;
}

static ig_status part_begin(inp *in) {
  IG_TRY(IG_MORE(in->t.cx, &in->part, in->parts, "parts"));
  in->part[in->parts] = (part){.g.cx = in->t.cx};
  IG_TRY(name_take(in, "NAME", in->part[in->parts].name, sizeof in->part->name));
  in->to = &in->part[in->parts++].g;
  return IG_OK;
}

/* A turn about the line from a to b by an angle in degrees. */
static void turn(double *x, const double *v) {
  double axis[3], length = 0, r[3], dot = 0;
  for (int d = 0; d < 3; d++)
    length += pow(v[3 + d] - v[d], 2);
  length = sqrt(length);
  if (!(length > 0))
    return;
  for (int d = 0; d < 3; d++) {
    axis[d] = (v[3 + d] - v[d]) / length;
    r[d] = x[d] - v[d];
    dot += axis[d] * r[d];
  }
  const double c = cos(v[6] * M_PI / 180), s = sin(v[6] * M_PI / 180);
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    x[d] = v[d] + c * r[d] + s * (axis[e] * r[f] - axis[f] * r[e]) + (1 - c) * dot * axis[d];
  }
}

/* Up to two lines: a shift, then a turn. */
static ig_status placing_read(inp *in, double *shift, double *about, bool *turned) {
  char *from, *stop;
  *turned = false;
  for (int row = 0; row < 2 && data_line(in); row++) {
    double *v = row ? about : shift;
    char *p = in->t.line;
    for (int i = 0; i < (row ? 7 : 3) && p; i++) {
      ig_text_field(&in->t, &p, &from, &stop);
      if (from < stop)
        IG_TRY(ig_text_real(&in->t, from, stop, &v[i]));
    }
    *turned = row == 1;
  }
  return IG_OK;
}

static ig_status groups_copy(inp *in, const ig_gather *g, int64_t above) {
  for (int i = 0; i < g->groups; i++) {
    const ig_group *from = &g->group[i];
    ig_group *to = ig_gather_group(&in->whole, from->name, strlen(from->name), from->kind);
    if (!to)
      return IG_FAIL(in->t.cx, IG_MEMORY, "no memory for a set");
    const int number = (int)(to - in->whole.group);
    for (ig_lid k = 0; k < from->count; k++)
      IG_TRY(ig_gather_member(&in->whole, &in->whole.group[number], above | from->id[k],
                              from->face[k]));
  }
  return IG_OK;
}

/* The file's numbers of a gather's nodes or cells, by their order. */
static ig_status numbers_of(ig_ctx *cx, const ig_idmap *map, int64_t **id) {
  IG_TRY(IG_NEW(cx, id, map->count + 1, "numbers"));
  for (size_t i = 0; map->key && i <= map->mask; i++)
    if (map->key[i])
      (*id)[map->value[i]] = map->key[i];
  return IG_OK;
}

static ig_status instance_copy(inp *in, const ig_gather *g, int64_t above, const double *shift,
                               const double *about, bool turned, const char *name) {
  int64_t *node = NULL, *cell = NULL;
  bool twice;
  ig_status status = numbers_of(in->t.cx, &g->node_of, &node);
  if (status == IG_OK)
    status = numbers_of(in->t.cx, &g->cell_of, &cell);
  for (ig_lid n = 0; n < g->nodes && status == IG_OK; n++) {
    double x[3];
    for (size_t d = 0; d < 3; d++)
      x[d] = g->x[3 * (size_t)n + d] + shift[d];
    if (turned)
      turn(x, about);
    status = ig_gather_node(&in->whole, above | node[n], x, &twice);
  }
  ig_group *set = ig_gather_group(&in->whole, name, strlen(name), IG_SET_ELEMENTS);
  const int number = set ? (int)(set - in->whole.group) : -1;
  for (ig_lid c = 0; c < g->cells && status == IG_OK && set; c++) {
    int64_t corner[IG_CELL_MOST_NODES];
    for (int64_t i = g->offset[c]; i < g->offset[c + 1]; i++)
      corner[i - g->offset[c]] = above | g->corner[i];
    status = ig_gather_cell(&in->whole, above | cell[c], g->type[c], in->instances, corner, &twice);
    if (status == IG_OK)
      status = ig_gather_member(&in->whole, &in->whole.group[number], above | cell[c], 0);
  }
  free(node);
  free(cell);
  return status == IG_OK ? groups_copy(in, g, above) : status;
}

static ig_status instance_read(inp *in) {
  char name[80], of[80];
  double shift[3] = {0, 0, 0}, about[7] = {0, 0, 0, 0, 0, 0, 0};
  bool turned;
  IG_TRY(name_take(in, "NAME", name, 54));
  IG_TRY(name_take(in, "PART", of, sizeof of));
  int k = 0;
  while (k < in->parts && strcasecmp(in->part[k].name, of) != 0)
    k++;
  if (k == in->parts)
    return ig_text_fail(&in->t, in->t.line, "an instance of part '%s', which is not in the file",
                        of);
  if (in->instances >= 1 << 20 || instance_find(in, name, name + strlen(name)) >= 0)
    return ig_text_fail(&in->t, in->t.line, "instance '%s' comes twice", name);
  IG_TRY(IG_MORE(in->t.cx, &in->instance, in->instances, "instances"));
  in->instance[in->instances] = (instance){.part = k};
  memcpy(in->instance[in->instances++].name, name, sizeof name);
  in->to = &in->whole;
  IG_TRY(placing_read(in, shift, about, &turned));
  for (char *c = name; *c; c++)
    *c = *c == '/' ? '_' : *c;
  return instance_copy(in, &in->part[k].g, (int64_t)in->instances << IG_ID_BITS, shift, about,
                       turned, name);
}

/* *NSET, INSTANCE=…: its numbers are that instance's. */
static ig_status instance_of_set(inp *in) {
  char *from, *stop;
  in->above = 0;
  if (!parameter(&in->t, "INSTANCE", &from, &stop))
    return IG_OK;
  const int i = instance_find(in, from, stop);
  if (i < 0)
    return ig_text_fail(&in->t, from, "instance '%.*s' is not in the file",
                        (int)(stop - from > 60 ? 60 : stop - from), from);
  in->above = (int64_t)(i + 1) << IG_ID_BITS;
  return IG_OK;
}

/* "Plate-1.7" or "Plate-1.Top": a number or a set of an instance. A set is added to group `number`
   and *done; of a number *from and *above are moved on. */
static ig_status dotted(inp *in, int number, ig_set_kind kind, char **from, const char *stop,
                        int64_t *above, bool *done) {
  *done = false;
  for (char *dot = *from; dot < stop; dot++) {
    if (*dot != '.')
      continue;
    const int i = instance_find(in, *from, dot);
    if (i < 0)
      continue;
    *above = (int64_t)(i + 1) << IG_ID_BITS;
    *from = dot + 1;
    const ig_group *set =
        ig_gather_find(&in->part[in->instance[i].part].g, *from, (size_t)(stop - *from), kind);
    for (ig_lid k = 0; set && number >= 0 && k < set->count; k++)
      IG_TRY(ig_gather_member(in->to, &in->to->group[number], *above | set->id[k], 0));
    *done = set && number >= 0;
    return IG_OK;
  }
  return IG_OK;
}

static ig_status set_read(inp *in, ig_set_kind kind) {
  char *from, *stop, *ignore;
  if (!parameter(&in->t, kind == IG_SET_NODES ? "NSET" : "ELSET", &from, &stop))
    return ig_text_fail(&in->t, in->t.line, "a set without a name");
  ig_group *set;
  IG_TRY(group_named(in, from, stop, kind, &set));
  const int number = (int)(set - in->to->group);
  const bool generate = parameter(&in->t, "GENERATE", &ignore, &ignore);
  IG_TRY(instance_of_set(in));
  while (data_line(in)) {
    if (generate) {
      int64_t v[3] = {0, 0, 1};
      char *p = in->t.line;
      for (int i = 0; i < 3 && p; i++) {
        ig_text_field(&in->t, &p, &from, &stop);
        if (i < 2 || from < stop)
          IG_TRY(id_read(in, from, stop, &v[i]));
      }
      if (v[1] < v[0] || (v[1] - v[0]) / v[2] > INT32_MAX / 4 ||
          (v[1] - v[0]) / v[2] > (int64_t)in->to->nodes + in->to->cells + 1)
        return ig_text_fail(&in->t, in->t.line,
                            "from %lld to %lld by %lld: expected numbers of the mesh, rising",
                            (long long)v[0], (long long)v[1], (long long)v[2]);
      for (int64_t id = v[0]; id <= v[1]; id += v[2])
        IG_TRY(ig_gather_member(in->to, &in->to->group[number], in->above | id, 0));
      continue;
    }
    for (char *p = in->t.line; p;) {
      ig_text_field(&in->t, &p, &from, &stop);
      if (from == stop)
        continue;
      const ig_group *other = ig_gather_find(in->to, from, (size_t)(stop - from), kind);
      if (other && other != &in->to->group[number]) {
        for (ig_lid i = 0; i < other->count; i++)
          IG_TRY(ig_gather_member(in->to, &in->to->group[number], other->id[i], 0));
        continue;
      }
      int64_t id, above = in->above;
      bool done;
      IG_TRY(dotted(in, number, kind, &from, stop, &above, &done));
      if (done)
        continue;
      IG_TRY(id_read(in, from, stop, &id));
      IG_TRY(ig_gather_member(in->to, &in->to->group[number], above | id, 0));
    }
  }
  return IG_OK;
}

static ig_status surface_read(inp *in) {
  char *from, *stop;
  if (parameter(&in->t, "TYPE", &from, &stop) && !ig_text_is(from, stop, "ELEMENT"))
    return IG_OK;
  if (!parameter(&in->t, "NAME", &from, &stop))
    return ig_text_fail(&in->t, in->t.line, "*SURFACE without NAME=");
  ig_group *set;
  IG_TRY(group_named(in, from, stop, IG_SET_FACES, &set));
  const int number = (int)(set - in->to->group);
  while (data_line(in)) {
    char *p = in->t.line, *side, *side_stop;
    ig_text_field(&in->t, &p, &from, &stop);
    if (!p)
      return ig_text_fail(&in->t, stop, "expected 'elements, S1'");
    ig_text_field(&in->t, &p, &side, &side_stop);
    if (side_stop - side != 2 || (side[0] != 'S' && side[0] != 's') || side[1] < '1' ||
        side[1] > '6')
      return ig_text_fail(&in->t, side, "expected a side S1 to S6");
    const ig_group *other = ig_gather_find(in->to, from, (size_t)(stop - from), IG_SET_ELEMENTS);
    int64_t one = 0, above = 0;
    bool done;
    if (!other) {
      IG_TRY(dotted(in, -1, IG_SET_ELEMENTS, &from, stop, &above, &done));
      IG_TRY(id_read(in, from, stop, &one));
      one |= above;
    }
    for (ig_lid i = 0; i < (other ? other->count : 1); i++) {
      const int64_t id = other ? other->id[i] : one;
      const ig_lid cell = ig_gather_find_cell(in->to, id);
      if (cell < 0)
        return ig_text_fail(&in->t, from, "element %lld is not in the file", (long long)id);
      IG_TRY(ig_gather_member(in->to, &in->to->group[number], id,
                              ig_inp_face(in->to->type[cell], side[1] - '0')));
    }
  }
  return IG_OK;
}

static ig_status inp_read(inp *in);

/* --- included files */

static ig_status include_read(inp *in) {
  char *from, *stop;
  ig_mesh_text outer;
  if (!parameter(&in->t, "INPUT", &from, &stop) || from == stop)
    return ig_text_fail(&in->t, in->t.line, "*INCLUDE without INPUT=, a file");
  IG_TRY(ig_text_enter(&in->t, from, (int)(stop - from), in->depth, &outer));
  in->depth++;
  ig_status status = IG_OK;
  if (in->t.end > in->t.text && in->t.text[strspn(in->t.text, " \t\r\n")] != '*')
    status = ig_text_fail(&in->t, in->t.line,
                          "an included file that begins within a keyword: expected '*NODE' or so");
  if (status == IG_OK)
    status = inp_read(in);
  in->depth--;
  ig_text_leave(&in->t, &outer);
  return status;
}

/* Keywords that make or move nodes and elements: to pass them over would read another mesh. */
static bool makes_more(const char *from, const char *stop) {
  static const char *const words[] = {
      "*SYSTEM", "*NGEN",  "*NFILL",  "*NCOPY",
      "*NMAP",   "*ELGEN", "*ELCOPY", "*SYMMETRIC MODEL GENERATION"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ig_text_is(from, stop, words[i]))
      return true;
  return false;
}

static ig_status inp_read(inp *in) {
  while (ig_text_line(&in->t)) {
    char *p = in->t.line, *from, *stop;
    if (p == in->t.line_end || p[0] != '*' || p[1] == '*')
      continue;
    ig_text_field(&in->t, &p, &from, &stop);
    if (ig_text_is(from, stop, "*NODE"))
      IG_TRY(nodes_read(in));
    else if (ig_text_is(from, stop, "*ELEMENT"))
      IG_TRY(elements_read(in));
    else if (ig_text_is(from, stop, "*NSET"))
      IG_TRY(set_read(in, IG_SET_NODES));
    else if (ig_text_is(from, stop, "*ELSET"))
      IG_TRY(set_read(in, IG_SET_ELEMENTS));
    else if (ig_text_is(from, stop, "*SURFACE"))
      IG_TRY(surface_read(in));
    else if (ig_text_is(from, stop, "*INCLUDE"))
      IG_TRY(include_read(in));
    else if (ig_text_is(from, stop, "*PART"))
      IG_TRY(part_begin(in));
    else if (ig_text_is(from, stop, "*END PART"))
      in->to = &in->whole;
    else if (ig_text_is(from, stop, "*INSTANCE"))
      IG_TRY(instance_read(in));
    else if (makes_more(from, stop))
      return ig_text_fail(&in->t, from,
                          "%.*s is not followed: write nodes and elements out, in one system",
                          (int)(stop - from), from);
  }
  return IG_OK;
}

ig_status ig_mesh_read_inp(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                           ig_mesh **mesh) {
  *mesh = NULL;
  inp in = {.whole = {.cx = cx, .split = options->split}};
  in.to = &in.whole;
  IG_TRY(ig_text_open(cx, path, &in.t));
  ig_status status = inp_read(&in);
  if (status == IG_OK && in.parts && !in.instances)
    status = IG_FAIL(cx, IG_INPUT, "%s: it has *PART, but no *INSTANCE of one", path);
  if (status == IG_OK)
    status = ig_gather_mesh(&in.whole, path, !in.space, mesh);
  ig_text_close(&in.t);
  ig_gather_free(&in.whole);
  for (int i = 0; i < in.parts; i++)
    ig_gather_free(&in.part[i].g);
  free(in.part);
  free(in.instance);
  return status;
}
