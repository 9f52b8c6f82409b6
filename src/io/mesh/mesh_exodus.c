/* Reader of Exodus II meshes (.e, .exo, .ex2, .g) in netCDF-4, which is HDF5. Blocks of elements
   become element sets, node sets node sets, side sets face sets, by their names or as block_ID,
   nodeset_ID, sideset_ID.

   Datasets, numbered from 1: coordx, coordy, coordz (or coord, one row each); connectN with the
   attribute elem_type; node_nsN; elem_ssN and side_ssN; names in eb_names, ns_names, ss_names,
   numbers in eb_prop1, ns_prop1, ss_prop1. Nodes and elements count from 1, elements through all
   blocks. */
#include "core/number.h"
#include "io/format/atomic_file.h"
#include "io/format/h5.h"
#include "io/mesh/cell_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Blocks or sets of a kind at most; length of a name. */
enum { MOST = 10000, NAME = 64 };

/* Types by the beginning of their names and by their nodes. */
static const struct {
  const char *name;
  int nodes, code;
} kinds[] = {{"HEX", 8, IG_HEX8},
             {"HEX", 20, IG_CELL_HEX20},
             {"HEX", 27, IG_CELL_HEX27},
             {"TET", 4, IG_TET4},
             {"TET", 10, IG_TET10},
             {"WEDGE", 6, IG_WEDGE6},
             {"WEDGE", 15, IG_CELL_WEDGE15},
             {"WEDGE", 18, IG_CELL_WEDGE18},
             {"PYR", 5, IG_PYRAMID5},
             {"PYR", 13, IG_CELL_PYRAMID13},
             {"PYR", 14, IG_CELL_PYRAMID14},
             {"TRI", 3, IG_TRI3},
             {"TRI", 6, IG_TRI6},
             {"SHELL", 3, IG_TRI3},
             {"SHELL", 6, IG_TRI6},
             {"SHELL", 4, IG_QUAD4},
             {"SHELL", 8, IG_QUAD8},
             {"SHELL", 9, IG_CELL_QUAD9},
             {"QUAD", 4, IG_QUAD4},
             {"QUAD", 8, IG_QUAD8},
             {"QUAD", 9, IG_CELL_QUAD9},
             {"BEAM", 2, IG_BEAM2},
             {"BEAM", 3, IG_BEAM3},
             {"BAR", 2, IG_BEAM2},
             {"BAR", 3, IG_BEAM3},
             {"TRUSS", 2, IG_BEAM2},
             {"EDGE", 2, IG_BEAM2},
             {"EDGE", 3, IG_BEAM3}};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct {
  ig_ctx *cx;
  ig_gather g;
  ig_h5 *h5;
  int64_t passed; /* sides of shells, which are no faces here */
} exodus;

/* --- names */

/* The name of the k-th (from 0) block or set: as the file gives it, or kind_ID. */
static ig_status name_of(exodus *in, const char *prefix, const char *kind, int k, char name[NAME]) {
  char path[32];
  ig_h5_shape shape = {0};
  int64_t id = k + 1, *ids = NULL;
  ig_format(path, sizeof path, "%s_prop1", prefix);
  if (ig_h5_has(in->h5, path)) {
    IG_TRY(ig_h5_look(in->h5, path, &shape));
    IG_TRY(ig_h5_get_new(in->h5, path, IG_I64, shape.rows, shape.components, (void **)&ids));
    id = k < shape.rows * shape.components ? ids[k] : id;
    free(ids);
  }
  ig_format(name, NAME, "%s_%lld", kind, (long long)id);
  ig_format(path, sizeof path, "%s_names", prefix);
  if (!ig_h5_has(in->h5, path))
    return IG_OK;
  /* Letters, one row for each name. */
  hid_t set;
  IG_TRY(ig_h5_set_open(in->h5, path, &set));
  const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  hsize_t size[2] = {0, 0};
  char *text = NULL;
  ig_status status = IG_OK;
  if (space >= 0 && type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tget_size(type) == 1 &&
      H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, size, NULL) == 2 &&
      (hsize_t)k < size[0] && size[0] <= MOST && size[1] <= 4096) {
    status = ig_alloc(in->cx, (void **)&text, (size_t)size[0] * (size_t)size[1] + 1, 1, "names");
    if (status == IG_OK && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) {
      const char *from = text + (size_t)k * (size_t)size[1];
      int length = (int)strnlen(from, (size_t)size[1]);
      while (length > 0 && from[length - 1] == ' ')
        length--;
      if (length > 0 && length < NAME)
        ig_format(name, NAME, "%.*s", length, from);
    }
  }
  free(text);
  if (type >= 0)
    H5Tclose(type);
  if (space >= 0)
    H5Sclose(space);
  H5Dclose(set);
  return status;
}

/* --- nodes and elements */

static ig_status list_read(exodus *in, const char *name, int64_t **list, int64_t *count) {
  ig_h5_shape shape = {0};
  IG_TRY(ig_h5_look(in->h5, name, &shape));
  *count = shape.rows * shape.components;
  return ig_h5_get_new(in->h5, name, IG_I64, shape.rows, shape.components, (void **)list);
}

/* A table with a row for x, y and, in space, z. *all: freed by the caller. */
static ig_status coord_read(exodus *in, double **all, int *dim, int64_t *nodes) {
  hid_t set;
  IG_TRY(ig_h5_set_open(in->h5, "coord", &set));
  const hid_t space = H5Dget_space(set);
  hsize_t size[2] = {0, 0};
  ig_status status = IG_OK;
  const bool good = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
                    H5Sget_simple_extent_dims(space, size, NULL) == 2 && size[0] >= 2 &&
                    size[0] <= 3 && size[1] <= INT32_MAX && size[1] <= 1100 * (hsize_t)in->h5->size;
  if (space >= 0)
    H5Sclose(space);
  *dim = (int)size[0];
  *nodes = (int64_t)size[1];
  if (good)
    status = IG_NEW(in->cx, all, *dim * *nodes + 1, "coordinates");
  if (status == IG_OK &&
      (!good || H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *all) < 0))
    status = IG_FAIL(in->cx, IG_INPUT, "'%s': 'coord' is no table of coordinates", in->h5->path);
  H5Dclose(set);
  return status;
}

static ig_status nodes_read(exodus *in) {
  static const char *const axis[] = {"coordx", "coordy", "coordz"};
  double *x[3] = {NULL, NULL, NULL}, *all = NULL;
  ig_h5_shape shape = {0};
  int64_t nodes = 0;
  ig_status status = IG_OK;
  if (ig_h5_has(in->h5, "coord")) {
    int dim = 0;
    status = coord_read(in, &all, &dim, &nodes);
    for (int d = 0; d < dim && all; d++)
      x[d] = all + d * nodes;
  } else {
    for (int d = 0; d < 3 && status == IG_OK && (d < 2 || ig_h5_has(in->h5, axis[d])); d++) {
      status = ig_h5_look(in->h5, axis[d], &shape);
      nodes = d ? nodes : shape.rows;
      if (status == IG_OK)
        status = ig_h5_get_new(in->h5, axis[d], IG_F64, nodes, 1, (void **)&x[d]);
    }
  }
  for (int64_t n = 0; status == IG_OK && n < nodes; n++) {
    const double at[3] = {x[0][n], x[1][n], x[2] ? x[2][n] : 0};
    bool taken;
    status = ig_mesh_build_node(&in->g, n + 1, at, &taken);
  }
  for (int d = 0; d < 3 && !all; d++)
    free(x[d]);
  free(all);
  return status;
}

/* Adds items to the set of a name. */
static ig_status join(exodus *in, const char *name, ig_set_kind kind, int64_t id, int face) {
  ig_group *set = ig_mesh_build_group(&in->g, name, strlen(name), kind);
  if (!set)
    return IG_FAIL(in->cx, IG_INPUT, "'%s': too many sets", in->h5->path);
  return ig_mesh_build_member(&in->g, set, id, face);
}

static ig_status block_read(exodus *in, int k) {
  char path[32], type[64] = "", name[NAME];
  ig_h5_shape shape = {0};
  int64_t *corner = NULL;
  ig_format(path, sizeof path, "connect%d", k + 1);
  IG_TRY(ig_h5_look(in->h5, path, &shape));
  IG_TRY(ig_h5_get_text(in->h5, path, "elem_type", type, sizeof type));
  IG_TRY(name_of(in, "eb", "block", k, name));
  if (strncasecmp(type, "SPHERE", 6) == 0 || strncasecmp(type, "CIRCLE", 6) == 0)
    return IG_FAIL(in->cx, IG_INPUT, "'%s': block '%s' holds particles (%s), which are no elements",
                   in->h5->path, name, type);
  int i = 0;
  while (i < KINDS && (strncasecmp(type, kinds[i].name, strlen(kinds[i].name)) != 0 ||
                       kinds[i].nodes != shape.components))
    i++;
  if (i == KINDS)
    return IG_FAIL(in->cx, IG_INPUT,
                   "'%s': block '%s' has elements of type '%s' with %d nodes, which are not read",
                   in->h5->path, name, type, shape.components);
  IG_TRY(ig_h5_get_new(in->h5, path, IG_I64, shape.rows, shape.components, (void **)&corner));
  ig_status status = IG_OK;
  for (int64_t e = 0; status == IG_OK && e < shape.rows; e++) {
    const int64_t id = in->g.cells + 1;
    bool taken;
    status =
        ig_mesh_build_cell(&in->g, id, kinds[i].code, k + 1, corner + e * shape.components, &taken);
    if (status == IG_OK)
      status = join(in, name, IG_SET_ELEMENTS, id, 0);
  }
  free(corner);
  return status;
}

/* --- sets */

static ig_status node_set_read(exodus *in, int k) {
  char path[32], name[NAME];
  int64_t *node = NULL, count = 0;
  ig_format(path, sizeof path, "node_ns%d", k + 1);
  IG_TRY(name_of(in, "ns", "nodeset", k, name));
  ig_status status = list_read(in, path, &node, &count);
  for (int64_t i = 0; status == IG_OK && i < count; i++)
    status = join(in, name, IG_SET_NODES, node[i], 0);
  free(node);
  return status;
}

/* The local face of a side of Exodus, from 1; -1: it has none. */
static int face_of(int code, int64_t side) {
  static const int hex[] = {3, 4, 5, 6, 1, 2}, tet[] = {2, 3, 4, 1}, wedge[] = {3, 4, 5, 1, 2},
                   pyramid[] = {2, 3, 4, 5, 1}; /* as sides of Abaqus */
  const ig_elem_type type = ig_cell_type(code);
  const ig_elem_info *info = ig_elem_info_get(type);
  if (info->dim != 3 || side < 1 || side > info->faces)
    return -1;
  return ig_inp_face(code, type == IG_HEX8       ? hex[side - 1]
                           : type == IG_WEDGE6   ? wedge[side - 1]
                           : type == IG_PYRAMID5 ? pyramid[side - 1]
                                                 : tet[side - 1]);
}

static ig_status side_set_read(exodus *in, int k) {
  char path[32], name[NAME];
  int64_t *element = NULL, *side = NULL, count = 0, sides = 0;
  ig_format(path, sizeof path, "elem_ss%d", k + 1);
  IG_TRY(name_of(in, "ss", "sideset", k, name));
  ig_status status = list_read(in, path, &element, &count);
  ig_format(path, sizeof path, "side_ss%d", k + 1);
  if (status == IG_OK)
    status = list_read(in, path, &side, &sides);
  if (status == IG_OK && count != sides)
    status = IG_FAIL(in->cx, IG_INPUT, "'%s': side set '%s' has %lld elements and %lld sides",
                     in->h5->path, name, (long long)count, (long long)sides);
  for (int64_t i = 0; status == IG_OK && i < count; i++) {
    const ig_lid cell = ig_mesh_build_find_cell(&in->g, element[i]);
    if (cell < 0) {
      status = IG_FAIL(in->cx, IG_INPUT, "'%s': side set '%s' names element %lld: there are %d",
                       in->h5->path, name, (long long)element[i], (int)in->g.cells);
      break;
    }
    const int face = face_of(in->g.type[cell], side[i]);
    if (face < 0)
      in->passed++;
    else
      status = join(in, name, IG_SET_FACES, element[i], face);
  }
  free(element);
  free(side);
  return status;
}

/* Calls `read` for the numbered datasets of a kind. */
static ig_status each(exodus *in, const char *dataset, ig_status (*read)(exodus *, int),
                      int *count) {
  char path[32];
  for (*count = 0; *count < MOST; ++*count) {
    ig_format(path, sizeof path, "%s%d", dataset, *count + 1);
    if (!ig_h5_has(in->h5, path))
      return IG_OK;
    IG_TRY(ig_interrupt_take(in->cx, "reading"));
    IG_TRY(read(in, *count));
  }
  return IG_FAIL(in->cx, IG_INPUT, "'%s': more than %d of '%s'", in->h5->path, MOST, dataset);
}

static ig_status exodus_read(exodus *in) {
  int blocks, sets;
  if (!ig_h5_has(in->h5, "coord") && !ig_h5_has(in->h5, "coordx"))
    return IG_FAIL(in->cx, IG_INPUT, "'%s': this is no Exodus file: it has no coordinates",
                   in->h5->path);
  IG_TRY(nodes_read(in));
  IG_TRY(each(in, "connect", block_read, &blocks));
  if (blocks == 0)
    return IG_FAIL(in->cx, IG_INPUT, "'%s': it has no blocks of elements", in->h5->path);
  IG_TRY(each(in, "node_ns", node_set_read, &sets));
  IG_TRY(each(in, "elem_ss", side_set_read, &sets));
  if (in->passed)
    ig_warn(in->cx,
            "%s: %lld sides of shells, plane elements or beams in side sets are passed over",
            in->h5->path, (long long)in->passed);
  return IG_OK;
}

ig_status ig_mesh_read_exodus(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                              ig_mesh **mesh) {
  exodus in = {.cx = cx, .g = {.cx = cx, .split = options->split}};
  ig_h5 h5;
  char *head = NULL;
  size_t size = 0;
  *mesh = NULL;
  IG_TRY(ig_file_read(cx, path, 16, &head, &size));
  const bool classic = size > 3 && memcmp(head, "CDF", 3) == 0;
  free(head);
  if (classic)
    return IG_FAIL(
        cx, IG_INPUT,
        "%s: Exodus in classic netCDF is not read: 'nccopy -k netCDF-4 IN OUT' converts it", path);
  in.h5 = &h5;
  ig_status status = ig_h5_open(cx, path, false, &h5);
  if (status == IG_OK)
    status = exodus_read(&in);
  ig_h5_close(&h5);
  if (status == IG_OK)
    status = ig_mesh_build_mesh(&in.g, path, true, mesh);
  ig_mesh_build_free(&in.g);
  return status;
}
