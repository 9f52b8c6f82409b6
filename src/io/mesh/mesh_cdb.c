/* Reader of Ansys .cdb archives (CDWRITE): NBLOCK, EBLOCK, CMBLOCK and element types of ET. A
   material becomes the element set material_N, a component a set of its name. Ansys writes wedges,
   pyramids and tetrahedra as hexahedra with repeated nodes; they are recognised. */
#include "io/mesh/cell_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Largest number of an element type, and most fields of a line. */
enum { TYPES = 4096, FIELDS = 32 };

/* Families of elements of the Ansys element library, by number (SOLID185 is 185). */
typedef enum { NOTHING, SOLID, TETRA, SHELL, PLANE, LINE } family;
static const struct {
  int number;
  family of;
} library[] = {{5, SOLID},   {45, SOLID},  {46, SOLID},  {64, SOLID},  {65, SOLID},  {69, SOLID},
               {70, SOLID},  {73, SOLID},  {90, SOLID},  {95, SOLID},  {96, SOLID},  {117, SOLID},
               {164, SOLID}, {185, SOLID}, {186, SOLID}, {190, SOLID}, {226, SOLID}, {231, SOLID},
               {236, SOLID}, {278, SOLID}, {279, SOLID}, {72, TETRA},  {87, TETRA},  {92, TETRA},
               {168, TETRA}, {187, TETRA}, {227, TETRA}, {232, TETRA}, {237, TETRA}, {285, TETRA},
               {291, TETRA}, {28, SHELL},  {41, SHELL},  {43, SHELL},  {57, SHELL},  {63, SHELL},
               {93, SHELL},  {131, SHELL}, {132, SHELL}, {157, SHELL}, {163, SHELL}, {181, SHELL},
               {281, SHELL}, {42, PLANE},  {55, PLANE},  {77, PLANE},  {82, PLANE},  {182, PLANE},
               {183, PLANE}, {223, PLANE}, {8, LINE},    {3, LINE},    {4, LINE},    {10, LINE},
               {33, LINE},   {44, LINE},   {180, LINE},  {188, LINE},  {189, LINE},  {288, LINE},
               {289, LINE}};

/* State of the reader. */
typedef struct {
  ig_mesh_text t;
  ig_gather g;
  int type[TYPES]; /* of the element library, by the number that ET gives */
  bool solids;     /* something that is no plane element was read */
  int64_t passed, collapsed;
  int passed_type;
} cdb;

/* Fortran format line in front of a block: "(3i9,6e21.13e3)", "(1i7,2i9,6e21.13)": widths of the
   integers, then number and width of the reals. */
typedef struct {
  int ints, width[FIELDS], reals, real_width;
} layout;

/* Columns taken by the integers. */
static int head_width(const layout *l) {
  int sum = 0;
  for (int i = 0; i < l->ints; i++)
    sum += l->width[i];
  return sum;
}

/* Parses groups of count, letter, width; the exponent width and decimals of reals are not needed. A
   Fortran format, as (3i9,6e21.13e3): numbers and widths of whole and real fields. */
static ig_status layout_read(cdb *in, layout *l) {
  *l = (layout){0};
  if (!ig_text_line(&in->t))
    return ig_text_fail(&in->t, in->t.line_end, "the file ends where a format was expected");
  char text[80] = "";
  const size_t length = (size_t)(in->t.line_end - in->t.line);
  memcpy(text, in->t.line, length < sizeof text ? length : sizeof text - 1);
  const char *p = text + strspn(text, " (");
  int count, width, read = 0;
  char letter;
  bool good = true;
  /* Whole numbers come first, then the real ones, of which only count and width matter here. */
  while (good && !l->reals && sscanf(p, "%3d%c%3d%n", &count, &letter, &width, &read) == 3) {
    const bool whole = letter == 'i' || letter == 'I';
    good = count >= 1 && width >= 1 && (!whole || l->ints + count <= FIELDS);
    for (int i = 0; good && whole && i < count; i++)
      l->width[l->ints++] = width;
    if (!whole) {
      l->reals = count;
      l->real_width = width;
    }
    p += read;
    if (*p != ',')
      break;
    p++;
  }
  if (!good || l->ints < 1)
    return ig_text_fail(&in->t, in->t.line, "expected a format such as (19i9) or (3i9,6e21.13e3)");
  return IG_OK;
}

/* Integers of the current line, by columns (they may touch); *count: how many. Widths beyond the
   format repeat the last. */
static ig_status ints_read(cdb *in, const layout *l, int most, int64_t *value, int *count) {
  char *p = in->t.line;
  *count = 0;
  while (*count < most && p < in->t.line_end) {
    const int width = l->width[*count < l->ints ? *count : l->ints - 1];
    char *stop = in->t.line_end - p > width ? p + width : in->t.line_end;
    char *q = p;
    while (q < stop && *q == ' ')
      q++;
    if (q == stop)
      break; /* blank: the line is filled up */
    IG_TRY(ig_text_int(&in->t, p, stop, &value[*count]));
    ++*count;
    p = stop;
  }
  return IG_OK;
}

static bool ended(const cdb *in) { /* "N,R5.3,LOC, -1," or "-1" ends a block */
  const char *p = in->t.line;
  while (p < in->t.line_end && *p == ' ')
    p++;
  return p == in->t.line_end || *p == 'N' || *p == 'n' ||
         (p[0] == '-' && p + 1 < in->t.line_end && p[1] == '1');
}

/* NBLOCK: number, two fields of geometry, coordinates, angles. Trailing zeros may be omitted.
   Fields of a width rather than words: coordinates that are zero at the end of a line may be
   missing. */
static ig_status nodes_read(cdb *in) {
  layout l;
  IG_TRY(layout_read(in, &l));
  if (l.reals < 3 || l.real_width < 5)
    return ig_text_fail(&in->t, in->t.line, "expected a format with coordinates: (3i9,6e21.13e3)");
  while (ig_text_line(&in->t) && !ended(in)) {
    int64_t head[FIELDS];
    int count;
    double x[3] = {0};
    bool twice;
    /* Columns of whole numbers end where those of real ones begin; a line may be shorter. */
    const int heads = head_width(&l);
    char *const end = in->t.line_end, *p = end - in->t.line > heads ? in->t.line + heads : end;
    in->t.line_end = p; /* the whole numbers alone */
    const ig_status status = ints_read(in, &l, l.ints, head, &count);
    in->t.line_end = end;
    IG_TRY(status);
    if (count < 1 || head[0] < 1 || head[0] > IG_ID_MASK)
      return ig_text_fail(&in->t, in->t.line, "expected the number of a node");
    for (int d = 0; d < 3 && p < end; d++) { /* zeros at the end of a line are left out */
      char *stop = end - p > l.real_width ? p + l.real_width : end;
      bool blank = true;
      for (const char *q = p; q < stop; q++)
        blank = blank && *q == ' ';
      if (!blank)
        IG_TRY(ig_text_real(&in->t, p, stop, &x[d]));
      p = stop;
    }
    /* A number that comes twice would make elements ambiguous. */
    IG_TRY(ig_mesh_build_node(&in->g, head[0], x, &twice));
    if (twice)
      return ig_text_fail(&in->t, in->t.line, "node %lld is defined twice", (long long)head[0]);
  }
  return IG_OK;
}

/* Corners I J K L M N O P of a solid; the pattern of repeated nodes tells the type (Ansys theory
   reference, degenerate shapes). Nodes are rearranged for the type. -1: no valid pattern. */
static int solid_of(int64_t *n) {
  const bool top = n[4] == n[5] && n[5] == n[6] && n[6] == n[7];
  if (top && n[2] == n[3]) {
    n[3] = n[4];
    return IG_TET4;
  }
  if (top)
    return IG_PYRAMID5;
  if (n[2] == n[3] && n[6] == n[7]) {
    const int64_t wedge[6] = {n[0], n[1], n[2], n[4], n[5], n[6]};
    memcpy(n, wedge, sizeof wedge);
    return IG_WEDGE6;
  }
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < a; b++)
      if (n[a] == n[b])
        return -1;
  return IG_HEX8;
}

/* Type of an element with `count` nodes; -1: not readable. Degenerate quadratic elements are
   reduced to corners and counted in `collapsed`. Degenerate solids repeat nodes; the shape follows
   from which ones are the same. */
static int type_of(cdb *in, family of, int64_t *n, int count) {
  int type = -1;
  switch (of) {
  case TETRA:
    return count == 10 ? IG_TET10 : count == 4 ? IG_TET4 : count == 8 ? solid_of(n) : -1;
  case SOLID:
    if (count == 4 || count == 10)
      return count == 4 ? IG_TET4 : IG_TET10;
    if (count != 8 && count != 20)
      return -1;
    /* Eight nodes, of which some may be the same: the shape follows from which. */
    type = solid_of(n);
    if (count == 20 && type == IG_HEX8)
      return IG_CELL_HEX20;
    in->collapsed += count == 20 && type >= 0;
    return type;
  case SHELL:
  case PLANE:
    /* A triangle is written as a quadrilateral whose last two nodes are the same. */
    if (count == 3 || (count >= 4 && n[3] == n[2])) {
      in->collapsed += count == 8;
      return IG_TRI3;
    }
    return count == 6 ? IG_TRI6 : count == 4 ? IG_QUAD4 : count == 8 ? IG_QUAD8 : -1;
  case LINE: /* a third node of a beam is its orientation, or the middle one of a quadratic beam */
    return count >= 2 ? IG_BEAM2 : -1;
  case NOTHING:
    break;
  }
  return type;
}

/* The routine number of an ET command, as 185 for SOLID185. */
static family family_of(const cdb *in, int64_t type) {
  const int number = type >= 0 && type < TYPES ? in->type[type] : 0;
  for (size_t i = 0; i < sizeof library / sizeof *library; i++)
    if (library[i].number == number)
      return library[i].of;
  return NOTHING;
}

/* Elements of unknown types (contact, surface effect, mass) are counted and skipped; sets may then
   refer to missing elements. Elements that are no part of a mesh, such as contacts and surfaces,
   are counted and passed over. */
static ig_status element_add(cdb *in, const int64_t *head, int64_t *node, int count) {
  const family of = family_of(in, head[1]);
  if (of == NOTHING) {
    in->passed++;
    in->passed_type = head[1] >= 0 && head[1] < TYPES ? in->type[head[1]] : 0;
    return IG_OK;
  }
  const int type = type_of(in, of, node, count);
  if (type < 0)
    return ig_text_fail(&in->t, in->t.line,
                        "element %lld of type %d has %d nodes, or nodes that repeat in a way no "
                        "element has",
                        (long long)head[10], in->type[head[1]], count);
  in->solids |= of != PLANE;
  bool twice;
  char name[32];
  IG_TRY(ig_mesh_build_cell(&in->g, head[10], type, (int32_t)head[0], node, &twice));
  if (twice)
    return ig_text_fail(&in->t, in->t.line, "element %lld is defined twice", (long long)head[10]);
  snprintf(name, sizeof name, "material_%lld", (long long)head[0]);
  ig_group *set = ig_mesh_build_group(&in->g, name, strlen(name), IG_SET_ELEMENTS);
  if (!set)
    return ig_text_fail(&in->t, in->t.line, "too many materials");
  return ig_mesh_build_member(&in->g, set, head[10], 0);
}

/* EBLOCK,19,SOLID: 11 fields (material, type, ..., number of nodes at 9, element number at 11),
   then nodes, continued on further lines. 11 fields, then up to 8 nodes on the line and the rest on
   the next ones. */
static ig_status elements_read(cdb *in) {
  layout l;
  IG_TRY(layout_read(in, &l));
  while (ig_text_line(&in->t) && !ended(in)) {
    int64_t value[FIELDS], node[FIELDS];
    int count, nodes = 0;
    IG_TRY(ints_read(in, &l, 19, value, &count));
    if (count < 12)
      return ig_text_fail(&in->t, in->t.line,
                          "an element has %d fields: expected 11 and its nodes, as EBLOCK,19,SOLID "
                          "has them",
                          count);
    /* Field 0 is the material, 8 the number of nodes, 10 the element's number (ANSYS, EBLOCK). */
    if (value[8] < 1 || value[8] > 20 || value[10] < 1 || value[10] > IG_ID_MASK ||
        value[0] < INT32_MIN || value[0] > INT32_MAX)
      return ig_text_fail(&in->t, in->t.line,
                          "expected a material, an element's number and 1 to 20 nodes");
    const int64_t wanted = value[8];
    const int64_t head[11] = {value[0], value[1], 0, 0, 0, 0, 0, 0, wanted, 0, value[10]};
    for (int i = 11; i < count && nodes < wanted; i++)
      node[nodes++] = value[i];
    /* Further nodes on the next lines. */
    while (nodes < wanted) {
      if (!ig_text_line(&in->t))
        return ig_text_fail(&in->t, in->t.line_end, "the file ends within an element");
      IG_TRY(ints_read(in, &l, (int)(wanted - nodes), value, &count));
      if (count == 0)
        return ig_text_fail(&in->t, in->t.line, "nodes of element %lld are missing",
                            (long long)head[10]);
      for (int i = 0; i < count; i++)
        node[nodes++] = value[i];
    }
    IG_TRY(element_add(in, head, node, nodes));
  }
  return IG_OK;
}

/* Field number `which` (from 0) of a comma-separated command; false: missing. */
static bool word_at(const cdb *in, int which, char **from, char **stop) {
  char *p = in->t.line;
  for (int i = 0; p && i <= which; i++)
    ig_text_field(&in->t, &p, from, stop);
  return p != NULL || (*from < *stop);
}

/* CMBLOCK,NAME,NODE or ELEM,count: numbers; a negative number -n after m means the range m + 1 to
   n. A component lists numbers; a negative one means all from the one before up to it. */
static ig_status component_read(cdb *in) {
  char *name, *stop, *kind, *kind_stop, *number, *number_stop, *bang;
  int64_t count, former = 0;
  layout l;
  if (!word_at(in, 1, &name, &stop) || name == stop || !word_at(in, 2, &kind, &kind_stop) ||
      !word_at(in, 3, &number, &number_stop))
    return ig_text_fail(&in->t, in->t.line, "expected CMBLOCK,name,NODE or ELEM,count");
  if ((bang = memchr(number, '!', (size_t)(number_stop - number))))
    number_stop = bang; /* a comment */
  IG_TRY(ig_text_int(&in->t, number, number_stop, &count));
  /* Names are compared by their beginning, as ELEM and ELEMENT both occur. */
  const bool nodes = strncasecmp(kind, "NODE", 4) == 0;
  const ig_group *set = nodes || strncasecmp(kind, "ELEM", 4) == 0
                            ? ig_mesh_build_group(&in->g, name, (size_t)(stop - name),
                                                  nodes ? IG_SET_NODES : IG_SET_ELEMENTS)
                            : NULL;
  if (!set)
    return IG_OK; /* components of lines and volumes */
  /* The array of groups may move while members are added: only the number is kept. */
  const int at = (int)(set - in->g.group);
  IG_TRY(layout_read(in, &l));
  while (count > 0) {
    int64_t value[FIELDS];
    int read;
    if (!ig_text_line(&in->t))
      return ig_text_fail(&in->t, in->t.line_end, "the file ends within a component");
    IG_TRY(ints_read(in, &l, l.ints < count ? l.ints : (int)count, value, &read));
    if (read == 0)
      return ig_text_fail(&in->t, in->t.line, "members of a component are missing");
    count -= read;
    for (int i = 0; i < read; i++) {
      const int64_t first = value[i] < 0 ? former + 1 : value[i], last = llabs(value[i]);
      if (first < 1 || last > IG_ID_MASK || last - first > INT32_MAX)
        return ig_text_fail(&in->t, in->t.line, "%lld: expected a number from 1",
                            (long long)value[i]);
      for (int64_t id = first; id <= last; id++)
        IG_TRY(ig_mesh_build_member(&in->g, &in->g.group[at], id, 0));
      former = last;
    }
  }
  return IG_OK;
}

/* ET,1,185 or ET,1,SOLID185. In decks of Workbench the number may be a parameter (contact types);
   those are skipped. */
static ig_status type_read(cdb *in) {
  char *from, *stop;
  int64_t number, type;
  if (!word_at(in, 1, &from, &stop))
    return IG_OK;
  if (from < stop && (*from < '0' || *from > '9'))
    return IG_OK; /* a parameter's name: contact, whose elements are passed over */
  IG_TRY(ig_text_int(&in->t, from, stop, &number));
  if (!word_at(in, 2, &from, &stop))
    return IG_OK;
  while (from < stop && (*from < '0' || *from > '9'))
    from++;
  IG_TRY(ig_text_int(&in->t, from, stop, &type));
  if (number < 1 || number >= TYPES || type < 0 || type > 10000)
    return ig_text_fail(&in->t, in->t.line, "expected ET,number,type with a number below %d",
                        TYPES);
  in->type[number] = (int)type;
  return IG_OK;
}

/* One line of commands; everything not listed is not mesh and is ignored. Commands that are not
   known are passed over: an archive has many that say nothing of the mesh. */
static ig_status command_read(cdb *in) {
  char *p = in->t.line, *from, *stop;
  ig_text_field(&in->t, &p, &from, &stop);
  if (ig_text_is(from, stop, "NBLOCK"))
    return nodes_read(in);
  if (ig_text_is(from, stop, "CMBLOCK"))
    return component_read(in);
  if (ig_text_is(from, stop, "ET"))
    return type_read(in);
  char *second, *second_stop; /* "N,R5.3,LOC,-1": one more end of a block of nodes */
  if (ig_text_is(from, stop, "N") && word_at(in, 2, &second, &second_stop) &&
      ig_text_is(second, second_stop, "LOC"))
    return IG_OK;
  /* Single commands would need the state of the whole preprocessor. */
  if (ig_text_is(from, stop, "N") || ig_text_is(from, stop, "EN"))
    return ig_text_fail(&in->t, from,
                        "nodes and elements one a line are not read: write the archive in blocks "
                        "(CDWRITE,DB,…,,,,,BLOCKED)");
  if (!ig_text_is(from, stop, "EBLOCK"))
    return IG_OK;
  /* EBLOCK with SOLID has the form that elements_read knows. */
  char *kind, *kind_stop;
  if (word_at(in, 2, &kind, &kind_stop) && ig_text_is(kind, kind_stop, "SOLID"))
    return elements_read(in);
  layout l; /* contact and surface elements in a form of their own */
  IG_TRY(layout_read(in, &l));
  while (ig_text_line(&in->t) && !ended(in))
    in->passed++;
  return IG_OK;
}

/* A warning instead of an error for skipped elements, as long as some element is known. The reader
   is large, so it is on the heap. Numbers of nodes and elements are those of the archive. */
ig_status ig_mesh_read_cdb(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                           ig_mesh **mesh) {
  *mesh = NULL;
  cdb *in;
  IG_TRY(IG_NEW(cx, &in, 1, "an Ansys archive"));
  in->g = (ig_gather){.cx = cx, .split = options->split};
  ig_status status = ig_text_open(cx, path, &in->t);
  while (status == IG_OK && ig_text_line(&in->t))
    status = command_read(in);
  if (status == IG_OK && in->passed && in->g.cells == 0)
    status =
        IG_FAIL(cx, IG_INPUT, "%s: none of its %lld elements is of a known type (the last: %d)",
                path, (long long)in->passed, in->passed_type);
  /* Sets may name elements that were passed over. */
  for (int i = 0; i < in->g.groups && in->passed; i++)
    in->g.group[i].gaps |= in->g.group[i].kind == IG_SET_ELEMENTS;
  if (status == IG_OK)
    status = ig_mesh_build_mesh(&in->g, path, !in->solids, mesh);
  if (status == IG_OK && in->passed)
    ig_warn(cx,
            "%s: %lld elements of contact, surface, mass or other types (the last: %d) are "
            "passed over",
            path, (long long)in->passed, in->passed_type);
  if (status == IG_OK && in->collapsed)
    ig_warn(cx, "%s: %lld quadratic elements with nodes that repeat are taken by their corners",
            path, (long long)in->collapsed);
  ig_text_close(&in->t);
  ig_mesh_build_free(&in->g);
  free(in);
  return status;
}
