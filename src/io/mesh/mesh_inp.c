/* Reader of Abaqus and CalculiX input files: *NODE, *ELEMENT, *NSET, *ELSET, *SURFACE, flat or with
   *PART and *INSTANCE, with included files. Everything else is skipped and reported once. Grammar:
   a keyword line starts with one star, a comment with two; parameters follow after commas. */
#include "io/mesh/mesh_inp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static ig_status taken(ig_inp *in, const char *at, const char *what, int64_t id) {
  return ig_text_fail(&in->t, at, "%s %lld is defined twice", what, (long long)id);
}

/* Names become names of sets in result files, where '/' is a separator and the length is
   limited. */
static ig_status group_named(ig_inp *in, const char *from, const char *stop, ig_set_kind kind,
                             ig_group **group) {
  bool sound = from < stop && stop - from <= 53;
  for (const char *c = from; sound && c < stop; c++)
    sound = *c != '/' && (unsigned char)*c >= ' ';
  if (!sound)
    return ig_text_fail(&in->t, from, "expected a set name of 1 to 53 letters without '/'");
  *group = ig_mesh_build_group(in->to, from, (size_t)(stop - from), kind);
  return *group ? IG_OK : IG_FAIL(in->t.cx, IG_MEMORY, "no memory for a set");
}

/* Numbers up to 2^31 - 1; the bits above tell instances apart. */
static ig_status id_read(ig_inp *in, char *from, char *stop, int64_t *id) {
  IG_TRY(ig_text_int(&in->t, from, stop, id));
  if (*id < 1 || *id > INT32_MAX)
    return ig_text_fail(&in->t, from, "%lld: expected a number from 1 to %d", (long long)*id,
                        INT32_MAX);
  return IG_OK;
}

/* Coordinates of *NODE, SYSTEM=: cylindrical (C: r, angle in degrees, z) or spherical (S: r, angle
   in the plane, angle from the plane) to Cartesian. Right angles are exact, so that nodes on
   symmetry planes are exactly there. */
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

/* number: group that the nodes join, -1: none. A node that is repeated with the same coordinates is
   accepted. */
static ig_status node_lines(ig_inp *in, char system, int number) {
  while (ig_inp_data_line(in)) {
    char *p = in->t.line, *from, *stop;
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
    IG_TRY(ig_mesh_build_node(in->to, id, x, &twice));
    /* the same again is no mistake: files are put together of others */
    if (twice && !ig_mesh_build_lies_at(in->to, ig_mesh_build_find_node(in->to, id), x))
      return taken(in, at, "node", id);
    if (number >= 0)
      IG_TRY(ig_mesh_build_member(in->to, &in->to->group[number], id, 0));
  }
  return IG_OK;
}

/* The next field of an element, which may continue on the next line. */
static bool node_field(ig_inp *in, char **p, char **from, char **stop) {
  if (*p) {
    ig_text_field(&in->t, p, from, stop);
    if (*from < *stop || *p)
      return true;
  }
  if (!ig_inp_data_line(in))
    return false;
  *p = in->t.line;
  ig_text_field(&in->t, p, from, stop);
  return true;
}

/* The tag of an element is the number of its set + 1. Nodes may go on over several lines; an
   element is complete with the last of them. */
static ig_status element_lines(ig_inp *in, const ig_inp_type *kind, int number) {
  const int npe = ig_cell_info_get(kind->code).nodes;
  while (ig_inp_data_line(in)) {
    char *p = in->t.line, *from, *stop;
    int64_t id, node[IG_CELL_MOST_NODES];
    bool twice;
    ig_text_field(&in->t, &p, &from, &stop);
    IG_TRY(id_read(in, from, stop, &id));
    for (int a = 0; a < npe; a++) {
      if (!node_field(in, &p, &from, &stop))
        return ig_text_fail(&in->t, in->t.line_end, "element %lld ends after %d of %d nodes",
                            (long long)id, a, npe);
      IG_TRY(id_read(in, from, stop, &node[a]));
    }
    /* Abaqus counts end, middle, end. */
    if (kind->code == IG_BEAM3) { /* its middle node comes second */
      const int64_t middle = node[1];
      node[1] = node[2];
      node[2] = middle;
    }
    IG_TRY(ig_mesh_build_cell(in->to, id, kind->code, number + 1, node, &twice));
    if (twice)
      return taken(in, in->t.line, "element", id);
    /* The element set of the keyword takes every element of it. */
    if (number >= 0)
      IG_TRY(ig_mesh_build_member(in->to, &in->to->group[number], id, 0));
  }
  return IG_OK;
}

/* Parameter INPUT=file: the data lines are in that file. *entered: `outer` has the place to return
   to. */
static ig_status input_enter(ig_inp *in, ig_mesh_text *outer, bool *entered) {
  char *from, *stop;
  *entered = ig_inp_parameter(&in->t, "INPUT", &from, &stop) && from < stop;
  if (*entered)
    IG_TRY(ig_text_enter(&in->t, from, (int)(stop - from), in->depth, outer));
  return IG_OK;
}

/* With INPUT= the lines of the file come first, then those below the keyword. SYSTEM: R
   rectangular, C cylindrical, S spherical, angles in degrees, as Abaqus has it. */
static ig_status nodes_read(ig_inp *in) {
  char *from, *stop, system = 'R';
  int number = -1;
  if (ig_inp_parameter(&in->t, "SYSTEM", &from, &stop) && from < stop) {
    system = (char)(*from & ~0x20);
    if (stop - from != 1 || !strchr("RCS", system))
      return ig_text_fail(&in->t, from, "SYSTEM: expected R, C or S");
  }
  if (ig_inp_parameter(&in->t, "NSET", &from, &stop)) {
    ig_group *set;
    IG_TRY(group_named(in, from, stop, IG_SET_NODES, &set));
    number = (int)(set - in->to->group);
  }
  ig_mesh_text outer;
  bool entered;
  IG_TRY(input_enter(in, &outer, &entered));
  const ig_status status = node_lines(in, system, number);
  if (!entered)
    return status;
  ig_text_leave(&in->t, &outer);
  return status == IG_OK ? node_lines(in, system, number) : status;
}

/* Each skipped type is reported once. Decks read as cases (loose) handle such elements
   elsewhere. */
static void passed_over(ig_inp *in, const ig_inp_type *kind, const char *from, const char *stop) {
  const int most = (int)(sizeof in->passed_type / sizeof *in->passed_type);
  for (int i = 0; i < in->passed; i++)
    if (in->passed_type[i] == kind)
      return;
  if (in->passed == most)
    return;
  in->passed_type[in->passed++] = kind;
  if (!in->loose) /* a deck as a case has them elsewhere, or is refused */
    ig_warn(in->t.cx, "%s:%d: elements of type %.*s are passed over", in->t.path, in->t.number,
            (int)(stop - from > 40 ? 40 : stop - from), from);
}

/* Unknown types are refused rather than passed over: a mesh with holes would go unnoticed. */
static ig_status elements_read(ig_inp *in) {
  char *from, *stop;
  if (!ig_inp_parameter(&in->t, "TYPE", &from, &stop))
    return ig_text_fail(&in->t, in->t.line, "*ELEMENT without TYPE=");
  const ig_inp_type *kind = ig_inp_type_find(from, stop);
  if (!kind)
    return ig_text_fail(&in->t, from,
                        "element type %.*s is not known: expected C3D8, C3D4, C3D10, C3D20, C3D6, "
                        "C3D5, S3, S4, S8, CPS3, CPS4, CPE…, B31, B32 or T3D2",
                        (int)(stop - from > 40 ? 40 : stop - from), from);
  /* Springs, masses and connectors have no shape: they are passed over here, and the deck reader
     takes them. */
  if (kind->code == IG_INP_PASSED_OVER) {
    passed_over(in, kind, from, stop);
    if (in->loose)
      in->space = in->whole.bare = true;
    return IG_OK;
  }
  /* One element of space makes a mesh of space. */
  in->space = in->space || !kind->plane;
  int number = -1;
  if (ig_inp_parameter(&in->t, "ELSET", &from, &stop)) {
    ig_group *set;
    IG_TRY(group_named(in, from, stop, IG_SET_ELEMENTS, &set));
    number = (int)(set - in->to->group);
  }
  /* INPUT= names a file with the lines: it is read in place and left afterwards. */
  ig_mesh_text outer;
  bool entered;
  IG_TRY(input_enter(in, &outer, &entered));
  const ig_status status = element_lines(in, kind, number);
  if (!entered)
    return status;
  ig_text_leave(&in->t, &outer);
  return status == IG_OK ? element_lines(in, kind, number) : status;
}

/* GENERATE: first, last, step; missing numbers within the range are ignored. The length is limited
   relative to the mesh. */
static ig_status range_read(ig_inp *in, int number) {
  int64_t v[3] = {0, 0, 1};
  char *p = in->t.line, *from, *stop;
  for (int i = 0; i < 3 && p; i++) {
    ig_text_field(&in->t, &p, &from, &stop);
    if (i < 2 || from < stop)
      IG_TRY(id_read(in, from, stop, &v[i]));
  }
  if (v[1] < v[0] || (v[1] - v[0]) / v[2] > 4 * ((int64_t)in->to->nodes + in->to->cells) + 1000000)
    return ig_text_fail(&in->t, in->t.line,
                        "from %lld to %lld by %lld: expected numbers of the mesh, rising",
                        (long long)v[0], (long long)v[1], (long long)v[2]);
  in->to->group[number].gaps = true;
  for (int64_t id = v[0]; id <= v[1]; id += v[2])
    IG_TRY(ig_mesh_build_member(in->to, &in->to->group[number], in->above | id, 0));
  return IG_OK;
}

/* Adds a member: a set of the same kind by name, a number, or instance.number or instance.set. */
static ig_status member_read(ig_inp *in, int number, ig_set_kind kind, char *from, char *stop) {
  const ig_group *other = ig_mesh_build_find(in->to, from, (size_t)(stop - from), kind);
  if (other) {
    in->to->group[number].gaps |= other->gaps;
    for (ig_lid i = 0; i < other->count && other != &in->to->group[number]; i++)
      IG_TRY(ig_mesh_build_member(in->to, &in->to->group[number], other->id[i], 0));
    return IG_OK;
  }
  int64_t id, above = in->above;
  bool done;
  IG_TRY(ig_inp_dotted(in, number, kind, &from, stop, &above, &done));
  if (done)
    return IG_OK;
  IG_TRY(id_read(in, from, stop, &id));
  return ig_mesh_build_member(in->to, &in->to->group[number], above | id, 0);
}

/* *NSET, ELSET=: the nodes of those elements. */
static ig_status nodes_of_elements(ig_inp *in, int number, const char *from, const char *stop) {
  const ig_gather *g = in->to;
  const ig_group *of = ig_mesh_build_find(in->to, from, (size_t)(stop - from), IG_SET_ELEMENTS);
  if (!of)
    return ig_text_fail(&in->t, from, "element set '%.*s' is not in the file before this",
                        (int)(stop - from > 60 ? 60 : stop - from), from);
  for (ig_lid i = 0; i < of->count; i++) {
    const ig_lid cell = ig_mesh_build_find_cell(g, of->id[i]);
    for (int64_t k = cell < 0 ? 0 : g->offset[cell]; cell >= 0 && k < g->offset[cell + 1]; k++)
      IG_TRY(ig_mesh_build_member(in->to, &in->to->group[number], g->corner[k], 0));
  }
  return IG_OK;
}

/* Members are numbers, ranges with GENERATE, or names of other sets. */
static ig_status set_read(ig_inp *in, ig_set_kind kind) {
  char *from, *stop, *ignore;
  if (!ig_inp_parameter(&in->t, kind == IG_SET_NODES ? "NSET" : "ELSET", &from, &stop))
    return ig_text_fail(&in->t, in->t.line, "a set without a name");
  ig_group *set;
  IG_TRY(group_named(in, from, stop, kind, &set));
  const int number = (int)(set - in->to->group);
  const bool generate = ig_inp_parameter(&in->t, "GENERATE", &ignore, &ignore);
  IG_TRY(ig_inp_instance_of_set(in));
  if (kind == IG_SET_NODES && ig_inp_parameter(&in->t, "ELSET", &from, &stop))
    IG_TRY(nodes_of_elements(in, number, from, stop));
  while (ig_inp_data_line(in)) {
    if (generate)
      IG_TRY(range_read(in, number));
    for (char *p = in->t.line; p && !generate;) {
      ig_text_field(&in->t, &p, &from, &stop);
      if (from < stop)
        IG_TRY(member_read(in, number, kind, from, stop));
    }
  }
  return IG_OK;
}

/* *SURFACE, TYPE=NODE: nodes or node sets, perhaps with an area. */
static ig_status surface_nodes(ig_inp *in, int number) {
  in->above = 0;
  while (ig_inp_data_line(in)) {
    char *p = in->t.line, *from, *stop;
    ig_text_field(&in->t, &p, &from, &stop);
    IG_TRY(member_read(in, number, IG_SET_NODES, from, stop));
  }
  return IG_OK;
}

/* A line of an element surface: element or element set, and side S1 to S6. Elements that were
   skipped are ignored. */
static ig_status surface_side(ig_inp *in, int number, char *from, char *stop, int side) {
  const ig_group *other = ig_mesh_build_find(in->to, from, (size_t)(stop - from), IG_SET_ELEMENTS);
  int64_t one = 0, above = 0;
  bool done;
  if (!other) {
    IG_TRY(ig_inp_dotted(in, -1, IG_SET_ELEMENTS, &from, stop, &above, &done));
    IG_TRY(id_read(in, from, stop, &one));
    one |= above;
  }
  for (ig_lid i = 0; i < (other ? other->count : 1); i++) {
    const int64_t id = other ? other->id[i] : one;
    const ig_lid cell = ig_mesh_build_find_cell(in->to, id);
    if (cell < 0 && other && (other->gaps || in->passed))
      continue;
    if (cell < 0)
      return ig_text_fail(&in->t, from, "element %lld is not in the file", (long long)id);
    IG_TRY(ig_mesh_build_member(in->to, &in->to->group[number], id,
                                ig_inp_face(in->to->type[cell], side)));
  }
  return IG_OK;
}

/* Sides SPOS, SNEG and edges E1... of shells are skipped with a warning: a face set of a shell
   means its edges here. Of elements by sides S1 to S6, or of nodes; the faces of shells (SPOS,
   SNEG) and edges are passed over with a warning. Other kinds, such as analytical surfaces, are
   passed over. */
static ig_status surface_read(ig_inp *in) {
  char *from, *stop;
  bool nodes = false;
  if (ig_inp_parameter(&in->t, "TYPE", &from, &stop) && !ig_text_is(from, stop, "ELEMENT")) {
    nodes = ig_text_is(from, stop, "NODE");
    if (!nodes)
      return IG_OK;
  }
  if (!ig_inp_parameter(&in->t, "NAME", &from, &stop))
    return ig_text_fail(&in->t, in->t.line, "*SURFACE without NAME=");
  ig_group *set;
  char other_name[80]; /* a set of nodes may have the name already, of other nodes */
  /* Sets and surfaces have separate names in Abaqus, here they share one. */
  if (nodes && ig_mesh_build_find(in->to, from, (size_t)(stop - from), IG_SET_NODES) &&
      stop - from < 40) {
    const int length =
        snprintf(other_name, sizeof other_name, "%.*s_surface", (int)(stop - from), from);
    from = other_name;
    stop = from + length;
  }
  IG_TRY(group_named(in, from, stop, nodes ? IG_SET_NODES : IG_SET_FACES, &set));
  const int number = (int)(set - in->to->group);
  if (nodes)
    return surface_nodes(in, number);
  bool others = false;
  /* Elements by number or set, then a side. */
  while (ig_inp_data_line(in)) {
    char *p = in->t.line, *side, *side_stop;
    ig_text_field(&in->t, &p, &from, &stop);
    if (!p)
      return ig_text_fail(&in->t, stop, "expected 'elements, S1'");
    ig_text_field(&in->t, &p, &side, &side_stop);
    if (side_stop - side == 2 && (side[0] == 'S' || side[0] == 's') && side[1] >= '1' &&
        side[1] <= '6') {
      IG_TRY(surface_side(in, number, from, stop, side[1] - '0'));
    } else if (side == side_stop || ig_text_is(side, side_stop, "SPOS") ||
               ig_text_is(side, side_stop, "SNEG") || (*side & ~0x20) == 'E') {
      if (!others)
        ig_warn(in->t.cx, "%s:%d: of a surface only sides S1 to S6 are read: '%.*s' is passed over",
                in->t.path, in->t.number, (int)(in->t.line_end - in->t.line), in->t.line);
      others = true;
    } else {
      return ig_text_fail(&in->t, side, "expected a side S1 to S6");
    }
  }
  in->to->group[number].gaps |= others; /* it may be empty: left out then */
  return IG_OK;
}

static ig_status inp_read(ig_inp *in);

/* --- included files */

/* A file that starts with data instead of a keyword would need the state of the keyword before; it
   is refused. */
static ig_status include_read(ig_inp *in) {
  char *from, *stop;
  ig_mesh_text outer;
  if (!ig_inp_parameter(&in->t, "INPUT", &from, &stop) || from == stop)
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

/* Keywords that create or move nodes or elements: ignoring them would give another mesh, so they
   are refused. */
static bool makes_more(const char *from, const char *stop) {
  static const char *const words[] = {
      "*SYSTEM", "*NGEN",  "*NFILL",  "*NCOPY",
      "*NMAP",   "*ELGEN", "*ELCOPY", "*SYMMETRIC MODEL GENERATION"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ig_text_is(from, stop, words[i]))
      return true;
  return false;
}

/* Keywords that define the model beside its mesh; reported once. */
static const char *const model_words[] = {"*MATERIAL",
                                          "*BOUNDARY",
                                          "*CLOAD",
                                          "*DLOAD",
                                          "*DSLOAD",
                                          "*STEP",
                                          "*SOLID SECTION",
                                          "*SHELL SECTION",
                                          "*BEAM SECTION",
                                          "*TIE",
                                          "*CONTACT",
                                          "*INTERACTION",
                                          "*COUPLING",
                                          "*KINEMATIC",
                                          "*DISTRIBUTING",
                                          "*RIGID BODY",
                                          "*EQUATION",
                                          "*MPC",
                                          "*SPRING",
                                          "*MASS",
                                          "*ROTARY INERTIA",
                                          "*INITIAL CONDITIONS",
                                          "*TEMPERATURE",
                                          "*AMPLITUDE",
                                          "*TRANSFORM",
                                          "*ORIENTATION",
                                          "*CFLUX",
                                          "*DFLUX",
                                          "*FILM",
                                          "*RADIATE",
                                          NULL};

static ig_status inp_read(ig_inp *in) {
  while (ig_inp_keyword_line(in)) {
    char *p = in->t.line, *from, *stop;
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
      IG_TRY(ig_inp_part_begin(in));
    else if (ig_text_is(from, stop, "*END PART"))
      in->to = &in->whole;
    else if (ig_text_is(from, stop, "*INSTANCE"))
      IG_TRY(ig_inp_instance_read(in));
    else if (makes_more(from, stop))
      return ig_text_fail(&in->t, from,
                          "%.*s is not followed: write nodes and elements out, in one system",
                          (int)(stop - from), from);
    else
      ig_passed_note(&in->model, from, stop, model_words);
  }
  return IG_OK;
}

/* A file with one part and no instance is read as that part. A deck with parts and no instance has
   one part that stands where it is. */
ig_status ig_mesh_read_inp(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                           ig_mesh **mesh) {
  *mesh = NULL;
  ig_inp in = {.whole = {.cx = cx,
                         .split = options->split,
                         .quadratic = options->quadratic,
                         .curved = options->curved}};
  in.to = &in.whole;
  in.loose = options->loose;
  IG_TRY(ig_text_open(cx, path, &in.t));
  ig_status status = inp_read(&in);
  if (status == IG_OK && in.parts && !in.instances)
    status = ig_inp_part_alone(&in);
  if (status == IG_OK && !strstr(in.t.text, "\n*") &&
      in.t.text[strspn(in.t.text, " \t\r\n")] != '*')
    status = IG_FAIL(cx, IG_INPUT,
                     "%s: no mesh found: 0 nodes, 0 elements, no keyword: expected *NODE and "
                     "*ELEMENT of Abaqus or CalculiX (`ingot path info` reads toolpaths; meshes of "
                     "AVS are not read)",
                     path);
  /* Sets may name elements that were passed over. */
  for (int i = 0; i < in.whole.groups && in.passed; i++)
    in.whole.group[i].gaps |= in.whole.group[i].kind == IG_SET_ELEMENTS;
  if (status == IG_OK)
    status = ig_mesh_build_mesh(&in.whole, path, !in.space, mesh);
  if (status == IG_OK && !options->loose) /* a case with loose nodes was made of this very deck */
    ig_passed_warn(cx, path, &in.model);
  ig_text_close(&in.t);
  ig_mesh_build_free(&in.whole);
  for (int i = 0; i < in.parts; i++)
    ig_mesh_build_free(&in.part[i].g);
  free(in.part);
  free(in.instance);
  ig_namemap_free(&in.part_of);
  ig_namemap_free(&in.instance_of);
  return status;
}
