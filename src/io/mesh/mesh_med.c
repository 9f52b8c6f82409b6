/* Reader of MED files (Salome, Code_Aster), which are HDF5. Elements of the highest dimension
   become the mesh; a group of them becomes an element set, a group of others or of nodes a node
   set.

   MED assigns each node and element to one family; a family lists the groups it belongs to. Names
   are French: ENS_MAA (meshes), NOE (nodes), COO (coordinates), MAI (elements), NOD (connectivity),
   FAS (families), GRO/NOM (names of groups). */
#include "io/mesh/cell_types.h"
#include "io/format/h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Path length, most memberships, length of a group's name + 1. */
enum { PATH = 512, GROUPS = 4096, NAME = 81 };

/* Element types by MED's names. */
static const struct {
  const char *name;
  int code, dim;
} kinds[] = {{"SE2", IG_BEAM2, 1},         {"SE3", IG_BEAM3, 1},        {"TR3", IG_TRI3, 2},
             {"TR6", IG_TRI6, 2},          {"QU4", IG_QUAD4, 2},        {"QU8", IG_QUAD8, 2},
             {"QU9", IG_CELL_QUAD9, 2},    {"TE4", IG_TET4, 3},         {"T10", IG_TET10, 3},
             {"HE8", IG_HEX8, 3},          {"H20", IG_CELL_HEX20, 3},   {"H27", IG_CELL_HEX27, 3},
             {"PE6", IG_WEDGE6, 3},        {"P15", IG_CELL_WEDGE15, 3}, {"PY5", IG_PYRAMID5, 3},
             {"P13", IG_CELL_PYRAMID13, 3}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* One family (number > 0: of nodes, < 0: of elements) in one group. */
typedef struct {
  int64_t family;
  char group[NAME];
} membership;

/* State of the reader. */
typedef struct {
  ig_ctx *cx;
  ig_gather g;
  char mesh[200], step[200];
  int meshes, steps, dim;
  char families[PATH];
  int64_t family; /* of the one that is being listed */
  int memberships;
  membership member[GROUPS];
} med;

/* Counts meshes and keeps the first name. */
static ig_status name_first(ig_h5 *h5, const char *name, void *user) {
  med *in = user;
  (void)h5;
  if (in->meshes++ == 0)
    snprintf(in->mesh, sizeof in->mesh, "%.199s", name);
  return IG_OK;
}
/* Steps are sorted by name; the last one counts. */
static ig_status step_last(ig_h5 *h5, const char *name, void *user) {
  med *in = user;
  (void)h5;
  in->steps++;
  snprintf(in->step, sizeof in->step, "%.199s", name);
  return IG_OK;
}

/* --- groups */

/* Names of groups: fixed 80 characters, padded with blanks or zeros, stored as an array of bytes.
   Groups of a family: texts of 80 letters, filled with blanks, as MED 3 and 4 store them. */
static ig_status names_read(med *in, ig_h5 *h5, const char *name) {
  hid_t set = -1;
  if (ig_h5_has(h5, name))
    IG_TRY(ig_h5_set_open(h5, name, &set));
  const hid_t type = set >= 0 ? H5Dget_type(set) : -1, space = set >= 0 ? H5Dget_space(set) : -1;
  const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
  char *text = NULL;
  ig_status status = IG_OK;
  const bool good = type >= 0 && H5Tget_size(type) == 80 && count > 0 && count < GROUPS;
  if (good)
    status = ig_alloc(in->cx, (void **)&text, (size_t)count, 80, "names of groups");
  if (good && status == IG_OK && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
    status = IG_FAIL(in->cx, IG_INPUT, "'%s': '%s' cannot be read", h5->path, name);
  /* Names are filled with blanks up to 80 letters. */
  for (hssize_t i = 0; good && status == IG_OK && i < count; i++) {
    if (in->memberships == GROUPS) {
      status = IG_FAIL(in->cx, IG_INPUT, "'%s': more than %d groups", h5->path, GROUPS);
      break;
    }
    membership *m = &in->member[in->memberships++];
    m->family = in->family;
    snprintf(m->group, sizeof m->group, "%.80s", text + 80 * i);
    for (size_t n = strlen(m->group); n > 0 && m->group[n - 1] == ' ';)
      m->group[--n] = '\0';
  }
  free(text);
  if (type >= 0)
    H5Tclose(type);
  if (space >= 0)
    H5Sclose(space);
  if (set >= 0)
    H5Dclose(set);
  return status;
}

/* A family without a number (FAMILLE_ZERO) has no groups. */
static ig_status family_read(ig_h5 *h5, const char *name, void *user) {
  med *in = user;
  char path[2 * PATH];
  snprintf(path, sizeof path, "%s/%s", in->families, name);
  if (ig_h5_get_numbers(h5, path, "NUM", IG_I64, 0, &in->family) != IG_OK)
    return IG_OK; /* FAMILLE_ZERO and the like */
  snprintf(path, sizeof path, "%s/%s/GRO/NOM", in->families, name);
  return ig_h5_has(h5, path) ? names_read(in, h5, path) : IG_OK;
}

/* Failed lookups of optional attributes leave an error in the context, which is cleared. */
static ig_status families_read(med *in, ig_h5 *h5) {
  static const char *const of[] = {"ELEME", "NOEUD"};
  for (int i = 0; i < 2; i++) {
    snprintf(in->families, sizeof in->families, "FAS/%s/%s", in->mesh, of[i]);
    if (ig_h5_has(h5, in->families))
      IG_TRY(ig_h5_list(h5, in->families, family_read, in));
  }
  in->cx->status = IG_OK;
  in->cx->message[0] = '\0';
  return IG_OK;
}

/* Adds items to all groups of a family. */
static ig_status join(med *in, int64_t family, ig_set_kind kind, const int64_t *id, int count) {
  for (int i = 0; family != 0 && i < in->memberships; i++) {
    if (in->member[i].family != family)
      continue;
    const char *name = in->member[i].group;
    ig_group *set = ig_mesh_build_group(&in->g, name, strlen(name), kind);
    if (!set)
      return IG_FAIL(in->cx, IG_INPUT, "too many groups");
    for (int k = 0; k < count; k++)
      IG_TRY(ig_mesh_build_member(&in->g, set, id[k], 0));
  }
  return IG_OK;
}

/* --- nodes and elements; arrays are stored component after component ("full interlace" is not
   used) */

/* *family NULL: no cell or node of this kind has one. */
static ig_status family_list(med *in, ig_h5 *h5, const char *folder, int64_t count,
                             int64_t **family) {
  char name[2 * PATH];
  snprintf(name, sizeof name, "%s/FAM", folder);
  *family = NULL;
  if (!ig_h5_has(h5, name))
    return IG_OK;
  (void)in;
  return ig_h5_get_new(h5, name, IG_I64, count, 1, (void **)family);
}

/* All x, then all y, then all z (MED's full interlace off). */
static ig_status nodes_read(med *in, ig_h5 *h5, const char *at, int64_t space) {
  char folder[PATH + 8], name[PATH + 16];
  snprintf(folder, sizeof folder, "%s/NOE", at);
  snprintf(name, sizeof name, "%s/COO", folder);
  ig_h5_shape shape = {0};
  double *x = NULL;
  int64_t *family = NULL;
  IG_TRY(ig_h5_look(h5, name, &shape));
  const int64_t nodes = shape.rows / space;
  if (shape.components != 1 || shape.rows % space != 0)
    return IG_FAIL(in->cx, IG_INPUT, "'%s': '%s' is no list of %d coordinates a node", h5->path,
                   name, (int)space);
  IG_TRY(ig_h5_get_new(h5, name, IG_F64, shape.rows, 1, (void **)&x));
  ig_status status = family_list(in, h5, folder, nodes, &family);
  /* Nodes have no numbers of their own in MED: they count from 1. */
  for (int64_t n = 0; status == IG_OK && n < nodes; n++) {
    double y[3] = {0};
    bool taken;
    const int64_t id = n + 1;
    for (int64_t d = 0; d < space; d++)
      y[d] = x[d * nodes + n];
    status = ig_mesh_build_node(&in->g, id, y, &taken);
    if (status == IG_OK && family)
      status = join(in, family[n], IG_SET_NODES, &id, 1);
  }
  free(x);
  free(family);
  return status;
}

/* Elements of lower dimension only contribute their nodes to groups. First nodes of all elements,
   then second ones, and so on; numbers count from 1. */
static ig_status elements_read(med *in, ig_h5 *h5, const char *folder, int kind) {
  char name[PATH + 32];
  snprintf(name, sizeof name, "%s/NOD", folder);
  const int nodes = ig_cell_info_get(kinds[kind].code).nodes;
  ig_h5_shape shape = {0};
  int64_t *corner = NULL, *family = NULL, node[IG_CELL_MOST_NODES];
  IG_TRY(ig_h5_look(h5, name, &shape));
  const int64_t count = shape.rows / nodes;
  if (shape.components != 1 || shape.rows % nodes != 0)
    return IG_FAIL(in->cx, IG_INPUT, "'%s': '%s' is no list of %d nodes per element", h5->path,
                   name, nodes);
  IG_TRY(ig_h5_get_new(h5, name, IG_I64, shape.rows, 1, (void **)&corner));
  ig_status status = family_list(in, h5, folder, count, &family);
  for (int64_t e = 0; status == IG_OK && e < count; e++) {
    for (int a = 0; a < nodes; a++)
      node[a] = corner[a * count + e];
    /* Elements of a lower dimension are the faces and edges of groups: only their nodes are
       taken. */
    const bool part = kinds[kind].dim == in->dim;
    const int64_t id = in->g.cells + 1;
    bool taken;
    if (part)
      status = ig_mesh_build_cell(&in->g, id, kinds[kind].code, family ? (int32_t)family[e] : 0,
                                  node, &taken);
    if (status == IG_OK && family)
      status = join(in, family[e], part ? IG_SET_ELEMENTS : IG_SET_NODES, part ? &id : node,
                    part ? 1 : nodes);
  }
  free(corner);
  free(family);
  return status;
}

/* Exactly one mesh is expected. */
static ig_status mesh_find(med *in, ig_h5 *h5, char at[PATH]) {
  if (!ig_h5_has(h5, "ENS_MAA"))
    return IG_FAIL(in->cx, IG_INPUT, "'%s': this is no MED file: ENS_MAA is missing", h5->path);
  IG_TRY(ig_h5_list(h5, "ENS_MAA", name_first, in));
  if (in->meshes != 1)
    return IG_FAIL(in->cx, IG_INPUT, "'%s' holds %d meshes: expected one", h5->path, in->meshes);
  snprintf(at, PATH, "ENS_MAA/%s", in->mesh);
  IG_TRY(ig_h5_list(h5, at, step_last, in));
  if (in->steps == 0)
    return IG_FAIL(in->cx, IG_INPUT, "'%s': its mesh is empty", h5->path);
  snprintf(at, PATH, "ENS_MAA/%s/%s", in->mesh, in->step);
  return IG_OK;
}

/* ESP: dimension of space. The one mesh of the file, at its last step. */
static ig_status med_read(med *in, ig_h5 *h5) {
  char at[PATH], folder[PATH + 16];
  int64_t space = 3;
  IG_TRY(mesh_find(in, h5, at));
  snprintf(folder, sizeof folder, "ENS_MAA/%s", in->mesh);
  IG_TRY(ig_h5_get_numbers(h5, folder, "ESP", IG_I64, 0, &space));
  if (space < 1 || space > 3)
    return IG_FAIL(in->cx, IG_INPUT, "'%s': its space has %d dimensions", h5->path, (int)space);
  IG_TRY(families_read(in, h5));
  IG_TRY(nodes_read(in, h5, at, space));
  bool there[KINDS];
  for (int k = 0; k < KINDS; k++) {
    snprintf(folder, sizeof folder, "%s/MAI/%s", at, kinds[k].name);
    there[k] = ig_h5_has(h5, folder);
    if (there[k] && kinds[k].dim > in->dim)
      in->dim = kinds[k].dim;
  }
  for (int k = 0; k < KINDS; k++) {
    snprintf(folder, sizeof folder, "%s/MAI/%s", at, kinds[k].name);
    if (there[k])
      IG_TRY(elements_read(in, h5, folder, k));
  }
  return IG_OK;
}

/* The struct is large, so it is allocated. */
ig_status ig_mesh_read_med(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                           ig_mesh **mesh) {
  med *in;
  ig_h5 h5;
  *mesh = NULL;
  IG_TRY(IG_NEW(cx, &in, 1, "a MED file"));
  in->cx = cx;
  in->g = (ig_gather){.cx = cx, .split = options->split};
  ig_status status = ig_h5_open(cx, path, false, &h5);
  if (status == IG_OK)
    status = med_read(in, &h5);
  ig_h5_close(&h5);
  if (status == IG_OK)
    status = ig_mesh_build_mesh(&in->g, path, true, mesh);
  ig_mesh_build_free(&in->g);
  free(in);
  return status;
}
