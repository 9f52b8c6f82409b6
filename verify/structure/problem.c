/* Mapped grids and whole cases; see problem.h. */
#include "verify/structure/problem.h"
#include "core/number.h"
#include "mesh/face_share.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
/* Mid-side nodes lie between these corners, in the order of hex20; of quad8 the first four. */
static const int side[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

static bool is_quadratic(const ig_structure_grid *g) {
  return g->type == IG_HEX20 || g->type == IG_QUAD8;
}

static bool is_flat(const ig_structure_grid *g) {
  return g->type == IG_QUAD4 || g->type == IG_QUAD8;
}

/* Places of nodes in halves of cells: points of the lattice with one odd index at most. */
static void lattice(const ig_structure_grid *g, int64_t size[3]) {
  for (int d = 0; d < 3; d++)
    size[d] = d == 2 && is_flat(g) ? 1 : 2 * g->n[d] + 1;
}

static bool has_node(const ig_structure_grid *g, const int64_t i[3]) {
  const int64_t odd = i[0] % 2 + i[1] % 2 + i[2] % 2;
  return odd == 0 || (odd == 1 && is_quadratic(g));
}

/* number[lattice]: node, -1: none. Counts from *nodes on. */
static ig_status number_make(ig_ctx *cx, const ig_structure_grid *g, ig_lid *nodes,
                             ig_lid **number) {
  int64_t size[3];
  lattice(g, size);
  IG_TRY(IG_NEW(cx, number, (size_t)(size[0] * size[1] * size[2]), "grid"));
  for (int64_t k = 0; k < size[0] * size[1] * size[2]; k++) {
    const int64_t i[3] = {k % size[0], k / size[0] % size[1], k / (size[0] * size[1])};
    (*number)[k] = has_node(g, i) ? (*nodes)++ : -1;
  }
  return IG_OK;
}

static void places_set(const ig_structure_grid *g, const ig_lid *number, ig_mesh *mesh) {
  int64_t size[3];
  lattice(g, size);
  for (int64_t k = 0; k < size[0] * size[1] * size[2]; k++) {
    const double at[3] = {(double)(k % size[0]) / (2 * g->n[0]),
                          (double)(k / size[0] % size[1]) / (2 * g->n[1]),
                          is_flat(g) ? 0 : (double)(k / (size[0] * size[1])) / (2 * g->n[2])};
    if (number[k] >= 0)
      g->place(at, mesh->x + 3 * (size_t)number[k]);
  }
}

static ig_status elements_add(ig_ctx *cx, const ig_structure_grid *g, const ig_lid *number,
                              ig_mesh *mesh) {
  const int layers = is_flat(g) ? 1 : g->n[2], corners = is_flat(g) ? 4 : 8;
  const int mids = is_quadratic(g) ? (is_flat(g) ? 4 : 12) : 0;
  int64_t size[3];
  ig_block *b;
  lattice(g, size);
  IG_TRY(ig_mesh_add_block(cx, mesh, g->type, g->n[0] * g->n[1] * layers, &b));
  ig_lid *to = b->conn;
  for (int k = 0; k < layers; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        int64_t at[8];
        for (int a = 0; a < corners; a++)
          at[a] = 2 * (i + corner[a][0]) +
                  size[0] * (2 * (j + corner[a][1]) + size[1] * 2 * (k + corner[a][2]));
        for (int a = 0; a < corners; a++)
          *to++ = number[at[a]];
        for (int a = 0; a < mids; a++)
          *to++ = number[(at[side[a][0]] + at[side[a][1]]) / 2];
      }
  return IG_OK;
}

/* Nodes of a side of the lattice are marked; then nodes, or faces all of whose nodes are. */
static ig_status side_add(ig_ctx *cx, const ig_structure_grid *g, const ig_lid *number,
                          ig_mesh *mesh, int which, bool *on) {
  int64_t size[3];
  char name[32];
  ig_set *set = NULL;
  ig_lid count = 0;
  lattice(g, size);
  snprintf(name, sizeof name, "%s%c%d", g->prefix ? g->prefix : "", 'a' + which / 2, which % 2);
  memset(on, 0, (size_t)mesh->nodes * sizeof *on);
  for (int64_t k = 0; k < size[0] * size[1] * size[2]; k++) {
    const int64_t i[3] = {k % size[0], k / size[0] % size[1], k / (size[0] * size[1])};
    if (number[k] >= 0 && i[which / 2] == (which % 2 ? size[which / 2] - 1 : 0)) {
      on[number[k]] = true;
      count++;
    }
  }
  if (is_flat(g)) {
    IG_TRY(ig_mesh_add_set(cx, mesh, name, IG_SET_NODES, count, &set));
    count = 0;
    for (ig_lid n = 0; n < mesh->nodes; n++)
      if (on[n])
        set->item[count++] = n;
    return IG_OK;
  }
  for (int pass = 0; pass < 2; pass++) {
    count = 0;
    for (ig_lid e = 0; e < ig_mesh_elements(mesh); e++)
      for (int f = 0; f < 6; f++) {
        ig_lid node[8];
        bool all = true;
        const int nodes = ig_mesh_face_nodes(mesh, e, f, node);
        for (int a = 0; a < nodes; a++)
          all &= on[node[a]];
        if (all && pass) {
          set->item[count] = e;
          set->face[count] = (uint8_t)f;
        }
        count += all;
      }
    if (!pass)
      IG_TRY(ig_mesh_add_set(cx, mesh, name, IG_SET_FACES, count, &set));
  }
  return IG_OK;
}

/* The nodes of the four edges at c = 0 of the first grid. */
static ig_status rim_add(ig_ctx *cx, const ig_structure_grid *g, const ig_lid *number,
                         ig_mesh *mesh) {
  int64_t size[3];
  ig_set *set;
  lattice(g, size);
  for (int pass = 0; pass < 2; pass++) {
    ig_lid count = 0;
    for (int64_t k = 0; k < size[0] * size[1]; k++) {
      const int64_t i = k % size[0], j = k / size[0];
      const bool edge = i == 0 || i == size[0] - 1 || j == 0 || j == size[1] - 1;
      if (edge && number[k] >= 0 && pass)
        set->item[count] = number[k];
      count += edge && number[k] >= 0;
    }
    if (!pass)
      IG_TRY(ig_mesh_add_set(cx, mesh, "rim", IG_SET_NODES, count, &set));
  }
  return IG_OK;
}

ig_lid ig_structure_problem_node(const ig_structure_problem *q, const double x[3]) {
  ig_lid best = 0;
  double least = INFINITY;
  for (ig_lid n = 0; n < q->mesh->nodes; n++) {
    double square = 0;
    for (size_t d = 0; d < 3; d++)
      square += pow(q->mesh->x[3 * (size_t)n + d] - x[d], 2);
    if (square < least)
      least = square, best = n;
  }
  return best;
}

/* Loose points are the last nodes of the mesh. */
static ig_status points_add(ig_ctx *cx, ig_structure_problem *q, ig_lid next) {
  for (int i = 0; i < IG_PROBLEM_POINTS && q->point[i].name; i++) {
    ig_set *set;
    IG_TRY(ig_mesh_add_set(cx, q->mesh, q->point[i].name, IG_SET_NODES, 1, &set));
    if (q->point[i].loose)
      memcpy(q->mesh->x + 3 * (size_t)next, q->point[i].x, sizeof q->point[i].x);
    set->item[0] = q->point[i].loose ? next++ : ig_structure_problem_node(q, q->point[i].x);
  }
  return IG_OK;
}

static ig_status regions_add(ig_ctx *cx, ig_structure_problem *q) {
  for (int i = 0; i < IG_PROBLEM_REGIONS && q->region[i].name; i++) {
    ig_set *set = NULL;
    for (int pass = 0; pass < 2; pass++) {
      ig_lid count = 0;
      for (ig_lid n = 0; n < q->mesh->nodes; n++)
        if (q->region[i].holds(q->mesh->x + 3 * (size_t)n)) {
          if (pass)
            set->item[count] = n;
          count++;
        }
      if (!pass)
        IG_TRY(ig_mesh_add_set(cx, q->mesh, q->region[i].name, IG_SET_NODES, count, &set));
    }
  }
  return IG_OK;
}

/* A set of one node for each temperature. */
static ig_status warm_add(ig_ctx *cx, const ig_structure_problem *q) {
  for (ig_lid n = 0; q->warm && n < q->mesh->nodes; n++) {
    char name[16];
    ig_set *set;
    ig_format(name, sizeof name, "n%d", n);
    IG_TRY(ig_mesh_add_set(cx, q->mesh, name, IG_SET_NODES, 1, &set));
    set->item[0] = n;
  }
  return IG_OK;
}

static ig_status warm_set(ig_ctx *cx, const ig_structure_problem *q, ig_case *c) {
  const size_t size = 64 * (size_t)q->mesh->nodes + 8;
  size_t length = 1;
  char *text;
  if (!q->warm)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &text, size, "temperatures"));
  *text = '[';
  for (ig_lid n = 0; n < q->mesh->nodes; n++)
    length += (size_t)ig_format(text + length, size - length, "{set: n%d, temperature: %.12g},", n,
                                q->warm(q->mesh->x + 3 * (size_t)n));
  text[length - 1] = ']';
  const ig_status status = ig_case_set(c, "temperatures", text);
  free(text);
  return status;
}

static ig_status mesh_make(ig_ctx *cx, ig_structure_problem *q) {
  ig_lid nodes = 0, *number[2] = {NULL, NULL};
  int loose = 0;
  bool *on = NULL;
  ig_set *all;
  ig_status status = IG_OK;
  for (int g = 0; g < 2 && q->grid[g].place; g++)
    IG_TRY_GOTO(status, done, number_make(cx, &q->grid[g], &nodes, &number[g]));
  for (int i = 0; i < IG_PROBLEM_POINTS && q->point[i].name; i++)
    loose += q->point[i].loose;
  IG_TRY_GOTO(status, done, ig_mesh_new(cx, 3, nodes + loose, &q->mesh));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &on, (size_t)(nodes + loose), "sides"));
  for (int g = 0; g < 2 && number[g]; g++) {
    places_set(&q->grid[g], number[g], q->mesh);
    IG_TRY_GOTO(status, done, elements_add(cx, &q->grid[g], number[g], q->mesh));
  }
  for (int g = 0; g < 2 && number[g]; g++)
    for (int s = 0; s < (is_flat(&q->grid[g]) ? 4 : 6); s++)
      IG_TRY_GOTO(status, done, side_add(cx, &q->grid[g], number[g], q->mesh, s, on));
  if (!is_flat(&q->grid[0]))
    IG_TRY_GOTO(status, done, rim_add(cx, &q->grid[0], number[0], q->mesh));
  IG_TRY_GOTO(
      status, done,
      ig_mesh_add_set(cx, q->mesh, "all", IG_SET_ELEMENTS, ig_mesh_elements(q->mesh), &all));
  for (ig_lid e = 0; e < all->count; e++)
    all->item[e] = e;
  ig_lid first = 0; /* elements of the grids come one after the other */
  for (int g = 0; g < 2 && number[g]; g++) {
    const ig_structure_grid *grid = &q->grid[g];
    const ig_lid count = grid->n[0] * grid->n[1] * (is_flat(grid) ? 1 : grid->n[2]);
    char name[32];
    snprintf(name, sizeof name, "%sgrid", grid->prefix ? grid->prefix : "");
    IG_TRY_GOTO(status, done, ig_mesh_add_set(cx, q->mesh, name, IG_SET_ELEMENTS, count, &all));
    for (ig_lid e = 0; e < count; e++)
      all->item[e] = first++;
  }
  IG_TRY_GOTO(status, done, points_add(cx, q, nodes));
  IG_TRY_GOTO(status, done, regions_add(cx, q));
  status = warm_add(cx, q);
done:
  free(number[0]);
  free(number[1]);
  free(on);
  return status;
}

/* --- the run */

static void figure_see(void *user, const char *key, double value, const char *unit,
                       const char *text) {
  ig_structure_problem *q = user;
  (void)unit, (void)text;
  if (strncmp(key, "mode_", 5) == 0 && atoi(key + 5) <= IG_PROBLEM_MODES)
    q->mode[atoi(key + 5) - 1] = value;
  if (strncmp(key, "limit_", 6) == 0 && atoi(key + 6) <= IG_PROBLEM_LIMITS)
    q->limit[atoi(key + 6) - 1] = value;
}

static void show(void *user, const ig_snapshot_view *v) {
  ig_structure_problem *q = user;
  for (int i = 0; i < v->fields; i++) {
    const ig_snapshot_field *f = &v->field[i];
    if (strcmp(f->name, "displacement") == 0)
      memcpy(q->u, f->data, (size_t)v->points * 3 * sizeof *q->u);
    if (strcmp(f->name, "reaction") == 0)
      memcpy(q->force, f->data, (size_t)v->points * 3 * sizeof *q->force);
    if (strcmp(f->name, "stress") == 0)
      memcpy(q->stress, f->data, (size_t)v->cells * 6 * sizeof *q->stress);
    if (strcmp(f->name, "nodal_stress") == 0 || strcmp(f->name, "nodal_stress_top") == 0)
      memcpy(q->node_stress[0], f->data, (size_t)v->points * 6 * sizeof *q->stress);
    if (strcmp(f->name, "nodal_stress_bottom") == 0)
      memcpy(q->node_stress[1], f->data, (size_t)v->points * 6 * sizeof *q->stress);
    if (strcmp(f->name, "T") == 0)
      memcpy(q->T, f->data, (size_t)v->points * sizeof *q->T);
  }
}

static ig_status run(ig_ctx *cx, ig_structure_problem *q) {
  ig_case *c = NULL;
  ig_sim *sim = NULL;
  ig_status status;
  const ig_sim_options options = {.figure = figure_see, .user = q};
  IG_TRY_GOTO(status, done, mesh_make(cx, q));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &q->u, 3 * (size_t)q->mesh->nodes, "results"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &q->force, 3 * (size_t)q->mesh->nodes, "results"));
  IG_TRY_GOTO(status, done,
              IG_NEW(cx, &q->stress, 6 * (size_t)ig_mesh_elements(q->mesh), "results"));
  for (int i = 0; i < 2; i++)
    IG_TRY_GOTO(status, done,
                IG_NEW(cx, &q->node_stress[i], 6 * (size_t)q->mesh->nodes, "results"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &q->T, (size_t)q->mesh->nodes, "results"));
  IG_TRY_GOTO(status, done, ig_case_new(cx, &c));
  IG_TRY_GOTO(status, done, ig_case_set(c, "physics", "structure"));
  for (int i = 0; i < IG_PROBLEM_KEYS && q->set[i].key; i++)
    IG_TRY_GOTO(status, done, ig_case_set(c, q->set[i].key, q->set[i].value));
  IG_TRY_GOTO(status, done, warm_set(cx, q, c));
  IG_TRY_GOTO(status, done, ig_case_set_mesh(c, q->mesh));
  IG_TRY_GOTO(status, done, ig_sim_open(c, &options, &sim));
  while (status == IG_OK && !ig_sim_ended(sim))
    status = ig_sim_step(sim, 1, NULL);
  if (status == IG_OK)
    status = ig_sim_show(sim, show, q);
  if (status == IG_OK)
    status = ig_sim_finish(sim);
done:
  ig_sim_close(sim);
  if (c)
    ig_case_close(c);
  return status;
}

ig_status ig_structure_problem_run(ig_ctx *cx, ig_structure_problem *q) {
  ig_ctx *own = NULL;
  IG_TRY(ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, &own));
  ig_status status = run(own, q);
  if (status != IG_OK)
    status = IG_FAIL(cx, status, "%s", ig_ctx_message(own));
  ig_ctx_close(own);
  return status;
}

void ig_structure_problem_free(ig_structure_problem *q) {
  ig_mesh_free(q->mesh);
  free(q->u);
  free(q->force);
  free(q->stress);
  free(q->node_stress[0]);
  free(q->node_stress[1]);
  free(q->T);
}

double ig_structure_problem_moved(const ig_structure_problem *q, const double x[3], int d) {
  return q->u[3 * (size_t)ig_structure_problem_node(q, x) + (size_t)d];
}

void ig_structure_problem_centre(const ig_structure_problem *q, ig_lid element, double x[3]) {
  ig_lid local;
  const ig_block *b = ig_mesh_element(q->mesh, element, &local);
  const int nodes = ig_elem_info_get(b->type)->nodes;
  for (int d = 0; d < 3; d++) {
    x[d] = 0;
    for (int a = 0; a < nodes; a++)
      x[d] += q->mesh->x[3 * (size_t)b->conn[local * nodes + a] + (size_t)d] / nodes;
  }
}
