/* Reader of MFEM meshes (.mesh that begins with "MFEM mesh v1"): sections `dimension`, `elements`,
   `boundary`, `vertices`, and `nodes` where the coordinates are a grid function. An attribute of
   elements becomes the element set attribute_N, one of the boundary the node set boundary_N.
   Elements of curved meshes are taken by their vertices, with a warning. */
#include "io/mesh/mesh_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MFEM's numbers of geometries, in their order; nodes are in VTK's order. */
static const struct {
  int type, nodes, dim;
} geometries[] = {{-1, 1, 0},      {IG_BEAM2, 2, 1}, {IG_TRI3, 3, 2},   {IG_QUAD4, 4, 2},
                  {IG_TET4, 4, 3}, {IG_HEX8, 8, 3},  {IG_WEDGE6, 6, 3}, {IG_PYRAMID5, 5, 3}};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries };

typedef struct {
  ig_mesh_text t;
  char *p; /* in the current line */
  ig_gather g;
  int64_t dim, vertices;
  bool placed, curved; /* vertices have coordinates; elements have more nodes than vertices */
} mfem;

/* The next word, across lines and comments (# to the end of a line); false at the end. */
static bool word(mfem *in, char **from, char **stop) {
  ig_mesh_text *t = &in->t;
  for (;;) {
    while (in->p < t->line_end && strchr(" \t\r", *in->p))
      in->p++;
    if (in->p < t->line_end && *in->p != '#')
      break;
    if (!ig_text_line(t))
      return false;
    in->p = t->line;
  }
  *from = in->p;
  while (in->p < t->line_end && !strchr(" \t\r#", *in->p))
    in->p++;
  *stop = in->p;
  return true;
}

static ig_status need(mfem *in, const char *what, char **from, char **stop) {
  return word(in, from, stop)
             ? IG_OK
             : ig_text_fail(&in->t, in->t.line_end, "the file ends within %s", what);
}

static ig_status whole(mfem *in, const char *what, int64_t low, int64_t high, int64_t *value) {
  char *from = NULL, *stop = NULL;
  *value = 0;
  IG_TRY(need(in, what, &from, &stop));
  IG_TRY(ig_text_int(&in->t, from, stop, value));
  return *value >= low && *value <= high
             ? IG_OK
             : ig_text_fail(&in->t, from, "%lld in %s: expected %lld to %lld", (long long)*value,
                            what, (long long)low, (long long)high);
}

static ig_status real(mfem *in, const char *what, double *value) {
  char *from = NULL, *stop = NULL;
  IG_TRY(need(in, what, &from, &stop));
  return ig_text_real(&in->t, from, stop, value);
}

static ig_status group_of(mfem *in, const char *what, int64_t attribute, ig_set_kind kind,
                          ig_group **group) {
  char name[64];
  snprintf(name, sizeof name, "%s_%lld", what, (long long)attribute);
  *group = ig_mesh_build_group(&in->g, name, strlen(name), kind);
  return *group ? IG_OK : IG_FAIL(in->g.cx, IG_MEMORY, "no memory for the sets of a mesh");
}

/* Lines of attribute, geometry and vertices. Vertices are numbered from 1 in the gatherer. */
static ig_status cells_read(mfem *in, bool boundary) {
  const char *what = boundary ? "boundary" : "elements";
  int64_t count, attribute, geometry;
  IG_TRY(whole(in, what, 0, INT32_MAX, &count));
  for (int64_t e = 1; e <= count; e++) {
    int64_t node[8];
    ig_group *group = NULL;
    bool taken;
    IG_TRY(whole(in, what, 0, INT32_MAX, &attribute));
    char *const at = in->p;
    IG_TRY(whole(in, what, 0, GEOMETRIES - 1, &geometry));
    if (!boundary && geometries[geometry].dim != in->dim)
      return ig_text_fail(&in->t, at, "an element of dimension %d in a mesh of dimension %lld",
                          geometries[geometry].dim, (long long)in->dim);
    for (int a = 0; a < geometries[geometry].nodes; a++) {
      IG_TRY(whole(in, what, 0, INT32_MAX - 1, &node[a]));
      node[a]++;
    }
    if (boundary) {
      IG_TRY(group_of(in, "boundary", attribute, IG_SET_NODES, &group));
      for (int a = 0; a < geometries[geometry].nodes; a++)
        IG_TRY(ig_mesh_build_member(&in->g, group, node[a], 0));
      continue;
    }
    IG_TRY(
        ig_mesh_build_cell(&in->g, e, geometries[geometry].type, (int32_t)attribute, node, &taken));
    IG_TRY(group_of(in, "attribute", attribute, IG_SET_ELEMENTS, &group));
    IG_TRY(ig_mesh_build_member(&in->g, group, e, 0));
  }
  return IG_OK;
}

static ig_status node_put(mfem *in, int64_t number, const double x[3]) {
  bool taken;
  in->placed = true;
  return ig_mesh_build_node(&in->g, number, x, &taken);
}

/* The number of vertices, then their coordinates unless `nodes` has them. */
static ig_status vertices_read(mfem *in) {
  char *from = NULL, *stop = NULL;
  int64_t dim;
  IG_TRY(whole(in, "vertices", 0, INT32_MAX - 1, &in->vertices));
  char *const before = in->p;
  const int line = in->t.number;
  if (!word(in, &from, &stop) || ig_text_is(from, stop, "nodes")) {
    if (in->t.number == line)
      in->p = before;
    else
      in->p = from; /* the word is the next section */
    return IG_OK;
  }
  in->p = from;
  IG_TRY(whole(in, "vertices", 1, 3, &dim));
  for (int64_t v = 1; v <= in->vertices; v++) {
    double x[3] = {0, 0, 0};
    for (int64_t d = 0; d < dim; d++)
      IG_TRY(real(in, "vertices", &x[d]));
    IG_TRY(node_put(in, v, x));
  }
  return IG_OK;
}

/* A grid function: its space, then all values. Values at vertices come first in continuous spaces;
   discontinuous ones are of periodic meshes, whose vertices have several places. */
static ig_status nodes_read(mfem *in) {
  char *from = NULL, *stop = NULL;
  int64_t dim = 0, ordering = -1, count = 0;
  bool linear = false;
  while (dim == 0 || ordering < 0) {
    IG_TRY(need(in, "nodes", &from, &stop));
    if (ig_text_is(from, stop, "FiniteElementCollection:")) {
      IG_TRY(need(in, "nodes", &from, &stop));
      linear =
          ig_text_is(from, stop, "Linear") || (stop - from > 2 && !strncmp(stop - 3, "_P1", 3));
      if (strncmp(from, "H1_", 3) != 0 && !ig_text_is(from, stop, "Linear") &&
          !ig_text_is(from, stop, "Quadratic") && !ig_text_is(from, stop, "Cubic"))
        return ig_text_fail(&in->t, from,
                            "nodes in the space %.*s: expected a continuous one (H1_…, Linear, "
                            "Quadratic, Cubic); meshes that are periodic or NURBS are not read",
                            (int)(stop - from > 40 ? 40 : stop - from), from);
    } else if (ig_text_is(from, stop, "VDim:")) {
      IG_TRY(whole(in, "nodes", 1, 3, &dim));
    } else if (ig_text_is(from, stop, "Ordering:")) {
      IG_TRY(whole(in, "nodes", 0, 1, &ordering));
    }
  }
  /* Ordering 0: all values of x, then y, then z; 1: x, y, z of each node. */
  double *value = NULL;
  int64_t capacity = 0;
  ig_status status = IG_OK;
  while (status == IG_OK && word(in, &from, &stop)) {
    if (*from != '-' && *from != '+' && *from != '.' && (*from < '0' || *from > '9'))
      break; /* mfem_mesh_end */
    if (count == capacity) {
      capacity = capacity ? 2 * capacity : 1024;
      double *more = realloc(value, (size_t)capacity * sizeof *more);
      status = more ? IG_OK : IG_FAIL(in->g.cx, IG_MEMORY, "no memory for the nodes of a mesh");
      value = more ? more : value;
    }
    if (status == IG_OK)
      status = ig_text_real(&in->t, from, stop, &value[count++]);
  }
  const int64_t nodes = count / dim;
  if (status == IG_OK && (count % dim != 0 || nodes < in->vertices))
    status = ig_text_fail(&in->t, in->t.line,
                          "%lld numbers in nodes: expected %lld for each of at "
                          "least %lld vertices",
                          (long long)count, (long long)dim, (long long)in->vertices);
  for (int64_t v = 0; status == IG_OK && v < in->vertices; v++) {
    double x[3] = {0, 0, 0};
    for (int64_t d = 0; d < dim; d++)
      x[d] = value[ordering ? v * dim + d : d * nodes + v];
    status = node_put(in, v + 1, x);
  }
  free(value);
  in->curved = !linear;
  return status;
}

/* Sections until the vertices have their places. */
static ig_status sections_read(mfem *in) {
  char *from = NULL, *stop = NULL;
  if (!ig_text_line(&in->t) || strncmp(in->t.line, "MFEM mesh v1", 12) != 0)
    return ig_text_fail(&in->t, in->t.line,
                        "'%.*s': expected 'MFEM mesh v1.x' (NURBS, NC and INLINE meshes are not "
                        "read: let MFEM refine or save them as such a mesh)",
                        (int)(in->t.line_end - in->t.line > 40 ? 40 : in->t.line_end - in->t.line),
                        in->t.line);
  in->p = in->t.line_end;
  while (word(in, &from, &stop)) {
    if (ig_text_is(from, stop, "dimension"))
      IG_TRY(whole(in, "dimension", 1, 3, &in->dim));
    else if (ig_text_is(from, stop, "elements"))
      IG_TRY(cells_read(in, false));
    else if (ig_text_is(from, stop, "boundary"))
      IG_TRY(cells_read(in, true));
    else if (ig_text_is(from, stop, "vertices"))
      IG_TRY(vertices_read(in));
    else if (ig_text_is(from, stop, "nodes") && !in->placed)
      IG_TRY(nodes_read(in));
    /* sets of attributes by name, and the word at the end, say nothing of the mesh */
  }
  return in->placed
             ? IG_OK
             : ig_text_fail(&in->t, in->t.line_end, "the file ends before vertices or nodes");
}

ig_status ig_mesh_read_mfem(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                            ig_mesh **mesh) {
  mfem *in;
  *mesh = NULL;
  IG_TRY(IG_NEW(cx, &in, 1, "an MFEM mesh"));
  in->g = (ig_gather){.cx = cx, .split = options->split};
  ig_status status = ig_text_open(cx, path, &in->t);
  if (status == IG_OK) {
    status = sections_read(in);
    if (status == IG_OK)
      status = ig_mesh_build_mesh(&in->g, path, in->dim < 3, mesh);
    if (status == IG_OK && in->curved)
      ig_warn(cx, "%s: curved elements are taken by their vertices", path);
    ig_text_close(&in->t);
  }
  ig_mesh_build_free(&in->g);
  free(in);
  return status;
}
