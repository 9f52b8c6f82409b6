/* Shape: a design becomes a part on a build plate, and the way a beam takes to print it.

     densities of a snapshot         voxels.c
     smoothed, sampled at voxels, those above a level are the part
     the largest piece stays         here
     a plate below it, named sets    here
     hatched lines, layer by layer   scan.c

   Written as a mesh in the snapshot format, which the next stages read. */
#include "shape/shape.h"
#include "io/mesh/mesh_io.h"
#include "material/material.h"
#include "geometry/mesh_case.h"
#include "mesh/topology.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Thickness and margin of the plate, m; they are rounded to whole voxels. */
typedef struct {
  ig_src at;
  double thickness, margin;
} plate_case;
/* The section of the case. `voxel` in m; `loose` is a share of the part's volume; a level of NaN is
   found from the volume. */
typedef struct {
  ig_src at;
  const char *file, *field;
  int64_t smoothing;
  double level, voxel, loose;
  plate_case plate;
  ig_scan_case raster;
  ig_list sets; /* of ig_pick_case */
} shape_case;

static const ig_option plate_options[] = {
    IG_REAL(plate_case, thickness, "m", IG_REQUIRED, IG_POSITIVE, 10, "thickness"),
    IG_REAL(plate_case, margin, "m", "0", 0, 10, "how far it reaches beyond the design's box"),
    IG_END};
static const ig_option shape_options[] = {
    IG_FILE(shape_case, file, IG_REQUIRED,
            "snapshot with a design on a regular grid; in a chain `from: STAGE` instead"),
    IG_TEXT(shape_case, field, "density", "the design: a cell field, 0 void to 1 solid"),
    IG_INT(shape_case, smoothing, "1", 0, 100, "passes of averaging over neighbours"),
    IG_REAL(shape_case, level, "", NULL, 0, 1,
            "density at the surface; left out: what keeps the volume of the design"),
    IG_REAL(shape_case, voxel, "m", IG_REQUIRED, IG_POSITIVE, 10,
            "edge of a voxel, height of a layer"),
    IG_REAL(shape_case, loose, "", "0.02", 0, 1,
            "share of the part that may hang loose and is dropped"),
    IG_MAP(shape_case, plate, plate_case, plate_options, NULL, "the build plate under the part"),
    IG_MAP(shape_case, raster, ig_scan_case, ig_scan_options, NULL,
           "lines of the beam over each layer, along x and y in turn"),
    IG_LIST(shape_case, sets, ig_pick_case, ig_pick_options, NULL, "sets of the part by place"),
    IG_END};

/* --- voxels to hexahedra */

/* A lattice that holds the plate (below z = the part's bottom) and the part. */
typedef struct {
  int n[3], margin[2], below; /* cells; those of the plate around and below the part */
  const ig_voxels *v;
  uint8_t *part; /* one byte a voxel of v: part of the part */
} lattice;

/* What cell i, j, k of the lattice holds. 0: nothing, 1: plate, 2: part; the same numbers are the
   tags of elements. */
static int what_is(const lattice *l, int i, int j, int k) {
  if (k < l->below)
    return 1;
  const int x = i - l->margin[0], y = j - l->margin[1], z = k - l->below;
  return x >= 0 && y >= 0 && x < l->v->n[0] && y < l->v->n[1] && l->part[ig_voxel_at(l->v, x, y, z)]
             ? 2
             : 0;
}

/* Index of a corner of the lattice, x fastest. */
static int64_t node_at(const lattice *l, int i, int j, int k) {
  return ((int64_t)k * (l->n[1] + 1) + j) * (l->n[0] + 1) + i;
}

/* Corners of a hexahedron in the order of hex8. */
static const int corner_of[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

/* Numbers the nodes in use and returns how many; number[] is -1 elsewhere. count[w] becomes the
   number of cells that hold w. */
static ig_lid nodes_number(const lattice *l, ig_lid *number, ig_lid count[3]) {
  const int64_t all = (int64_t)(l->n[0] + 1) * (l->n[1] + 1) * (l->n[2] + 1);
  ig_lid nodes = 0;
  memset(number, 0xff, (size_t)all * sizeof *number);
  for (int k = 0; k < l->n[2]; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        const int what = what_is(l, i, j, k);
        count[what]++;
        for (int a = 0; what && a < 8; a++)
          number[node_at(l, i + corner_of[a][0], j + corner_of[a][1], k + corner_of[a][2])] = 0;
      }
  for (int64_t p = 0; p < all; p++)
    if (number[p] == 0)
      number[p] = nodes++;
  return nodes;
}

/* Coordinates, m, from the lowest corner of the part's voxels, which is that of the design's
   grid. */
static void nodes_place(const lattice *l, const ig_lid *number, double *x) {
  const ig_voxels *v = l->v;
  for (int k = 0; k <= l->n[2]; k++)
    for (int j = 0; j <= l->n[1]; j++)
      for (int i = 0; i <= l->n[0]; i++) {
        const ig_lid a = number[node_at(l, i, j, k)];
        if (a < 0)
          continue;
        x[3 * (int64_t)a] = v->low[0] + (i - l->margin[0]) * v->edge[0];
        x[3 * (int64_t)a + 1] = v->low[1] + (j - l->margin[1]) * v->edge[1];
        x[3 * (int64_t)a + 2] = v->low[2] + (k - l->below) * v->edge[2];
      }
}

/* The lattice as a mesh of hex8 with the element sets `plate`, where there is one, and `part`. On
   failure *mesh may be set: the caller frees it. */
static ig_status lattice_mesh(ig_ctx *cx, const lattice *l, ig_mesh **mesh) {
  ig_lid *number, count[3] = {0};
  IG_TRY(IG_NEW(cx, &number, (int64_t)(l->n[0] + 1) * (l->n[1] + 1) * (l->n[2] + 1), "voxels"));
  const ig_lid nodes = nodes_number(l, number, count);
  ig_block *block;
  ig_lid e = 0, found[2] = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_new(cx, 3, nodes, mesh));
  nodes_place(l, number, (*mesh)->x);
  IG_TRY_GOTO(status, done, ig_mesh_add_block(cx, *mesh, IG_HEX8, count[1] + count[2], &block));
  if (count[1])
    IG_TRY_GOTO(status, done, ig_mesh_add_set(cx, *mesh, "plate", IG_SET_ELEMENTS, count[1], NULL));
  IG_TRY_GOTO(status, done, ig_mesh_add_set(cx, *mesh, "part", IG_SET_ELEMENTS, count[2], NULL));
  /* Without a plate there is one set only, and both names of it are the same. */
  ig_set *const set[2] = {&(*mesh)->set[0], &(*mesh)->set[(*mesh)->sets - 1]};
  for (int k = 0; k < l->n[2]; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        const int what = what_is(l, i, j, k);
        if (!what)
          continue;
        for (int a = 0; a < 8; a++)
          block->conn[8 * (int64_t)e + a] =
              number[node_at(l, i + corner_of[a][0], j + corner_of[a][1], k + corner_of[a][2])];
        block->tag[e] = what;
        set[what - 1]->item[found[what - 1]++] = e++;
      }
done:
  free(number);
  return status;
}

/* --- the part alone, then with what belongs to it */

/* Which voxels are the part: those at or above the level, less all pieces but the largest. A piece
   without contact to the rest cannot be printed; small ones come from the optimisation and are
   dropped, larger ones mean that the design is not connected, which is refused. */
static ig_status part_find(ig_job *job, const shape_case *c, const ig_voxels *v, double level,
                           uint8_t *part, int *pieces, double *lost) {
  ig_ctx *cx = job->cx;
  const int64_t n = (int64_t)v->n[0] * v->n[1] * v->n[2];
  const lattice l = {.n = {v->n[0], v->n[1], v->n[2]}, .v = v, .part = part};
  /* The mesh serves only to find connected pieces. */
  ig_mesh *mesh = NULL;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++)
    count += part[i] = v->density[i] >= level;
  if (count == 0)
    return ig_fail_at(cx, &c->at, "nothing of the design is above level %.3g: lower `level`",
                      level);
  ig_status status;
  IG_TRY_GOTO(status, done, lattice_mesh(cx, &l, &mesh));
  IG_TRY_GOTO(status, done, ig_mesh_keep_largest(cx, mesh, pieces, lost));
  if (*lost > c->loose) {
    status =
        ig_fail_at(cx, &c->at,
                   "the design falls apart into %d pieces, the largest with %.0f %% of it: lower "
                   "`level`, take smaller voxels, or let the design run longer",
                   *pieces, 100 * (1 - *lost));
    goto done;
  }
  /* what is left of the mesh, back as voxels */
  memset(part, 0, (size_t)n);
  bool stands = false;
  for (ig_lid e = 0; e < mesh->block[0].count; e++) {
    const double *x = &mesh->x[3 * (int64_t)mesh->block[0].conn[8 * (int64_t)e]];
    int at[3];
    for (int d = 0; d < 3; d++)
      at[d] = (int)lround((x[d] - v->low[d]) / v->edge[d]);
    part[ig_voxel_at(v, at[0], at[1], at[2])] = 1;
    stands |= at[2] == 0;
  }
  if (!stands)
    status = ig_fail_at(cx, &c->at,
                        "the part does not touch the plate: the design has nothing solid at its "
                        "lowest z (%.3g m); hold elements there solid (topopt: passive)",
                        v->low[2]);
done:
  ig_mesh_free(mesh);
  return status;
}

/* The nodes on which the part stands. */
static ig_status bottom_add(ig_ctx *cx, const ig_voxels *v, ig_mesh *mesh) {
  const ig_set *part = ig_mesh_find_set(mesh, "part", IG_SET_ELEMENTS);
  /* One byte a node: it belongs to the lowest face of a voxel on the floor. */
  uint8_t *at;
  ig_lid nodes = 0, found = 0;
  IG_TRY(IG_NEW(cx, &at, mesh->nodes, "sets"));
  for (ig_lid i = 0; i < part->count; i++) {
    const ig_lid *e = &mesh->block[0].conn[8 * (int64_t)part->item[i]];
    if (fabs(mesh->x[3 * (int64_t)e[0] + 2] - v->low[2]) < 1e-6 * v->edge[2])
      for (int a = 0; a < 4; a++)
        at[e[a]] = 1;
  }
  for (ig_lid a = 0; a < mesh->nodes; a++)
    nodes += at[a];
  ig_set *set;
  const ig_status status = ig_mesh_add_set(cx, mesh, "bottom", IG_SET_NODES, nodes, &set);
  for (ig_lid a = 0; status == IG_OK && a < mesh->nodes; a++)
    if (at[a])
      set->item[found++] = a;
  free(at);
  return status;
}

/* The mesh that is written: part and plate, the node set `bottom` on which the part stands, and the
   sets of the case. 2^29 cells keep eight corners a cell within what one mesh can number. */
static ig_status mesh_make(ig_job *job, const shape_case *c, const ig_voxels *v, uint8_t *part,
                           ig_mesh **mesh) {
  ig_ctx *cx = job->cx;
  lattice l = {.n = {v->n[0], v->n[1], v->n[2]}, .v = v, .part = part};
  if (c->plate.at.given) {
    const double below = fmax(1, round(c->plate.thickness / v->edge[2])),
                 margin[2] = {round(c->plate.margin / v->edge[0]),
                              round(c->plate.margin / v->edge[1])};
    if (!((v->n[0] + 2 * margin[0]) * (v->n[1] + 2 * margin[1]) * (v->n[2] + below) < 1 << 29))
      return ig_fail_at(cx, &c->plate.at,
                        "with this plate there are too many voxels: take a smaller plate or larger "
                        "voxels");
    l.below = (int)below;
    for (int d = 0; d < 2; d++)
      l.margin[d] = (int)margin[d];
    l.n[0] += 2 * l.margin[0];
    l.n[1] += 2 * l.margin[1];
    l.n[2] += l.below;
  }
  IG_TRY(lattice_mesh(cx, &l, mesh));
  IG_TRY(bottom_add(cx, v, *mesh));
  IG_TRY(ig_mesh_pick(cx, *mesh, &c->sets));
  return ig_mesh_check(cx, *mesh);
}

/* --- the room */

/* Results: volumes in m^3, the mass in kg by the density of the first material where the case has
   one, and what was dropped as a share. */
static ig_status figures(ig_job *job, ig_sink *sink, const ig_voxels *v, const uint8_t *part,
                         double level, double design_volume, int pieces, double lost) {
  int64_t count = 0;
  int layers = 0;
  for (int k = 0; k < v->n[2]; k++) {
    int64_t here = 0;
    for (int64_t i = 0; i < (int64_t)v->n[0] * v->n[1]; i++)
      here += part[(int64_t)k * v->n[0] * v->n[1] + i];
    count += here;
    layers += here > 0;
  }
  const double volume = (double)count * v->edge[0] * v->edge[1] * v->edge[2];
  /* The first material stands for the part. */
  const ig_material_case *m =
      job->materials->count ? IG_ITEM(const ig_material_case, *job->materials, 0) : NULL;
  IG_TRY(sink->result(sink, "voxels", "", (double)count));
  IG_TRY(sink->result(sink, "layers", "", layers));
  IG_TRY(sink->result(sink, "level", "", level));
  IG_TRY(sink->result(sink, "design_volume", "m^3", design_volume));
  IG_TRY(sink->result(sink, "volume", "m^3", volume));
  if (m && m->density.count)
    IG_TRY(sink->result(sink, "mass", "kg", volume * m->density.y[0]));
  IG_TRY(sink->result(sink, "pieces", "", pieces));
  return sink->result(sink, "dropped_share", "", lost);
}

/* From the design to the voxels that make up the part; both to be freed whatever is returned. */
static ig_status part_make(ig_job *job, const shape_case *c, ig_voxels *design, ig_voxels *v,
                           uint8_t **part, double *level, double *volume, int *pieces,
                           double *lost) {
  ig_ctx *cx = job->cx;
  /* The volume is that of the design before smoothing: the part keeps it, whatever smoothing and
     sampling do. */
  IG_TRY(ig_mesh_placed(cx, ig_voxels_read(cx, c->file, c->field, design), &c->at));
  const int64_t cells = (int64_t)design->n[0] * design->n[1] * design->n[2];
  *volume = 0;
  for (int64_t i = 0; i < cells; i++)
    *volume += design->density[i] * design->edge[0] * design->edge[1] * design->edge[2];
  IG_TRY(ig_voxels_smooth(cx, design, c->smoothing));
  IG_TRY(ig_mesh_placed(cx, ig_voxels_sample(cx, design, c->voxel, v), &c->at));
  *level = c->level;
  if (isnan(*level))
    IG_TRY(ig_voxels_level(cx, v, *volume, level));
  IG_TRY(IG_NEW(cx, part, (int64_t)v->n[0] * v->n[1] * v->n[2], "part"));
  return part_find(job, c, v, *level, *part, pieces, lost);
}

/* State of the room from open to close. All is computed in one step. */
typedef struct {
  ig_job *job;
  ig_voxels design, v;
  uint8_t *part;
  ig_mesh *mesh;
  double level, volume, lost;
  int pieces;
  bool done;
} run;

/* The job outlives the room. */
static ig_status room_open(ig_job *job, void **self) {
  run *r;
  IG_TRY(IG_NEW(job->cx, &r, 1, "shape"));
  *self = r;
  r->job = job;
  r->pieces = 1;
  return IG_OK;
}

static void room_close(void *self) {
  run *r = self;
  if (!r)
    return;
  ig_mesh_free(r->mesh);
  free(r->part);
  ig_voxels_free(&r->v);
  ig_voxels_free(&r->design);
  free(r);
}

/* The part, in a single step. */
static ig_status advance(void *self, int64_t most, int64_t ahead) {
  run *r = self;
  ig_job *job = r->job;
  const shape_case *c = job->room_case;
  (void)most, (void)ahead;
  IG_TRY(
      part_make(job, c, &r->design, &r->v, &r->part, &r->level, &r->volume, &r->pieces, &r->lost));
  if (r->lost > 0)
    ig_warn(job->cx, "%.2g %% of the design hung loose in %d pieces and was dropped", 100 * r->lost,
            r->pieces - 1);
  IG_TRY(mesh_make(job, c, &r->v, r->part, &r->mesh));
  job->elements = ig_mesh_elements(r->mesh);
  job->nodes = r->mesh->nodes;
  r->done = true;
  return IG_OK;
}

/* One step, whole when done; there is no time, so its duration is without end. */
static void stand(const void *self, ig_run_status *now) {
  const run *r = self;
  *now = (ig_run_status){.at = {r->done, 0},
                         .duration = INFINITY,
                         .steps = 1,
                         .dt = 1,
                         .ended = r->done,
                         .whole = true};
}

/* A snapshot of the mesh alone, without fields, then figures, then the beam's path if asked for.
   The sink owns the snapshot from here on. */
static ig_status results(void *self, ig_sink *to) {
  run *r = self;
  const shape_case *c = r->job->room_case;
  ig_snapshot *snap;
  IG_TRY(ig_mesh_snapshot(r->job->cx, r->mesh, &snap));
  IG_TRY(to->snapshot(to, snap));
  IG_TRY(figures(r->job, to, &r->v, r->part, r->level, r->volume, r->pieces, r->lost));
  return c->raster.at.given ? ig_scan_write(r->job, &c->raster, &r->v, r->part) : IG_OK;
}

/* What `check` says of a case: it goes as far as the voxels of the part but makes no mesh. */
static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  const shape_case *c = job->room_case;
  ig_voxels design = {0}, v = {0};
  uint8_t *part = NULL;
  double level, volume, lost = 0;
  int pieces = 1;
  char text[128];
  const ig_status status = part_make(job, c, &design, &v, &part, &level, &volume, &pieces, &lost);
  if (status == IG_OK) {
    snprintf(text, sizeof text, "%d x %d x %d, part above density %.3g", v.n[0], v.n[1], v.n[2],
             level);
    line(user, "voxels", text);
  }
  free(part);
  ig_voxels_free(&v);
  ig_voxels_free(&design);
  return status;
}

/* Keys of a case that this room has no use for are named in `unused`, and refused when given. */
const ig_room ig_room_shape = {
    .name = "shape",
    .about = "a design made into a part on a build plate, ready to print",
    .needs_mesh = false,
    .case_size = sizeof(shape_case),
    .options = shape_options,
    .open = room_open,
    .close = room_close,
    .advance = advance,
    .stand = stand,
    .results = results,
    .check = check,
    .figures = "voxels|layers|level|design_volume|volume|mass|pieces|dropped_share|scan_length|"
               "print_time",
    .unused = "precision|assembly|mesh|output.every|output.interval|output.count|"
              "output.history_every|output.checkpoint_every|output.fields"};
