/* Abaqus input files: *NODE, *ELEMENT, *NSET, *ELSET, *SURFACE of one part; the rest is passed
   over. */
#include "io/mesh_io.h"
#include "core/number.h"
#include "io/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Element names by how they begin; a longer beginning comes before a shorter one. */
static const struct {
  const char *name;
  ig_elem_type type;
  bool plane;
} elements[] = {
    {"C3D10", IG_TET10, false}, {"DC3D10", IG_TET10, false}, {"C3D8", IG_HEX8, false},
    {"DC3D8", IG_HEX8, false},  {"C3D4", IG_TET4, false},    {"DC3D4", IG_TET4, false},
    {"CPS3", IG_TRI3, true},    {"CPE3", IG_TRI3, true},     {"CAX3", IG_TRI3, true},
    {"DC2D3", IG_TRI3, true},   {"CPS6", IG_TRI6, true},     {"CPE6", IG_TRI6, true},
    {"DC2D6", IG_TRI6, true},   {"CPS4", IG_QUAD4, true},    {"CPE4", IG_QUAD4, true},
    {"CAX4", IG_QUAD4, true},   {"DC2D4", IG_QUAD4, true},   {"STRI3", IG_TRI3, false},
    {"STRI65", IG_TRI6, false}, {"S3", IG_TRI3, false},      {"S4", IG_QUAD4, false},
    {"M3D3", IG_TRI3, false},   {"M3D4", IG_QUAD4, false},   {"B31", IG_BEAM2, false},
    {"T3D2", IG_BEAM2, false},
};

/* Ours of Abaqus's side numbers, from 1. */
static int face_of_side(ig_elem_type type, int side) {
  static const int hex[] = {4, 5, 2, 1, 3, 0};
  return type == IG_HEX8 && side <= 6 ? hex[side - 1] : side - 1;
}

typedef struct {
  ig_mesh_text t;
  ig_gather g;
  bool space; /* an element that is not plane was seen */
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
  *group = ig_gather_group(&in->g, from, (size_t)(stop - from), kind);
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
  if (*id < 1 || *id > INT64_MAX / 512)
    return ig_text_fail(&in->t, from, "%lld: expected a number from 1", (long long)*id);
  return IG_OK;
}

static ig_status nodes_read(inp *in) {
  char *from, *stop;
  ig_group *set = NULL;
  int number = -1;
  if (parameter(&in->t, "NSET", &from, &stop)) {
    IG_TRY(group_named(in, from, stop, IG_SET_NODES, &set));
    number = (int)(set - in->g.group);
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
    IG_TRY(ig_gather_node(&in->g, id, x, &twice));
    if (twice)
      return taken(in, at, "node", id);
    if (number >= 0)
      IG_TRY(ig_gather_member(&in->g, &in->g.group[number], id, 0));
  }
  return IG_OK;
}

static ig_status elements_read(inp *in) {
  char *from, *stop;
  if (!parameter(&in->t, "TYPE", &from, &stop))
    return ig_text_fail(&in->t, in->t.line, "*ELEMENT without TYPE=");
  size_t k = 0;
  const size_t known = sizeof elements / sizeof *elements;
  while (k < known && !((size_t)(stop - from) >= strlen(elements[k].name) &&
                        strncasecmp(from, elements[k].name, strlen(elements[k].name)) == 0))
    k++;
  if (k == known)
    return ig_text_fail(&in->t, from,
                        "element type %.*s is not known: expected C3D8, C3D4, C3D10, S3, S4, CPS3, "
                        "CPS4, CPS6, CPE…, B31 or T3D2",
                        (int)(stop - from > 40 ? 40 : stop - from), from);
  in->space = in->space || !elements[k].plane;
  int number = -1;
  if (parameter(&in->t, "ELSET", &from, &stop)) {
    ig_group *set;
    IG_TRY(group_named(in, from, stop, IG_SET_ELEMENTS, &set));
    number = (int)(set - in->g.group);
  }
  const int npe = ig_elem_info_get(elements[k].type)->nodes;
  while (data_line(in)) {
    char *p = in->t.line, *at = p;
    int64_t id, node[10];
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
    IG_TRY(ig_gather_cell(&in->g, id, elements[k].type, number + 1, node, &twice));
    if (twice)
      return taken(in, at, "element", id);
    if (number >= 0)
      IG_TRY(ig_gather_member(&in->g, &in->g.group[number], id, 0));
  }
  return IG_OK;
}

static ig_status set_read(inp *in, ig_set_kind kind) {
  char *from, *stop, *ignore;
  if (!parameter(&in->t, kind == IG_SET_NODES ? "NSET" : "ELSET", &from, &stop))
    return ig_text_fail(&in->t, in->t.line, "a set without a name");
  ig_group *set;
  IG_TRY(group_named(in, from, stop, kind, &set));
  const int number = (int)(set - in->g.group);
  const bool generate = parameter(&in->t, "GENERATE", &ignore, &ignore);
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
          (v[1] - v[0]) / v[2] > (int64_t)in->g.nodes + in->g.cells)
        return ig_text_fail(&in->t, in->t.line,
                            "from %lld to %lld by %lld: expected numbers of the mesh, rising",
                            (long long)v[0], (long long)v[1], (long long)v[2]);
      for (int64_t id = v[0]; id <= v[1]; id += v[2])
        IG_TRY(ig_gather_member(&in->g, &in->g.group[number], id, 0));
      continue;
    }
    for (char *p = in->t.line; p;) {
      ig_text_field(&in->t, &p, &from, &stop);
      if (from == stop)
        continue;
      const ig_group *other = ig_gather_find(&in->g, from, (size_t)(stop - from), kind);
      if (other && other != &in->g.group[number]) {
        for (ig_lid i = 0; i < other->count; i++)
          IG_TRY(ig_gather_member(&in->g, &in->g.group[number], other->id[i], 0));
        continue;
      }
      int64_t id;
      IG_TRY(id_read(in, from, stop, &id));
      IG_TRY(ig_gather_member(&in->g, &in->g.group[number], id, 0));
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
  const int number = (int)(set - in->g.group);
  while (data_line(in)) {
    char *p = in->t.line, *side, *side_stop;
    ig_text_field(&in->t, &p, &from, &stop);
    if (!p)
      return ig_text_fail(&in->t, stop, "expected 'elements, S1'");
    ig_text_field(&in->t, &p, &side, &side_stop);
    if (side_stop - side != 2 || (side[0] != 'S' && side[0] != 's') || side[1] < '1' ||
        side[1] > '6')
      return ig_text_fail(&in->t, side, "expected a side S1 to S6");
    const ig_group *other = ig_gather_find(&in->g, from, (size_t)(stop - from), IG_SET_ELEMENTS);
    int64_t one = 0;
    if (!other)
      IG_TRY(id_read(in, from, stop, &one));
    for (ig_lid i = 0; i < (other ? other->count : 1); i++) {
      const int64_t id = other ? other->id[i] : one;
      const ig_lid cell = ig_gather_find_cell(&in->g, id);
      if (cell < 0)
        return ig_text_fail(&in->t, from, "element %lld is not in the file", (long long)id);
      IG_TRY(ig_gather_member(&in->g, &in->g.group[number], id,
                              face_of_side((ig_elem_type)in->g.type[cell], side[1] - '0')));
    }
  }
  return IG_OK;
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
      return ig_text_fail(&in->t, from, "*INCLUDE is not followed: put the file's text here");
  }
  return IG_OK;
}

ig_status ig_mesh_read_inp(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                           ig_mesh **mesh) {
  (void)options;
  *mesh = NULL;
  inp in = {.g.cx = cx};
  IG_TRY(ig_text_open(cx, path, &in.t));
  ig_status status = inp_read(&in);
  if (status == IG_OK)
    status = ig_gather_mesh(&in.g, path, !in.space, mesh);
  ig_text_close(&in.t);
  ig_gather_free(&in.g);
  return status;
}

/* --- writing */

static void set_write(FILE *f, const ig_set *set) {
  fprintf(f, set->kind == IG_SET_NODES ? "*NSET, NSET=%s\n" : "*ELSET, ELSET=%s\n", set->name);
  for (ig_lid i = 0; i < set->count; i++)
    fprintf(f, "%d%s", set->item[i] + 1, i % 12 == 11 || i + 1 == set->count ? "\n" : ", ");
}

static void surface_write(FILE *f, const ig_mesh *mesh, const ig_set *set) {
  fprintf(f, "*SURFACE, TYPE=ELEMENT, NAME=%s\n", set->name);
  for (ig_lid i = 0; i < set->count; i++) {
    ig_lid local;
    const ig_block *block = ig_mesh_element(mesh, set->item[i], &local);
    int side = 1;
    while (face_of_side(block->type, side) != set->face[i])
      side++;
    fprintf(f, "%d, S%d\n", set->item[i] + 1, side);
  }
}

static void inp_write(FILE *f, const ig_mesh *mesh) {
  static const char *const space[] = {"B31", "S3", "STRI65", "S4", "C3D4", "C3D10", "C3D8"};
  static const char *const plane[] = {"B31", "CPS3", "CPS6", "CPS4", "", "", ""};
  fprintf(f, "*HEADING\nIngot mesh\n*NODE\n");
  for (ig_lid n = 0; n < mesh->nodes; n++)
    ig_print(f, "%d, %.17g, %.17g, %.17g\n", n + 1, mesh->x[3 * (size_t)n],
             mesh->x[3 * (size_t)n + 1], mesh->x[3 * (size_t)n + 2]);
  ig_lid element = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const int npe = ig_elem_info_get(block->type)->nodes;
    fprintf(f, "*ELEMENT, TYPE=%s\n", (mesh->dim == 2 ? plane : space)[block->type]);
    for (ig_lid e = 0; e < block->count; e++) {
      fprintf(f, "%d", ++element);
      for (int a = 0; a < npe; a++)
        fprintf(f, ", %d", block->conn[(size_t)e * (size_t)npe + (size_t)a] + 1);
      fputc('\n', f);
    }
  }
  for (int s = 0; s < mesh->sets; s++)
    if (mesh->set[s].kind == IG_SET_FACES)
      surface_write(f, mesh, &mesh->set[s]);
    else
      set_write(f, &mesh->set[s]);
}

ig_status ig_mesh_write_inp(ig_ctx *cx, const ig_mesh *mesh, const char *path) {
  for (int s = 0; s < mesh->sets; s++)
    if (strpbrk(mesh->set[s].name, ",=\r\n\"/") || strlen(mesh->set[s].name) > 53)
      return IG_FAIL(cx, IG_INPUT,
                     "set '%s' cannot be written to .inp: its name has ',', '=', '/' "
                     "or is longer than 53 letters",
                     mesh->set[s].name);
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", path);
  inp_write(f, mesh);
  const bool failed = ferror(f);
  const ig_status status = fclose(f) != 0 || failed
                               ? IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", path)
                               : ig_store(cx, path, text, size);
  free(text);
  return status;
}
