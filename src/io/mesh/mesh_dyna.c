/* Reader of LS-DYNA keyword files (LS-DYNA keyword manual, vol. I): *NODE, *ELEMENT_SOLID, _SHELL,
   _BEAM, *SET_NODE, *SET_SOLID and similar, *PARAMETER, *INCLUDE. A part becomes the element set
   part_N. Fields may be separated by commas or spaces, or be in fixed columns; which one is decided
   per line. Columns have their standard width, 10 letters for whole numbers (I10=Y, a keyword that
   ends in '%') or 20 for all (LONG=Y, '+'). */
#include "io/mesh/mesh_dyna.h"
#include "core/sorted.h"
#include "io/mesh/mesh_passed.h"
#include "io/mesh/cell_types.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Limits of *PARAMETER. */
enum { PARAMETERS = 256, PARAMETER_NAME = 32 };

/* State of the reader. */
typedef struct {
  ig_mesh_text t;
  ig_gather g;
  int depth;       /* of included files */
  int format;      /* of columns: '-' standard, '%' whole numbers of 10, '+' all of 20 */
  int usual;       /* that of keywords that do not name one */
  ig_lid curved;   /* shells with mid-side nodes */
  bool loose;      /* a deck as a case: what is not read here is read or refused there */
  ig_passed model; /* keywords that are not read */
  ig_dyna_found *found;
  int parameters; /* of *PARAMETER: numbers that fields name by "&name" */
  struct {
    char name[PARAMETER_NAME];
    double value;
  } parameter[PARAMETERS];
  int of_parts; /* sets made of parts */
  struct part_of_set {
    int set;
    int64_t part;
  } * of_part;
} dyna;

/* A field of the current line. */
typedef struct {
  char *from, *stop;
} field;

/* Advances to the next data line of the current keyword; false: the next keyword begins. Comments
   ($) and empty lines are skipped. */
static bool data_line(dyna *in) {
  while (in->t.next < in->t.end && *in->t.next != '*') {
    ig_text_line(&in->t);
    const char *p = in->t.line;
    while (p < in->t.line_end && (*p == ' ' || *p == '\t'))
      p++;
    if (*in->t.line != '$' && p < in->t.line_end)
      return true;
  }
  return false;
}

/* The next line as it is, for titles, which may be blank; comments are skipped. */
static bool title_line(dyna *in) {
  while (in->t.next < in->t.end && *in->t.next != '*') {
    ig_text_line(&in->t);
    if (*in->t.line != '$')
      return true;
  }
  return false;
}

/* Widths of columns in the format of the keyword: `count` at `standard` become those at `width`. */
static void widths_of(const dyna *in, const int *standard, int count, int *width) {
  for (int i = 0; i < count; i++)
    width[i] = in->format == '+' ? 20 : in->format == '%' && standard[i] == 8 ? 10 : standard[i];
}

/* Splits the line by columns of the given widths. */
static int columns_split(const dyna *in, const int *width, int most, field *f) {
  char *p = in->t.line, *end = in->t.line_end;
  int count = 0;
  for (; count < most && p < end; count++) {
    f[count].from = p;
    p = end - p > width[count] ? p + width[count] : end;
    f[count].stop = p;
    while (f[count].stop > f[count].from && f[count].stop[-1] == ' ')
      f[count].stop--;
  }
  return count;
}

/* Whether every word of the line stands in a column of its own: blank columns then mean 0. */
static bool columns_fit(const dyna *in, const int *width, int most) {
  const char *line = in->t.line, *end = in->t.line_end;
  if (memchr(line, ',', (size_t)(end - line)) || memchr(line, '\t', (size_t)(end - line)))
    return false;
  int column = 0, begin = 0, taken = -1;
  for (const char *p = line; p < end;) {
    if (*p == ' ') {
      p++;
      continue;
    }
    const char *word = p;
    while (p < end && *p != ' ')
      p++;
    while (column < most && begin + width[column] <= word - line)
      begin += width[column++];
    if (column == most || column == taken || p - line > begin + width[column])
      return false;
    taken = column;
  }
  return taken >= 0;
}

/* Splits the line into at most `most` fields: by commas, by spaces, or by columns if a word is
   wider than its column (two numbers touch) or there are fewer than `least` words. Returns how
   many. Commas where there are any, else
   blanks, else columns where the words do not fit, as decks in the wild mix them. */
static int fields_split(const dyna *in, const int *width, int most, int least, field *f) {
  char *line = in->t.line, *end = in->t.line_end;
  int count = 0;
  if (memchr(line, ',', (size_t)(end - line))) {
    for (char *p = line; p && count < most; count++)
      ig_text_field(&in->t, &p, &f[count].from, &f[count].stop);
    while (count && f[count - 1].from == f[count - 1].stop)
      count--;
    return count;
  }
  /* Words between blanks. */
  for (char *p = line; count < most;) {
    while (p < end && (*p == ' ' || *p == '\t'))
      p++;
    if (p == end)
      break;
    f[count].from = p;
    while (p < end && *p != ' ' && *p != '\t')
      p++;
    f[count++].stop = p;
  }
  /* Words that are too few or too wide are columns without blanks between them. */
  bool columns = count < least;
  for (int i = 0; i < count; i++) /* wider than its column: two have run together */
    columns = columns || f[i].stop - f[i].from > width[i];
  if (!columns)
    return count;
  return columns_split(in, width, most, f);
}

/* Value of a parameter reference "&name" or "-&name"; *is false: the field is not one. */
static ig_status parameter_find(dyna *in, const char *from, const char *stop, bool *is,
                                double *value) {
  while (from < stop && *from == ' ')
    from++;
  while (stop > from && stop[-1] == ' ')
    stop--;
  const bool minus = from < stop && *from == '-' && from + 1 < stop && from[1] == '&';
  const char *name = from + (minus ? 2 : 1);
  *is = minus || (from < stop && *from == '&');
  if (!*is)
    return IG_OK;
  for (int i = 0; i < in->parameters; i++)
    if (ig_text_is(name, stop, in->parameter[i].name)) {
      *value = minus ? -in->parameter[i].value : in->parameter[i].value;
      return IG_OK;
    }
  return ig_text_fail(&in->t, from,
                      "no number was given to '%.*s' before: *PARAMETER is read, expressions are "
                      "not",
                      (int)(stop - from), from);
}

/* An integer, or a parameter with an integral value. */
static ig_status int_read(dyna *in, const char *from, const char *stop, int64_t *value) {
  bool named;
  double number = 0;
  IG_TRY(parameter_find(in, from, stop, &named, &number));
  if (!named)
    return ig_text_int(&in->t, from, stop, value);
  if (number != floor(number) || fabs(number) > 1e15)
    return ig_text_fail(&in->t, from, "'%.*s' is %g: expected a whole number", (int)(stop - from),
                        from, number);
  *value = (int64_t)number;
  return IG_OK;
}

static ig_status real_read(dyna *in, const char *from, const char *stop, double *value) {
  bool named;
  IG_TRY(parameter_find(in, from, stop, &named, value));
  return named ? IG_OK : ig_text_real(&in->t, from, stop, value);
}

/* *PARAMETER: pairs of name and value, four per line; the first letter of the name is its type (R,
   I; C is text and skipped). A later definition replaces an earlier one. *PARAMETER: a letter for
   the kind, then the name, then the value, four pairs a line. */
static ig_status parameters_read(dyna *in) {
  static const int standard[] = {10, 10, 10, 10, 10, 10, 10, 10};
  int width[8];
  widths_of(in, standard, 8, width);
  while (data_line(in)) {
    field f[8];
    int count = 0;
    if (memchr(in->t.line, ',', (size_t)(in->t.line_end - in->t.line)))
      count = fields_split(in, width, 8, 1, f);
    else
      for (char *p = in->t.line; count < 8 && p < in->t.line_end; count++) {
        f[count].from = p;
        p = in->t.line_end - p > width[0] ? p + width[0] : in->t.line_end;
        f[count].stop = p;
      }
    /* Pairs of name and value. */
    for (int i = 0; i + 1 < count; i += 2) {
      const char *from = f[i].from, *stop = f[i].stop;
      while (from < stop && *from == ' ')
        from++;
      while (stop > from && stop[-1] == ' ')
        stop--;
      if (from == stop)
        continue;
      if (!strchr("RrIiCc", *from) || stop - from > PARAMETER_NAME)
        return ig_text_fail(&in->t, from, "expected R, I or C and a name of at most %d letters",
                            PARAMETER_NAME - 1);
      /* Texts cannot stand for numbers and are passed over. */
      const bool text = *from == 'C' || *from == 'c';
      for (from++; from < stop && *from == ' ';)
        from++;
      if (text)
        continue;
      if (in->parameters == PARAMETERS)
        return ig_text_fail(&in->t, from, "more than %d parameters", PARAMETERS);
      double value;
      IG_TRY(real_read(in, f[i + 1].from, f[i + 1].stop, &value));
      int at = 0;
      while (at < in->parameters && !ig_text_is(from, stop, in->parameter[at].name))
        at++;
      snprintf(in->parameter[at].name, PARAMETER_NAME, "%.*s", (int)(stop - from), from);
      in->parameter[at].value = value;
      in->parameters += at == in->parameters;
    }
  }
  return IG_OK;
}

/* Larger numbers would collide with those of instances. */
static ig_status id_read(dyna *in, const field *f, int64_t *id) {
  IG_TRY(int_read(in, f->from, f->stop, id));
  if (*id < 1 || *id > IG_ID_MASK)
    return ig_text_fail(&in->t, f->from, "%lld: expected a number from 1", (long long)*id);
  return IG_OK;
}

/* By columns 8, 16, 16, 16 if the words fit, because blank coordinates are allowed there. Columns
   of 8 and 16 letters; free format where they do not fit. */
static ig_status nodes_read(dyna *in) {
  static const int standard[] = {8, 16, 16, 16, 8, 8};
  int width[6];
  widths_of(in, standard, 6, width);
  while (data_line(in)) {
    field f[6];
    const bool columns = columns_fit(in, width, 6);
    const int count = columns ? columns_split(in, width, 6, f) : fields_split(in, width, 6, 4, f);
    if (count < 4)
      return ig_text_fail(&in->t, in->t.line_end, "a node has %d fields: expected number, x, y, z",
                          count);
    int64_t id;
    double x[3];
    bool twice;
    IG_TRY(id_read(in, &f[0], &id));
    for (int d = 0; d < 3; d++) {
      x[d] = 0;
      if (!columns || f[1 + d].from < f[1 + d].stop)
        IG_TRY(real_read(in, f[1 + d].from, f[1 + d].stop, &x[d]));
    }
    IG_TRY(ig_mesh_build_node(&in->g, id, x, &twice));
    if (twice)
      return ig_text_fail(&in->t, f[0].from, "node %lld is defined twice", (long long)id);
    int64_t code[2] = {0, 0};
    for (int i = 0; in->found && i < 2 && 4 + i < count; i++)
      if (f[4 + i].from < f[4 + i].stop) {
        IG_TRY(int_read(in, f[4 + i].from, f[4 + i].stop, &code[i]));
        if (code[i] < 0 || code[i] > 7)
          return ig_text_fail(&in->t, f[4 + i].from, "constraint %lld: expected 0 to 7",
                              (long long)code[i]);
      }
    if (code[0] || code[1]) {
      IG_TRY(IG_MORE(in->t.cx, &in->found->fix, in->found->fixed, "constraints"));
      in->found->fix[in->found->fixed++] = (struct ig_dyna_fixed){id, (int)code[0], (int)code[1]};
    }
  }
  return IG_OK;
}

/* Eight nodes of which some repeat: tetrahedron, wedge or pyramid, in each of the ways in which
   preprocessors write them. `same` gives for each corner the first corner with the same node.
   LS-DYNA has one solid with eight nodes, of which some repeat for wedges, pyramids and tetrahedra.
   ways[] lists those patterns and the corners to take. */
static ig_status hexahedron_type(dyna *in, const char *at, int64_t *node, int *type) {
  static const struct {
    int same[8]; /* of each corner, the first that is the same node */
    int type, nodes, pick[6];
  } ways[] = {
      {{0, 1, 2, 3, 4, 5, 6, 7}, IG_HEX8, 0, {0}},
      {{0, 1, 2, 3, 3, 3, 3, 3}, IG_TET4, 4, {0, 1, 2, 3}},
      {{0, 1, 2, 2, 4, 4, 4, 4}, IG_TET4, 4, {0, 1, 2, 4}},
      {{0, 1, 2, 3, 4, 4, 6, 6}, IG_WEDGE6, 6, {0, 1, 4, 3, 2, 6}},
      {{0, 1, 2, 2, 4, 5, 6, 6}, IG_WEDGE6, 6, {0, 1, 2, 4, 5, 6}},
      {{0, 1, 2, 3, 4, 4, 4, 4}, IG_PYRAMID5, 5, {0, 1, 2, 3, 4}},
  };
  /* For each corner the first that has the same node: two elements with the same pattern are of the
     same shape. */
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    bool same = true;
    for (int a = 0; a < 8; a++) {
      int first = 0;
      while (node[first] != node[a])
        first++;
      same = same && first == ways[w].same[a];
    }
    if (!same)
      continue;
    /* The corners that are left, in the order of the simpler type. */
    int64_t picked[6];
    for (int i = 0; i < ways[w].nodes; i++)
      picked[i] = node[ways[w].pick[i]];
    memcpy(node, picked, (size_t)ways[w].nodes * sizeof *node);
    *type = ways[w].type;
    return IG_OK;
  }
  return ig_text_fail(&in->t, at,
                      "a solid with nodes that repeat: expected a hexahedron, a tetrahedron (4 "
                      "last), a wedge (5 5 7 7) or a pyramid (5 5 5 5)");
}

/* Element type from dimension and number of nodes. A shell whose third and fourth node are equal is
   a triangle. By dimension and number of nodes given. */
static ig_status type_of(dyna *in, const char *at, int dim, int64_t *node, int count, int *type) {
  if (dim == 1) {
    *type = IG_BEAM2;
    return count >= 2 ? IG_OK : ig_text_fail(&in->t, at, "a beam has %d nodes: expected 2", count);
  }
  if (dim == 2) {
    *type = count == 3 || (count >= 4 && node[3] == node[2]) ? IG_TRI3 : IG_QUAD4;
    return count >= 3 ? IG_OK
                      : ig_text_fail(&in->t, at, "a shell has %d nodes: expected 3 or 4", count);
  }
  if (count == 10) {
    *type = IG_TET10;
    return IG_OK;
  }
  if (count == 8)
    return hexahedron_type(in, at, node, type);
  *type = IG_TET4;
  return count == 4
             ? IG_OK
             : ig_text_fail(&in->t, at,
                            "a solid has %d nodes: expected 4 or 8, or 10 on a line of their own",
                            count);
}

/* extra: number of lines after each element that carry options (thickness, orientation) and are
   skipped. extra: further lines of an element that say nothing of the mesh. The part becomes the
   tag. */
static ig_status elements_read(dyna *in, int dim, int extra) {
  static const int standard[] = {8, 8, 8, 8, 8, 8, 8, 8, 8, 8};
  int width[10];
  widths_of(in, standard, 10, width);
  while (data_line(in)) {
    field f[10];
    int64_t id, part, node[10] = {0};
    bool twice;
    int count = fields_split(in, width, 10, 2, f);
    if (count < 2)
      return ig_text_fail(&in->t, in->t.line_end,
                          "an element has %d fields: expected number, "
                          "part, nodes",
                          count);
    IG_TRY(id_read(in, &f[0], &id));
    IG_TRY(id_read(in, &f[1], &part));
    if (part > INT32_MAX)
      return ig_text_fail(&in->t, f[1].from, "part %lld is beyond %d", (long long)part, INT32_MAX);
    /* Where the nodes begin among the fields. */
    int first = 2;
    if (count == 2) { /* the nodes are on a line of their own */
      if (!data_line(in))
        return ig_text_fail(&in->t, in->t.line_end, "element %lld has no nodes", (long long)id);
      count = fields_split(in, width, 10, 1, f);
      first = 0;
    }
    /* Zeros at the end fill the line. */
    int nodes = 0;
    const int most = dim == 1 ? 2 : dim == 2 ? 4 : first == 0 ? 10 : 8;
    for (int i = first; i < count && nodes < most; i++) {
      IG_TRY(int_read(in, f[i].from, f[i].stop, &node[nodes]));
      if (node[nodes] == 0)
        break;
      if (node[nodes] < 0)
        return ig_text_fail(&in->t, f[i].from, "node %lld: expected a number from 1",
                            (long long)node[nodes]);
      nodes++;
    }
    if (in->found && dim == 1) {
      int64_t third = 0;
      if (first + 2 < count && f[first + 2].from < f[first + 2].stop)
        IG_TRY(int_read(in, f[first + 2].from, f[first + 2].stop, &third));
      IG_TRY(IG_MORE(in->t.cx, &in->found->beam, in->found->beams, "beams"));
      bool released = false;
      for (int i = first + 3; i < count && i < first + 7; i++) {
        int64_t code = 0;
        if (f[i].from < f[i].stop)
          IG_TRY(int_read(in, f[i].from, f[i].stop, &code));
        released |= code != 0;
      }
      in->found->beam[in->found->beams++] = (struct ig_dyna_beam){id, third, released};
    }
    int64_t middle = 0;
    if (dim == 2 && nodes == 4 && first + 4 < count && f[first + 4].from < f[first + 4].stop)
      IG_TRY(int_read(in, f[first + 4].from, f[first + 4].stop, &middle));
    in->curved += middle != 0;
    int type = IG_HEX8;
    IG_TRY(type_of(in, in->t.line, dim, node, nodes, &type));
    for (int i = 0; i < extra; i++)
      if (!data_line(in))
        return ig_text_fail(&in->t, in->t.line_end, "a line of element %lld is missing",
                            (long long)id);
    /* Solids, shells and beams have separate numberings in LS-DYNA; the dimension is stored above
       the number. */
    id |= (int64_t)dim << IG_ID_BITS; /* solids, shells and beams are numbered apart */
    IG_TRY(ig_mesh_build_cell(&in->g, id, type, (int32_t)part, node, &twice));
    if (twice)
      return ig_text_fail(&in->t, in->t.line, "element %lld is defined twice",
                          (long long)(id & IG_ID_MASK));
    char name[32];
    snprintf(name, sizeof name, "part_%d", (int)part);
    ig_group *set = ig_mesh_build_group(&in->g, name, strlen(name), IG_SET_ELEMENTS);
    if (!set)
      return ig_text_fail(&in->t, in->t.line, "too many parts");
    IG_TRY(ig_mesh_build_member(&in->g, set, id, 0));
  }
  return IG_OK;
}

/* Forms of set data: members, ranges, segments (faces by nodes), parts. */
enum { LIST, RANGES, SEGMENTS, PARTS };

/* Begins a set: an optional title line, then a line that starts with the set's number. The title
   becomes the name. *number: index of the group. A set has a number, and in the form with _TITLE a
   name on a line before it. Two sets never share a name: the second goes by its kind and number. */
static ig_status set_begin(dyna *in, ig_dyna_kind what, ig_set_kind kind, bool title, int *number) {
  static const char *const words[] = {"nodes", "segments", "solids", "shells", "beams", "parts"};
  static const int standard[] = {10, 10, 10, 10, 10, 10, 10, 10};
  int width[8];
  char name[IG_DYNA_NAME] = "";
  field f[8];
  int64_t id;
  widths_of(in, standard, 8, width);
  if (title && title_line(in)) {
    char *from = in->t.line, *stop = in->t.line_end;
    while (from < stop && *from == ' ')
      from++;
    while (stop > from && stop[-1] == ' ')
      stop--;
    /* Names are cut to what a set may have; slashes would disturb paths of other formats. */
    const size_t length =
        (size_t)(stop - from) < sizeof name ? (size_t)(stop - from) : sizeof name - 1;
    for (size_t i = 0; i < length; i++)
      name[i] = from[i] == '/' || (unsigned char)from[i] < ' ' ? '_' : from[i];
  }
  if (!data_line(in) || fields_split(in, width, 8, 1, f) < 1)
    return ig_text_fail(&in->t, in->t.line_end, "expected the number of the set");
  IG_TRY(id_read(in, &f[0], &id));
  /* Without a title the set is named by its kind and number. */
  const bool elements = what >= IG_DYNA_SOLIDS && what <= IG_DYNA_BEAMS;
  if (!name[0])
    snprintf(name, sizeof name, "%s_%lld", elements ? "elements" : words[what], (long long)id);
  if (ig_mesh_build_find(&in->g, name, strlen(name), kind))
    snprintf(name, sizeof name, "%s_%lld", words[what], (long long)id);
  if (ig_mesh_build_find(&in->g, name, strlen(name), kind))
    return ig_text_fail(&in->t, f[0].from, "there is a set '%s' already", name);
  if (in->found) {
    IG_TRY(IG_MORE(in->t.cx, &in->found->set, in->found->sets, "sets"));
    struct ig_dyna_set *one = &in->found->set[in->found->sets++];
    one->kind = what;
    one->id = id;
    memcpy(one->name, name, sizeof name);
  }
  const ig_group *set = ig_mesh_build_group(&in->g, name, strlen(name), kind);
  if (!set)
    return ig_text_fail(&in->t, in->t.line, "too many sets");
  *number = (int)(set - in->g.group);
  return IG_OK;
}

/* A range is limited relative to the mesh: a typing error must not produce 10^12 members. Missing
   numbers within it are ignored. */
static ig_status range_add(dyna *in, int number, int dim, const int64_t *end, const char *at) {
  if (end[1] < end[0] || end[1] - end[0] > 4 * ((int64_t)in->g.nodes + in->g.cells) + 1000000)
    return ig_text_fail(&in->t, at, "from %lld to %lld: expected numbers of the mesh, rising",
                        (long long)end[0], (long long)end[1]);
  in->g.group[number].gaps = true;
  for (int64_t id = end[0]; id <= end[1]; id++)
    IG_TRY(ig_mesh_build_member(&in->g, &in->g.group[number], id | (int64_t)dim << IG_ID_BITS, 0));
  return IG_OK;
}

/* Reads the members. Segments contribute their nodes; parts are resolved at the end, because
   elements may follow. Members up to the next keyword; zeros and blanks are passed over, and sets
   in ranges give pairs of numbers. */
static ig_status set_read(dyna *in, ig_dyna_kind what, ig_set_kind kind, int dim, int form,
                          bool title) {
  static const int standard[] = {10, 10, 10, 10, 10, 10, 10, 10};
  int number = 0, width[8];
  widths_of(in, standard, 8, width);
  IG_TRY(set_begin(in, what, kind, title, &number));
  while (data_line(in)) {
    field f[8];
    int64_t end[2] = {0, 0}, id;
    struct ig_dyna_segment segment = {.set = in->found ? in->found->sets - 1 : 0};
    /* A segment has four nodes; further fields are attributes. */
    const int count = fields_split(in, width, form == SEGMENTS ? 4 : 8, 1, f);
    for (int i = 0; i < count; i++) {
      if (f[i].from == f[i].stop)
        continue;
      IG_TRY(int_read(in, f[i].from, f[i].stop, &id));
      if (id == 0)
        continue;
      IG_TRY(id_read(in, &f[i], &id));
      end[i % 2] = id;
      segment.node[i % 4] = id;
      if (form == RANGES && i % 2)
        IG_TRY(range_add(in, number, dim, end, f[i].from));
      /* Parts are resolved at the end: their elements may come later. */
      if (form == PARTS) {
        IG_TRY(IG_MORE(in->t.cx, &in->of_part, in->of_parts, "parts of sets"));
        in->of_part[in->of_parts].set = number;
        in->of_part[in->of_parts++].part = id;
      }
      if (form == LIST || form == SEGMENTS)
        IG_TRY(
            ig_mesh_build_member(&in->g, &in->g.group[number], id | (int64_t)dim << IG_ID_BITS, 0));
    }
    if (in->found && form == SEGMENTS) {
      IG_TRY(IG_MORE(in->t.cx, &in->found->segment, in->found->segments, "segments"));
      in->found->segment[in->found->segments++] = segment;
    }
  }
  return IG_OK;
}

/* Sets of parts get their elements once all elements are known. */
static ig_status parts_resolve(dyna *in) {
  for (int i = 0; i < in->of_parts; i++) {
    char name[32];
    snprintf(name, sizeof name, "part_%lld", (long long)in->of_part[i].part);
    const ig_group *part = ig_mesh_build_find(&in->g, name, strlen(name), IG_SET_ELEMENTS);
    for (ig_lid k = 0; part && part != &in->g.group[in->of_part[i].set] && k < part->count; k++)
      IG_TRY(ig_mesh_build_member(&in->g, &in->g.group[in->of_part[i].set], part->id[k], 0));
  }
  return IG_OK;
}

static bool begins(const char *from, const char *stop, const char *word) {
  return (size_t)(stop - from) >= strlen(word) && strncasecmp(from, word, strlen(word)) == 0;
}

static ig_status dyna_read(dyna *in);

/* The included files, a line each, are read as if they were in place of the line. */
static ig_status include_read(dyna *in) {
  ig_mesh_text outer;
  ig_status status = IG_OK;
  if (!data_line(in))
    return ig_text_fail(&in->t, in->t.line_end, "*INCLUDE without the name of a file");
  do {
    char *from = in->t.line, *stop = in->t.line_end;
    while (from < stop && *from == ' ')
      from++;
    while (stop > from && stop[-1] == ' ')
      stop--;
    IG_TRY(ig_text_enter(&in->t, from, (int)(stop - from), in->depth, &outer));
    const int usual = in->usual;
    in->depth++;
    status = dyna_read(in);
    in->depth--;
    in->usual = usual;
    ig_text_leave(&in->t, &outer);
  } while (status == IG_OK && data_line(in));
  return status;
}

/* Dispatches *ELEMENT keywords, with the option lines they add. Point masses, springs and similar
   are skipped with a warning; other options are refused, because the number of lines per element
   would be unknown. Options that add lines must be known, since otherwise those lines would be read
   as elements. */
static ig_status any_elements_read(dyna *in, const char *from, const char *stop) {
  static const struct {
    const char *name;
    int dim, extra;
  } known[] = {{"*ELEMENT_SOLID", 3, 0},
               {"*ELEMENT_SOLID_ORTHO", 3, 2},
               {"*ELEMENT_SOLID (ten nodes format)", 3, 0},
               {"*ELEMENT_BEAM_THICKNESS", 1, 1},
               {"*ELEMENT_BEAM_SECTION", 1, 1},
               {"*ELEMENT_BEAM_ORIENTATION", 1, 1},
               {"*ELEMENT_BEAM_OFFSET", 1, 1},
               {"*ELEMENT_SHELL", 2, 0},
               {"*ELEMENT_SHELL_THICKNESS", 2, 1},
               {"*ELEMENT_SHELL_BETA", 2, 1},
               {"*ELEMENT_SHELL_MCID", 2, 1},
               {"*ELEMENT_SHELL_OFFSET", 2, 1},
               {"*ELEMENT_SHELL_THICKNESS_OFFSET", 2, 2},
               {"*ELEMENT_BEAM", 1, 0}};
  static const char *const passed[] = {"*ELEMENT_MASS", "*ELEMENT_DISCRETE", "*ELEMENT_INERTIA",
                                       "*ELEMENT_SEATBELT", "*ELEMENT_PLOTEL"};
  /* Exact names: an unknown option may add lines, which would be read as elements. */
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (ig_text_is(from, stop, known[i].name))
      return elements_read(in, known[i].dim, known[i].extra);
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
    if (begins(from, stop, passed[i])) {
      if (in->loose) /* the case has said so, or refused it */
        return IG_OK;
      ig_warn(in->t.cx, "%s:%d: %s is passed over", in->t.path, in->t.number, passed[i]);
      return IG_OK;
    }
  return ig_text_fail(&in->t, from,
                      "%.*s is not read: expected *ELEMENT_SOLID, _SHELL or _BEAM, without further "
                      "options but ORTHO, THICKNESS, BETA, OFFSET",
                      (int)(stop - from > 60 ? 60 : stop - from), from);
}

/* Dispatches *SET keywords: nodes, elements, segments or parts. Sets defined by rules (_GENERAL,
   _ADD, _BOX) are skipped with a warning. Segments are taken by their nodes. */
static ig_status any_set_read(dyna *in, const char *from, const char *stop) {
  static const struct {
    const char *name;
    ig_dyna_kind what;
    ig_set_kind kind;
    int dim, form;
  } known[] = {{"*SET_NODE", IG_DYNA_NODES, IG_SET_NODES, 0, LIST},
               {"*SET_SOLID", IG_DYNA_SOLIDS, IG_SET_ELEMENTS, 3, LIST},
               {"*SET_SHELL", IG_DYNA_SHELLS, IG_SET_ELEMENTS, 2, LIST},
               {"*SET_BEAM", IG_DYNA_BEAMS, IG_SET_ELEMENTS, 1, LIST},
               {"*SET_SEGMENT", IG_DYNA_SEGMENTS, IG_SET_NODES, 0, SEGMENTS},
               {"*SET_PART", IG_DYNA_PARTS, IG_SET_ELEMENTS, 0, PARTS}};
  /* _TITLE adds a line with the name before the set. */
  const bool title = stop - from > 6 && strncasecmp(stop - 6, "_TITLE", 6) == 0;
  const char *end = title ? stop - 6 : stop;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const char *rest = from + strlen(known[i].name);
    if (!begins(from, end, known[i].name))
      continue;
    /* _LIST is the same as no option at all. */
    if (begins(rest, end, "_LIST"))
      rest += 5;
    if (rest == end || ig_text_is(rest, end, "_SMOOTH"))
      return set_read(in, known[i].what, known[i].kind, known[i].dim, known[i].form, title);
    if (ig_text_is(rest, end, "_GENERATE") && known[i].form == LIST)
      return set_read(in, known[i].what, known[i].kind, known[i].dim, RANGES, title);
    if (in->loose)
      return IG_OK;
    ig_warn(in->t.cx, "%s:%d: %.*s is not followed: the set is left out", in->t.path, in->t.number,
            (int)(stop - from > 60 ? 60 : stop - from), from);
    return IG_OK;
  }
  return IG_OK;
}

/* The format of the columns under a keyword line: named by a sign at its end, or by *KEYWORD for
   all of the deck. Moves *stop before the sign. */
static void format_read(dyna *in, const char *from, const char **stop) {
  for (const char *p = from; begins(from, *stop, "*KEYWORD") && p < *stop; p++)
    in->usual = begins(p, *stop, "LONG=Y") ? '+' : begins(p, *stop, "I10=Y") ? '%' : in->usual;
  in->format = in->usual;
  if (*stop - from > 1 && strchr("+-%", (*stop)[-1]))
    in->format = *--*stop;
}

/* Keywords that define the model beside its mesh; they are reported once, so that no user believes
   they were read. */
static const char *const model_words[] = {"*MAT_",      "*SECTION_", "*PART",      "*CONTACT_",
                                          "*BOUNDARY_", "*LOAD_",    "*INITIAL_",  "*CONSTRAINED_",
                                          "*RIGIDWALL", "*EOS_",     "*HOURGLASS", "*DEFINE_CURVE",
                                          "*CONTROL_",  "*DAMPING_", "*AIRBAG_",   NULL};

/* *end: *END was met. *end becomes true at *END; what follows is not read. Keywords of no mesh are
   noted for one warning. */
static ig_status keyword_read(dyna *in, bool *end) {
  const char *from = in->t.line, *stop = in->t.line_end;
  while (stop > from && (stop[-1] == ' ' || stop[-1] == '\t'))
    stop--;
  format_read(in, from, &stop);
  /* The order matters where one name begins like another. */
  if (ig_text_is(from, stop, "*NODE"))
    return nodes_read(in);
  if (begins(from, stop, "*ELEMENT_"))
    return any_elements_read(in, from, stop);
  if (begins(from, stop, "*SET_"))
    return any_set_read(in, from, stop);
  if (ig_text_is(from, stop, "*INCLUDE"))
    return include_read(in);
  if (ig_text_is(from, stop, "*PARAMETER") || ig_text_is(from, stop, "*PARAMETER_LOCAL"))
    return parameters_read(in);
  if (begins(from, stop, "*INCLUDE") || begins(from, stop, "*NODE_TRANSFORM"))
    return ig_text_fail(&in->t, from, "%.*s is not followed: put the nodes where they belong",
                        (int)(stop - from > 40 ? 40 : stop - from), from);
  /* What remains may be of the model: it is noted for one warning at the end. */
  ig_passed_note(&in->model, from, stop, model_words);
  *end = ig_text_is(from, stop, "*END");
  return IG_OK;
}

static ig_status dyna_read(dyna *in) {
  bool end = false;
  while (!end && ig_text_line(&in->t))
    if (*in->t.line == '*')
      IG_TRY(keyword_read(in, &end));
  return IG_OK;
}

/* Solids, shells and beams have numberings of their own, which are kept apart while reading. Where
   they have no number in common the mesh has those of the deck. */
static ig_status numbers_plain(ig_ctx *cx, ig_mesh *mesh) {
  const ig_lid count = ig_mesh_elements(mesh);
  int64_t *sorted;
  if (!mesh->element_number)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &sorted, count, "element numbers"));
  for (ig_lid e = 0; e < count; e++)
    sorted[e] = mesh->element_number[e] & IG_ID_MASK;
  qsort(sorted, (size_t)count, sizeof *sorted, ig_rising_i64);
  bool once = true;
  for (ig_lid e = 1; e < count; e++)
    once = once && sorted[e] != sorted[e - 1];
  for (ig_lid e = 0; once && e < count; e++)
    mesh->element_number[e] &= IG_ID_MASK;
  free(sorted);
  return IG_OK;
}

void ig_dyna_found_free(ig_dyna_found *f) {
  free(f->set);
  free(f->segment);
  free(f->beam);
  free(f->fix);
  *f = (ig_dyna_found){0};
}

/* Parts are resolved before the mesh is built. */
ig_status ig_mesh_read_dyna_deck(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                                 ig_dyna_found *found, ig_mesh **mesh) {
  *mesh = NULL;
  dyna in = {.g = {.cx = cx, .split = options->split},
             .usual = '-',
             .loose = options->loose,
             .found = found};
  IG_TRY(ig_text_open(cx, path, &in.t));
  ig_status status = dyna_read(&in);
  if (status == IG_OK)
    status = parts_resolve(&in);
  if (status == IG_OK)
    status = ig_mesh_build_mesh(&in.g, path, false, mesh);
  if (status == IG_OK)
    status = numbers_plain(cx, *mesh);
  if (status == IG_OK && in.curved)
    ig_warn(cx, "%s: %d shells have nodes on their edges: taken by their corners", path, in.curved);
  if (status == IG_OK && !options->loose) /* a case with loose nodes was made of this very deck */
    ig_passed_warn(cx, path, &in.model);
  ig_text_close(&in.t);
  ig_mesh_build_free(&in.g);
  free(in.of_part);
  if (status != IG_OK) {
    ig_mesh_free(*mesh);
    *mesh = NULL;
  }
  return status;
}

ig_status ig_mesh_read_dyna(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                            ig_mesh **mesh) {
  return ig_mesh_read_dyna_deck(cx, path, options, NULL, mesh);
}
