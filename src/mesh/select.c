/* Named sets: sides of a shape, the bounding box, element regions, and the sets a case defines by
   place, number or side. Faces are found from marked nodes: a face belongs to a side if all its
   corners do. */
#include "mesh/mesh_builder.h"
#include "core/threads.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Node set of all nodes with `bit` in their mark. near: the nodes with any mark, so that only these
   are looked at for each of the eight sides. */
static ig_status set_from_nodes(ig_ctx *cx, ig_mesh *mesh, const char *name, const uint8_t *mark,
                                uint8_t bit, const ig_lid *near, ig_lid nears) {
  ig_lid count = 0;
  for (ig_lid i = 0; i < nears; i++)
    count += (mark[near[i]] & bit) != 0;
  ig_set *set;
  IG_TRY(ig_mesh_add_set(cx, mesh, name, IG_SET_NODES, count, &set));
  count = 0;
  for (ig_lid i = 0; i < nears; i++)
    if (mark[near[i]] & bit)
      set->item[count++] = near[i];
  return IG_OK;
}
/* The same for a single mark: finds the marked nodes first. */
static ig_status set_from_marks(ig_ctx *cx, ig_mesh *mesh, const char *name, const uint8_t *mark,
                                uint8_t bit) {
  ig_lid *near, nears;
  IG_TRY(ig_lids_where(cx, mark, mesh->nodes, &near, &nears));
  const ig_status status = set_from_nodes(cx, mesh, name, mark, bit, near, nears);
  free(near);
  return status;
}

/* Elements with at least one marked node, in rising order. */
static ig_status elements_near(ig_ctx *cx, const ig_mesh *mesh, const uint8_t *mark, ig_lid **near,
                               ig_lid *nears) {
  uint8_t *any;
  *near = NULL;
  IG_TRY(IG_NEW(cx, &any, ig_mesh_elements(mesh), "sides"));
  uint8_t *of = any;
  for (int b = 0; b < mesh->blocks; of += mesh->block[b++].count) {
    const ig_block *block = &mesh->block[b];
    const int npe = ig_elem_info_get(block->type)->nodes;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, block->count, IG_WORK_NODE))
    for (ig_lid e = 0; e < block->count; e++)
      for (int a = 0; a < npe; a++)
        of[e] |= mark[block->conn[(size_t)e * (size_t)npe + (size_t)a]];
  }
  const ig_status status = ig_lids_where(cx, any, ig_mesh_elements(mesh), near, nears);
  free(any);
  return status;
}

/* Marks that all corners of a face have in common. */
static uint8_t face_bits(const ig_lid *conn, const int *local, int corners, const uint8_t *mark) {
  uint8_t bits = mark[conn[local[0]]];
  for (int a = 1; a < corners; a++)
    bits &= mark[conn[local[a]]];
  return bits;
}

/* Face sets of all sides in two passes: count, then fill. near: elements with a marked node.
   Correct for solids only, where a face with all corners on a side lies on the boundary. Two
   passes, first counting, then filling, as sets are allocated at their final size. */
static ig_status sets_from_faces(ig_ctx *cx, ig_mesh *mesh, const char *const *name,
                                 const uint8_t *mark, const ig_lid *near, ig_lid nears) {
  ig_lid count[IG_SIDES] = {0};
  int which[IG_SIDES];
  for (int pass = 0; pass < 2; pass++) {
    for (ig_lid i = 0; i < nears; i++) {
      ig_lid e;
      const ig_block *block = ig_mesh_element(mesh, near[i], &e);
      const ig_elem_info *info = ig_elem_info_get(block->type);
      const int corners = ig_elem_face_corners(info);
      const ig_lid *conn = block->conn + (size_t)e * (size_t)info->nodes;
      for (int f = 0; f < info->faces; f++) {
        const uint8_t bits = face_bits(conn, ig_elem_face(block->type, f), corners, mark);
        for (int s = 0; bits >> s; s++) {
          if (!(bits >> s & 1) || !name[s])
            continue;
          if (pass) {
            ig_set *set = &mesh->set[which[s]];
            set->item[count[s]] = near[i];
            set->face[count[s]] = (uint8_t)f;
          }
          count[s]++;
        }
      }
    }
    for (int s = 0; pass == 0 && s < IG_SIDES; s++) {
      if (name[s] && count[s]) {
        IG_TRY(ig_mesh_add_set(cx, mesh, name[s], IG_SET_FACES, count[s], NULL));
        which[s] = mesh->sets - 1;
      }
      count[s] = 0;
    }
  }
  return IG_OK;
}

/* Face set of the boundary faces whose corners are all marked. Boundary faces all corners of which
   are marked. */
static ig_status set_from_boundary(ig_ctx *cx, ig_mesh *mesh, const char *name, const uint8_t *mark,
                                   uint8_t bit) {
  ig_boundary boundary;
  IG_TRY(ig_mesh_boundary(cx, mesh, &boundary));
  ig_status status = IG_OK;
  ig_set *set = NULL;
  for (int pass = 0; pass < 2; pass++) {
    ig_lid count = 0;
    for (ig_lid i = 0; i < boundary.count; i++) {
      ig_lid e;
      const ig_block *block = ig_mesh_element(mesh, boundary.element[i], &e);
      const ig_elem_info *info = ig_elem_info_get(block->type);
      if (!(face_bits(block->conn + (size_t)e * (size_t)info->nodes,
                      ig_elem_face(block->type, boundary.face[i]), ig_elem_face_corners(info),
                      mark) &
            bit))
        continue;
      if (pass) {
        set->item[count] = boundary.element[i];
        set->face[count] = boundary.face[i];
      }
      count++;
    }
    if (pass == 0)
      IG_TRY_GOTO(status, done, ig_mesh_add_set(cx, mesh, name, IG_SET_FACES, count, &set));
  }
done:
  ig_boundary_free(&boundary);
  return status;
}

/* side: a mark per node, a bit per side; name: IG_SIDES names, NULL: no such side. */
ig_status ig_mesh_set_sides(ig_ctx *cx, ig_mesh *mesh, const uint8_t *side,
                            const char *const *name) {
  ig_lid *near, nears;
  IG_TRY(ig_lids_where(cx, side, mesh->nodes, &near, &nears));
  ig_status status = IG_OK;
  for (int s = 0; s < IG_SIDES && status == IG_OK; s++)
    if (name[s])
      status = set_from_nodes(cx, mesh, name[s], side, (uint8_t)(1 << s), near, nears);
  free(near);
  IG_TRY(status);
  status = elements_near(cx, mesh, side, &near, &nears);
  if (status == IG_OK)
    status = sets_from_faces(cx, mesh, name, side, near, nears);
  free(near);
  return status;
}

/* Bounding box, in parallel; minima and maxima are exact in any order. */
static void bounds_find(ig_ctx *cx, const ig_mesh *mesh, double *low, double *high) {
  double x0 = INFINITY, y0 = INFINITY, z0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY,
         z1 = -INFINITY;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, mesh->nodes, IG_WORK_VALUE))     \
    reduction(min                                                                                  \
              : x0, y0, z0) reduction(max                                                          \
                                      : x1, y1, z1)
  for (ig_lid n = 0; n < mesh->nodes; n++) {
    const double *x = mesh->x + 3 * (size_t)n;
    x0 = x[0] < x0 ? x[0] : x0;
    y0 = x[1] < y0 ? x[1] : y0;
    z0 = x[2] < z0 ? x[2] : z0;
    x1 = x[0] > x1 ? x[0] : x1;
    y1 = x[1] > y1 ? x[1] : y1;
    z1 = x[2] > z1 ? x[2] : z1;
  }
  low[0] = x0, low[1] = y0, low[2] = z0;
  high[0] = x1, high[1] = y1, high[2] = z1;
}

/* A direction in which the mesh is flat (plane meshes, shells) has no sides. Tolerance 1e-9 of the
   size: nodes computed by different formulas differ by rounding. */
ig_status ig_mesh_set_bounds(ig_ctx *cx, ig_mesh *mesh) {
  static const char *const all[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
  const char *name[IG_SIDES] = {NULL};
  double low[3], high[3], size = 0;
  bounds_find(cx, mesh, low, high);
  for (int d = 0; d < 3; d++)
    size = fmax(size, high[d] - low[d]);
  const double tolerance = 1e-9 * size;
  bool some = false;
  for (int s = 0; s < 6; s++)
    if (high[s / 2] - low[s / 2] > tolerance && !ig_mesh_find_set(mesh, all[s], IG_SET_NODES) &&
        !ig_mesh_find_set(mesh, all[s], IG_SET_FACES)) {
      name[s] = all[s];
      some = true;
    }
  if (!some)
    return IG_OK;
  uint8_t *mark;
  IG_TRY(IG_NEW(cx, &mark, mesh->nodes, "bounding box"));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, mesh->nodes, IG_WORK_NODE))
  for (ig_lid n = 0; n < mesh->nodes; n++)
    for (int d = 0; d < 3; d++) {
      const double x = mesh->x[3 * (size_t)n + (size_t)d];
      mark[n] |= (uint8_t)((x <= low[d] + tolerance) << 2 * d);
      mark[n] |= (uint8_t)((x >= high[d] - tolerance) << (2 * d + 1));
    }
  /* All faces of a solid on the bounding box are boundary faces. In a mesh with shells or beams an
     edge on the box may be shared by two elements, so the boundary has to be computed. */
  bool solid = true;
  for (int b = 0; b < mesh->blocks; b++)
    solid = solid && ig_elem_info_get(mesh->block[b].type)->dim == mesh->dim;
  ig_status status = IG_OK;
  if (solid)
    status = ig_mesh_set_sides(cx, mesh, mark, name);
  for (int s = 0; !solid && s < 6 && status == IG_OK; s++)
    if (name[s]) {
      status = set_from_marks(cx, mesh, name[s], mark, (uint8_t)(1 << s));
      if (status == IG_OK)
        status = set_from_boundary(cx, mesh, name[s], mark, (uint8_t)(1 << s));
    }
  free(mark);
  return status;
}

/* The set "all" of elements, which every case may name. A file may have one of its own. */
ig_status ig_mesh_set_all(ig_ctx *cx, ig_mesh *mesh) {
  const ig_set *own = ig_mesh_find_set(mesh, "all", IG_SET_ELEMENTS);
  if (own && own->count != ig_mesh_elements(mesh))
    ig_warn(cx,
            "the file's element set 'all' has %lld of the mesh's %lld elements: that is what "
            "`set: all` means in this case; rename it in the file to have all of them",
            (long long)own->count, (long long)ig_mesh_elements(mesh));
  const ig_set *nodes = ig_mesh_find_set(mesh, "all", IG_SET_NODES);
  if (nodes && nodes->count != mesh->nodes)
    ig_warn(cx,
            "the file's node set 'all' has %lld of the mesh's %lld nodes: that is what `set: all` "
            "means for nodes in this case; rename it in the file to have all of them",
            (long long)nodes->count, (long long)mesh->nodes);
  if (own)
    return IG_OK;
  ig_set *set;
  IG_TRY(ig_mesh_add_set(cx, mesh, "all", IG_SET_ELEMENTS, ig_mesh_elements(mesh), &set));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, set->count, IG_WORK_VALUE))
  for (ig_lid e = 0; e < set->count; e++)
    set->item[e] = e;
  return IG_OK;
}

/* Two passes: count, then fill. */
ig_status ig_mesh_set_tagged(ig_ctx *cx, ig_mesh *mesh, const char *name, int32_t tag) {
  for (int pass = 0; pass < 2; pass++) {
    ig_lid count = 0, element = 0;
    for (int b = 0; b < mesh->blocks; b++)
      for (ig_lid e = 0; e < mesh->block[b].count; e++, element++)
        if (mesh->block[b].tag[e] == tag) {
          if (pass)
            mesh->set[mesh->sets - 1].item[count] = element;
          count++;
        }
    if (pass == 0)
      IG_TRY(ig_mesh_add_set(cx, mesh, name, IG_SET_ELEMENTS, count, NULL));
  }
  return IG_OK;
}

/* --- sets that a case defines by place */

/* 1e-9 of the mesh's size, m. */
static double pick_tolerance(const ig_mesh *mesh) {
  double low[3], high[3], size = 0;
  ig_mesh_bounds(mesh, low, high);
  for (int d = 0; d < 3; d++)
    size = fmax(size, high[d] - low[d]);
  return 1e-9 * size;
}

/* inside: one byte an element. The mean of the corners decides. */
ig_status ig_mesh_pick_elements(ig_ctx *cx, const ig_mesh *mesh, const ig_place *place,
                                uint8_t *inside, ig_lid *count) {
  IG_TRY(ig_place_check(cx, place));
  const double tolerance = pick_tolerance(mesh);
  ig_lid element = 0, found = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const size_t npe = (size_t)ig_elem_info_get(block->type)->nodes;
    for (ig_lid e = 0; e < block->count; e++, element++) {
      double center[3] = {0, 0, 0};
      for (size_t a = 0; a < npe; a++)
        for (size_t d = 0; d < 3; d++)
          center[d] += mesh->x[3 * (size_t)block->conn[(size_t)e * npe + a] + d] / (double)npe;
      inside[element] = ig_place_has(place, center, tolerance);
      found += inside[element];
    }
  }
  *count = found;
  return IG_OK;
}

/* inside: one byte a node, for the caller's use. */
ig_status ig_mesh_pick_nodes(ig_ctx *cx, const ig_mesh *mesh, const ig_place *place,
                             uint8_t *inside, ig_lid *count) {
  const double tolerance = pick_tolerance(mesh);
  IG_TRY(ig_place_check(cx, place));
  *count = 0;
  for (ig_lid n = 0; n < mesh->nodes; n++) {
    inside[n] = ig_place_has(place, mesh->x + 3 * (size_t)n, tolerance);
    *count += inside[n];
  }
  return IG_OK;
}

/* The elements also become a region: their tag is one above the largest in use. */
static ig_status elements_pick(ig_ctx *cx, ig_mesh *mesh, const ig_pick_case *pick,
                               uint8_t *inside) {
  ig_lid count, element = 0, found = 0;
  ig_set *set;
  IG_TRY(ig_mesh_pick_elements(cx, mesh, &pick->place, inside, &count));
  if (count == 0)
    return ig_fail_at(cx, &pick->at, "set '%s' is empty: no element's centre is there", pick->name);
  IG_TRY(ig_mesh_add_set(cx, mesh, pick->name, IG_SET_ELEMENTS, count, &set));
  int32_t last = 0;
  for (int b = 0; b < mesh->blocks; b++)
    for (ig_lid e = 0; e < mesh->block[b].count; e++)
      last = mesh->block[b].tag[e] > last ? mesh->block[b].tag[e] : last;
  const int32_t region = last < INT32_MAX ? last + 1 : last;
  for (int b = 0; b < mesh->blocks; b++)
    for (ig_lid e = 0; e < mesh->block[b].count; e++, element++)
      if (inside[element]) {
        set->item[found++] = element;
        mesh->block[b].tag[e] = region;
      }
  return IG_OK;
}

/* Nodes in the place, and the boundary faces whose corners are all in it, as `of` says. */
static ig_status nodes_pick(ig_ctx *cx, ig_mesh *mesh, const ig_pick_case *pick, uint8_t *inside) {
  ig_lid found;
  IG_TRY(ig_mesh_pick_nodes(cx, mesh, &pick->place, inside, &found));
  if (!found)
    return ig_fail_at(cx, &pick->at, "set '%s' is empty: no node of the mesh is there", pick->name);
  if (pick->of != IG_PICK_FACES)
    IG_TRY(set_from_marks(cx, mesh, pick->name, inside, 1));
  if (pick->of != IG_PICK_NODES)
    IG_TRY(set_from_boundary(cx, mesh, pick->name, inside, 1));
  return IG_OK;
}

/* --- sets by numbers of the mesh file, or sides of elements (readers of decks make these) */

/* An item with its number in the file. */
typedef struct {
  int64_t number;
  ig_lid item;
} numbered;

static int numbered_compare(const void *a, const void *b) {
  const numbered *p = a, *q = b;
  return p->number < q->number ? -1 : p->number > q->number;
}

/* Sorted tables of numbers, [0] elements, [1] nodes; made on first use and shared by all sets of a
   case. */
typedef struct {
  numbered *by[2];
} numbers;

/* Items with the given numbers, in the order given; the caller frees *item. Numbers of the file,
   sorted once for each kind and searched by bisection. */
static ig_status numbers_find(ig_ctx *cx, const ig_mesh *mesh, const ig_pick_case *pick,
                              numbers *all, ig_lid **item) {
  const bool nodes = pick->of == IG_PICK_NODES;
  const int64_t *number = nodes ? mesh->node_number : mesh->element_number;
  const ig_lid count = nodes ? mesh->nodes : ig_mesh_elements(mesh);
  const char *what = nodes ? "node" : "element";
  *item = NULL;
  if (!number)
    return ig_fail_at(cx, &pick->at, "set '%s': %ss of this mesh have no numbers of a file",
                      pick->name, what);
  if (!all->by[nodes]) {
    IG_TRY(IG_NEW(cx, &all->by[nodes], count, "numbers"));
    for (ig_lid i = 0; i < count; i++)
      all->by[nodes][i] = (numbered){number[i], i};
    qsort(all->by[nodes], (size_t)count, sizeof(numbered), numbered_compare);
  }
  IG_TRY(IG_NEW(cx, item, pick->numbers.count, "set"));
  for (int i = 0; i < pick->numbers.count; i++) {
    const numbered key = {(int64_t)pick->numbers.value[i], 0};
    const numbered *found =
        bsearch(&key, all->by[nodes], (size_t)count, sizeof key, numbered_compare);
    if (!found) {
      free(*item);
      *item = NULL;
      return ig_fail_at(cx, &pick->at, "the mesh has no %s %lld", what, (long long)key.number);
    }
    (*item)[i] = found->item;
  }
  return IG_OK;
}

/* Combination of keys: numbers (of nodes or elements), or faces as side + numbers or side + element
   set. Nodes or elements by their numbers, or a side of such elements, counted as Abaqus does. */
static ig_status listed_pick(ig_ctx *cx, ig_mesh *mesh, const ig_pick_case *pick, numbers *all) {
  const bool faces = pick->of == IG_PICK_FACES;
  ig_lid *item = NULL, count = pick->numbers.count;
  ig_set *set;
  if (pick->of == IG_PICK_BOTH || faces != (pick->side > 0) || pick->place.at.given ||
      (count > 0) == (pick->elements != NULL) || (pick->elements && !faces))
    return ig_fail_at(cx, &pick->at,
                      "set '%s': expected `of: nodes` or `elements` with `numbers`, or `of: faces` "
                      "with `side` and either `numbers` or `elements`, and no place",
                      pick->name);
  if (pick->elements) {
    const ig_set *from = ig_mesh_find_set(mesh, pick->elements, IG_SET_ELEMENTS);
    if (!from)
      return ig_fail_at(cx, &pick->at, "the mesh has no element set '%s'", pick->elements);
    count = from->count;
    IG_TRY(IG_NEW(cx, &item, count, "set"));
    memcpy(item, from->item, (size_t)count * sizeof *item);
  } else {
    IG_TRY(numbers_find(cx, mesh, pick, all, &item));
  }
  ig_status status = ig_mesh_add_set(cx, mesh, pick->name,
                                     faces                          ? IG_SET_FACES
                                     : pick->of == IG_PICK_ELEMENTS ? IG_SET_ELEMENTS
                                                                    : IG_SET_NODES,
                                     count, &set);
  for (ig_lid i = 0; i < count && status == IG_OK; i++) {
    set->item[i] = item[i];
    if (!faces)
      continue;
    ig_lid local;
    const ig_block *block = ig_mesh_element(mesh, item[i], &local);
    const int face = ig_elem_side(block->type, (int)pick->side);
    if (face < 0)
      status = ig_fail_at(cx, &pick->at, "set '%s': a %s has no side %d", pick->name,
                          ig_elem_info_get(block->type)->name, (int)pick->side);
    set->face[i] = (uint8_t)face;
  }
  free(item);
  return status;
}

/* Two sets of one kind and name could not be told apart in a case. */
static ig_status name_check(ig_ctx *cx, const ig_mesh *mesh, const ig_pick_case *pick) {
  static const char *const kind[] = {"a node", "an element", "a face"};
  if (strcmp(pick->name, "all") == 0)
    return ig_fail_at(cx, &pick->at,
                      "set 'all': this name is reserved for the set of all elements, which every "
                      "mesh has: choose another name");
  for (int k = IG_SET_NODES; k <= IG_SET_FACES; k++) {
    const bool made = pick->of == IG_PICK_ELEMENTS ? k == IG_SET_ELEMENTS
                      : pick->of == IG_PICK_NODES  ? k == IG_SET_NODES
                      : pick->of == IG_PICK_FACES  ? k == IG_SET_FACES
                                                   : k != IG_SET_ELEMENTS;
    if (!made || !ig_mesh_find_set(mesh, pick->name, (ig_set_kind)k))
      continue;
    return ig_fail_at(cx, &pick->at,
                      "set '%.60s': the mesh has %s set of this name already (a side, a box, one "
                      "of its file or of this list): choose another name",
                      pick->name, kind[k]);
  }
  return IG_OK;
}

/* A set by place unless one of the other keys is given. */
static ig_status one_pick(ig_ctx *cx, ig_mesh *mesh, const ig_pick_case *pick, numbers *all) {
  const bool elements = pick->of == IG_PICK_ELEMENTS;
  if (!pick->name || !*pick->name)
    return ig_fail_at(cx, &pick->at, "name: expected the name of the set");
  IG_TRY(name_check(cx, mesh, pick));
  if (pick->numbers.count || pick->elements || pick->side)
    return listed_pick(cx, mesh, pick, all);
  uint8_t *inside;
  IG_TRY(IG_NEW(cx, &inside, elements ? ig_mesh_elements(mesh) : mesh->nodes, "set"));
  const ig_status status =
      elements ? elements_pick(cx, mesh, pick, inside) : nodes_pick(cx, mesh, pick, inside);
  free(inside);
  return status;
}

/* Sets are made in the order of the list. The sorted numbers of the file are shared by all of
   them and freed at the end. */
ig_status ig_mesh_pick(ig_ctx *cx, ig_mesh *mesh, const ig_list *picks) {
  numbers all = {{NULL, NULL}};
  ig_status status = IG_OK;
  for (int i = 0; i < picks->count && status == IG_OK; i++)
    status = one_pick(cx, mesh, IG_ITEM(const ig_pick_case, *picks, i), &all);
  free(all.by[0]);
  free(all.by[1]);
  return status;
}
