/* The outer surfaces of a run's snapshots, packed for the page's 3D view.

   Numbers travel as 16-bit steps over their range, or 32-bit for point numbers; then as differences
   from one to the next, folded to be positive (0, -1, 1, -2 … become 0, 1, 2, 3 …), cut into planes
   of low and high bytes, deflated (RFC 1950), in base64 (RFC 4648). Neighbouring points are close
   to each other, so differences are small and high planes nearly empty. web/common.js undoes it. */
#include "chain/chain.h"
#include "core/display.h"
#include "core/number.h"
#include "io/mesh/stl.h"
#include "io/picture/picture.h"
#include "io/format/atomic_file.h"
#include "io/result/vtkhdf.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Fields that the view offers; more would make the page heavy. */
enum { FIELDS = 6 };

/* One snapshot's surface. */
typedef struct {
  double time;                          /* or iteration */
  char state[64];                       /* as the snapshot's */
  int64_t points, triangles, rods, all; /* all: triangles before the reduction */
  float *at;                            /* 3 x points, x of all points first */
  uint32_t *corner;                     /* 3 x triangles */
  uint32_t *rod;                        /* 2 x rods */
  uint32_t *node;                       /* points: their numbers in the snapshot */
  uint32_t *cell;  /* triangles, then rods: the snapshot's cell each came from */
  uint32_t *edges; /* triangles: bit i: the side from corner i to the next is an element edge */
  float *value[FIELDS]; /* per point, or per cell: triangles, then rods; NULL: not in this one */
  float *moved;         /* 3 x points; NULL: none */
  int geometry;         /* which of those before it is of the same shape */
  int mode;             /* its displacements are the shape of this mode; 0: those of its time */
} frame;

/* All frames of a run, with ranges over all of them, so that colours mean the same in each. */
typedef struct {
  ig_ctx *cx;
  const char *physics;
  int frames, geometries, fields;
  frame *frame;
  char name[FIELDS][64], unit[FIELDS][24]; /* of the last snapshot's fields */
  bool cells[FIELDS];
  double low[3], high[3], field_low[FIELDS], field_high[FIELDS], moved_low[3], moved_high[3];
  ig_marks marks;
  double last;  /* time of the last frame */
  int64_t most; /* triangles of a frame */
  bool iterations;
  int modes;  /* frames are shapes of so many modes, of one snapshot; 0: of times */
  bool state; /* of modes: the first frame is the loaded state that they are modes of */
  const ig_node *result, *units; /* figures of the summary; NULL */
} scene;

/* Allowed with any member NULL. */
static void frame_free(frame *f) {
  free(f->at);
  free(f->corner);
  free(f->rod);
  free(f->node);
  free(f->cell);
  free(f->edges);
  free(f->moved);
  for (int i = 0; i < FIELDS; i++)
    free(f->value[i]);
}

/* --- what is shown */

/* Which cells are part of the body: of a design those with a density of 0.5 or more, of a fracture
   those that are no cohesive elements. *keep NULL: all. */
static ig_status cells_keep(const scene *s, const ig_snapshot *snap, uint8_t **keep) {
  const ig_field *density = ig_snapshot_find(snap, IG_AT_CELLS, "density");
  const ig_field *block = ig_snapshot_find(snap, IG_AT_CELLS, "block");
  *keep = NULL;
  if (!(density && strcmp(s->physics, "topopt") == 0) &&
      !(block && strcmp(s->physics, "fracture") == 0))
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, keep, snap->cells, "cell selection"));
  for (int64_t c = 0; c < snap->cells; c++)
    (*keep)[c] = density ? ig_field_number(density, c) >= 0.5 : ig_field_number(block, c) == 0;
  return IG_OK;
}

/* The field of modes alone. */
static const char mode_shape[] = "mode shape";

/* The field that a picture shows comes first, then those people look for, then others as they are,
   tensors not at all. */
static void fields_choose(scene *s, const ig_snapshot *snap, const uint8_t *keep) {
  const char *const first[] = {ig_field_usual(snap, keep),
                               "T",
                               "density",
                               "crack_opening",
                               "damage",
                               "nodal_von_mises",
                               "von_mises",
                               "plastic_strain",
                               "displacement",
                               "fragment",
                               "T_peak",
                               "principal_stress",
                               "strain_energy"};
  /* Pass k takes the field that is k-th in the list; the last pass takes all others. */
  const int known = sizeof first / sizeof *first;
  for (int pass = 0; pass < known + 1 && (!s->modes || s->state); pass++)
    for (int i = 0; i < snap->fields && s->fields < FIELDS - (s->modes > 0); i++) {
      const ig_field *f = &snap->field[i];
      int place = known;
      for (int k = known - 1; k >= 0; k--)
        place = strcmp(f->name, first[k]) == 0 ? k : place;
      if (place != pass || f->components > 3 || strncmp(f->name, "mode_", 5) == 0)
        continue;
      snprintf(s->name[s->fields], sizeof s->name[0], "%s", f->name);
      s->cells[s->fields] = f->where == IG_AT_CELLS;
      snprintf(s->unit[s->fields], sizeof s->unit[0], "%s", f->unit);
      s->field_low[s->fields] = INFINITY;
      s->field_high[s->fields++] = -INFINITY;
    }
  if (s->modes) {
    snprintf(s->name[s->fields], sizeof s->name[0], "%s", mode_shape);
    s->field_low[s->fields] = INFINITY;
    s->field_high[s->fields++] = -INFINITY;
  }
}

/* --- reading one snapshot */

/* The name in the snapshot of what a frame shows as `name`. */
static const char *name_here(const frame *f, const char *name, char text[32]) {
  if (!f->mode)
    return name;
  snprintf(text, 32, "mode_%d", f->mode);
  return text;
}

/* Takes one field's values at the points or cells of the surface; a snapshot that lacks the field
   keeps NULL. Vectors count by their length. */
static ig_status values_take(scene *s, const ig_snapshot *snap, const ig_surface *surface,
                             const int64_t *used, int k, frame *f) {
  ig_scalar scalar;
  int here = 0;
  char text[32];
  if (f->mode && strcmp(s->name[k], mode_shape) != 0)
    return IG_OK;
  const char *name = name_here(f, s->name[k], text);
  while (here < snap->fields && strcmp(snap->field[here].name, name) != 0)
    here++;
  if (here == snap->fields || (snap->field[here].where == IG_AT_CELLS) != s->cells[k])
    return IG_OK;
  IG_TRY(ig_scalar_find(snap, "snapshot", name, &scalar));
  const int64_t count = s->cells[k] ? f->triangles + f->rods : f->points;
  IG_TRY(IG_NEW(s->cx, &f->value[k], count + 1, "values"));
  for (int64_t i = 0; i < count; i++) {
    const int64_t item = !s->cells[k]       ? used[i]
                         : i < f->triangles ? surface->cell[i]
                                            : surface->rod_cell[i - f->triangles];
    /* Single precision is enough: the page has 65535 steps over the range. */
    const double v = ig_scalar_value(&scalar, item);
    f->value[k][i] = (float)v;
    if (isfinite(v)) {
      s->field_low[k] = fmin(s->field_low[k], v);
      s->field_high[k] = fmax(s->field_high[k], v);
    }
  }
  return IG_OK;
}

/* Displacements at the points, if the snapshot has them; they move the part in the view. */
static ig_status moved_take(scene *s, const ig_snapshot *snap, const int64_t *used, frame *f) {
  char text[32];
  const ig_field *field = ig_vector_find(snap, name_here(f, "displacement", text));
  if (!field)
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &f->moved, 3 * f->points + 1, "displacements"));
  for (int64_t i = 0; i < f->points; i++)
    for (int c = 0; c < 3; c++) {
      const double v = ig_field_number(field, 3 * used[i] + c);
      f->moved[c * f->points + i] = (float)v;
      if (isfinite(v)) {
        s->moved_low[c] = fmin(s->moved_low[c], v);
        s->moved_high[c] = fmax(s->moved_high[c], v);
      }
    }
  return IG_OK;
}

/* Points are numbered anew in the order in which triangles and rods meet them, which leaves out
   inner points and makes neighbours close in number. number[] is 0 for a point not met yet, else
   its new number plus one. number and used have room for all points of the snapshot and are zero at
   first. */
static ig_status shape_take(scene *s, const ig_snapshot *snap, const ig_surface *surface,
                            int64_t *number, int64_t *used, frame *f) {
  f->triangles = surface->triangles;
  f->rods = surface->rods;
  IG_TRY(IG_NEW(s->cx, &f->corner, 3 * f->triangles + 1, "triangles"));
  IG_TRY(IG_NEW(s->cx, &f->rod, 2 * f->rods + 1, "rods"));
  IG_TRY(IG_NEW(s->cx, &f->cell, f->triangles + f->rods + 1, "cell numbers"));
  IG_TRY(IG_NEW(s->cx, &f->edges, f->triangles + 1, "element edges"));
  for (int64_t i = 0; i < f->triangles; i++) {
    f->cell[i] = (uint32_t)surface->cell[i];
    f->edges[i] = surface->edges[i];
  }
  for (int64_t i = 0; i < f->rods; i++)
    f->cell[f->triangles + i] = (uint32_t)surface->rod_cell[i];
  for (int64_t i = 0; i < 3 * f->triangles + 2 * f->rods; i++) {
    const int64_t j = i - 3 * f->triangles;
    const int64_t point = j < 0 ? surface->corner[i] : surface->rod[j];
    if (!number[point]) {
      used[f->points++] = point;
      number[point] = f->points;
    }
    *(j < 0 ? &f->corner[i] : &f->rod[j]) = (uint32_t)(number[point] - 1);
  }
  IG_TRY(IG_NEW(s->cx, &f->at, 3 * f->points + 1, "points"));
  IG_TRY(IG_NEW(s->cx, &f->node, f->points + 1, "point numbers"));
  for (int64_t i = 0; i < f->points; i++)
    f->node[i] = (uint32_t)used[i];
  for (int64_t i = 0; i < f->points; i++)
    for (int c = 0; c < 3; c++) {
      const double v = snap->point[3 * used[i] + c];
      f->at[c * f->points + i] = (float)v;
      s->low[c] = fmin(s->low[c], v);
      s->high[c] = fmax(s->high[c], v);
    }
  return IG_OK;
}

/* Reads one snapshot, or the STL of a design, and takes its surface. All buffers are freed here;
   what was taken stays in the frame. The first snapshot read decides which fields are shown; others
   show those of them that they have. */
static ig_status frame_read(scene *s, const char *path, frame *f) {
  ig_snapshot *snap = NULL;
  ig_surface surface = {0};
  uint8_t *keep = NULL;
  int64_t *number = NULL, *used = NULL;
  ig_status status;
  /* A file that is no plain one, such as a link, counts as one that cannot be read. */
  const char *ending = strrchr(path, '.');
  const bool stl = ending && strcmp(ending, ".stl") == 0; /* of a design: no fields, no iteration */
  status = !ig_page_plain(path) ? IG_INPUT
           : stl                ? ig_stl_read(s->cx, path, &snap)
                                : ig_snapshot_read(s->cx, path, &snap);
  if (status == IG_OK)
    status = ig_opening_add(snap);
  if (status != IG_OK)
    goto done;
  IG_TRY_GOTO(status, done, cells_keep(s, snap, &keep));
  IG_TRY_GOTO(status, done, ig_surface_new(s->cx, snap, keep, &surface));
  f->all = surface.triangles;
  IG_TRY_GOTO(status, done, ig_surface_reduce(s->cx, snap, &surface, s->most));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &number, snap->points + 1, "point numbers"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &used, snap->points + 1, "point numbers"));
  if (s->fields == 0)
    fields_choose(s, snap, keep);
  f->time = snap->time;
  memcpy(f->state, snap->state, sizeof f->state);
  s->iterations |= snap->iterations;
  IG_TRY_GOTO(status, done, shape_take(s, snap, &surface, number, used, f));
  for (int k = 0; k < s->fields; k++)
    IG_TRY_GOTO(status, done, values_take(s, snap, &surface, used, k, f));
  status = moved_take(s, snap, used, f);
done:
  free(number);
  free(used);
  free(keep);
  ig_surface_free(&surface);
  ig_snapshot_free(snap);
  return status;
}

/* Frames of one shape share it in the page: it is compared bit by bit. */
static bool same_shape(const frame *a, const frame *b) {
  return a->points == b->points && a->triangles == b->triangles && a->rods == b->rods &&
         memcmp(a->at, b->at, 3 * (size_t)a->points * sizeof *a->at) == 0 &&
         memcmp(a->corner, b->corner, 3 * (size_t)a->triangles * sizeof *a->corner) == 0 &&
         memcmp(a->rod, b->rod, 2 * (size_t)a->rods * sizeof *a->rod) == 0 &&
         memcmp(a->node, b->node, (size_t)a->points * sizeof *a->node) == 0 &&
         memcmp(a->cell, b->cell, (size_t)(a->triangles + a->rods) * sizeof *a->cell) == 0;
}

/* --- packing */

/* Packs values as `key` of an object, or as an item of a list with key NULL. Values are at most 32
   bits, so differences are at most 33: five bytes for those, three for 16-bit values. */
static ig_status pack(ig_ctx *cx, ig_json *json, const char *key, const uint32_t *value,
                      int64_t count, int bytes) {
  uint8_t *plane = NULL, *packed = NULL;
  const uLong size = (uLong)(count * bytes);
  uLongf length = compressBound(size);
  ig_text text = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &plane, size + 1, "a surface"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &packed, length, "a surface"));
  /* Differences of neighbours, folded so that small ones of either sign have only zero high
     bytes. */
  int64_t last = 0;
  for (int64_t i = 0; i < count; i++) {
    const int64_t d = (int64_t)value[i] - last;
    const uint64_t folded = d < 0 ? (uint64_t)(-2 * d - 1) : (uint64_t)(2 * d);
    last = value[i];
    for (int b = 0; b < bytes; b++)
      plane[(int64_t)b * count + i] = (uint8_t)(folded >> (8 * b));
  }
  if (compress2(packed, &length, plane, size, 9) != Z_OK) {
    status = IG_FAIL(cx, IG_MEMORY, "no memory to compress a surface");
    goto done;
  }
  ig_text_add(&text, "\"");
  ig_text_base64(&text, packed, length);
  ig_text_add(&text, "\"");
  if (text.failed)
    status = IG_FAIL(cx, IG_MEMORY, "no memory for the report");
  else
    ig_json_raw(json, key, text.at);
done:
  free(text.at);
  free(plane);
  free(packed);
  return status;
}

/* Floats as steps of 1/most over a range; what is not finite as 65535, which is `most` + 1 where
   that can be. Differences of 16-bit values need 17 bits folded: three planes. */
static ig_status pack_reals(ig_ctx *cx, ig_json *json, const char *key, const float *value,
                            int64_t count, double low, double high, int most) {
  /* A range without a width packs as zeros. */
  uint32_t *step = NULL;
  IG_TRY(IG_NEW(cx, &step, count + 1, "a field"));
  for (int64_t i = 0; i < count; i++) {
    const double v = (double)value[i], s = high > low ? (v - low) / (high - low) : 0;
    step[i] = isfinite(v) ? (uint32_t)lround(fmin(fmax(s, 0), 1) * most) : 65535;
  }
  const ig_status status = pack(cx, json, key, step, count, 3);
  free(step);
  return status;
}

/* Positions, corners and rods of one shape; numbers of its nodes and elements. */
static ig_status geometry_write(const scene *s, const frame *f, ig_json *json) {
  ig_json_object(json, NULL);
  ig_json_list(json, "position");
  for (int c = 0; c < 3; c++)
    IG_TRY(pack_reals(s->cx, json, NULL, f->at + c * f->points, f->points, s->low[c], s->high[c],
                      65535));
  ig_json_end(json, ']');
  IG_TRY(pack(s->cx, json, "corner", f->corner, 3 * f->triangles, 5));
  IG_TRY(pack(s->cx, json, "rod", f->rod, 2 * f->rods, 5));
  IG_TRY(pack(s->cx, json, "node", f->node, f->points, 5));
  IG_TRY(pack(s->cx, json, "cell", f->cell, f->triangles + f->rods, 5));
  IG_TRY(pack(s->cx, json, "edges", f->edges, f->triangles, 1));
  ig_json_end(json, '}');
  return IG_OK;
}

/* Its number, and its frequency or load factor where the summary has it. */
static void mode_label(const scene *s, int mode, char *label, size_t size) {
  char key[32];
  snprintf(key, sizeof key, "mode_%d", mode);
  const ig_node *value = s->result ? ig_node_find(s->result, key) : NULL;
  const ig_node *unit = s->units ? ig_node_find(s->units, key) : NULL;
  char *end = NULL;
  const double number = value && value->text ? ig_decimal_read(value->text, &end) : NAN;
  if (!end || *end || !isfinite(number))
    ig_format(label, size, "mode %d", mode);
  else if (unit && unit->text && strcmp(unit->text, "Hz") == 0)
    ig_format(label, size, "mode %d: %.5g Hz", mode, number);
  else
    ig_format(label, size, "mode %d: load factor %.5g", mode, number);
}

/* A frame: label, shape, values and displacements. A surface without a time is that of part.stl. */
static ig_status frame_write(const scene *s, const frame *f, ig_json *json) {
  char label[160];
  /* All labels have the unit that suits the last time, so that they can be compared. */
  const ig_display shown = ig_display_for("s", s->last);
  if (f->mode)
    mode_label(s, f->mode, label, sizeof label);
  else if (s->state)
    ig_format(label, sizeof label, "loaded state, t = %.5g %s", shown.factor * f->time, shown.unit);
  else if (isnan(f->time))
    ig_format(label, sizeof label, "surface, part.stl");
  else if (s->iterations)
    ig_format(label, sizeof label, "iteration %.0f", f->time);
  else
    ig_format(label, sizeof label, "t = %.5g %s", shown.factor * f->time, shown.unit);
  if (f->state[0] && !f->mode && !s->state && !isnan(f->time) && !s->iterations)
    ig_format(label + strlen(label), sizeof label - strlen(label), ", %s", f->state);
  ig_json_object(json, NULL);
  ig_json_text(json, "label", label);
  ig_json_int(json, "geometry", f->geometry);
  ig_json_list(json, "values");
  for (int k = 0; k < s->fields; k++)
    if (f->value[k])
      IG_TRY(pack_reals(s->cx, json, NULL, f->value[k],
                        s->cells[k] ? f->triangles + f->rods : f->points, s->field_low[k],
                        s->field_high[k], 65534));
    else
      ig_json_raw(json, NULL, "null");
  ig_json_end(json, ']');
  if (f->moved) {
    ig_json_list(json, "moved");
    for (int c = 0; c < 3; c++)
      IG_TRY(pack_reals(s->cx, json, NULL, f->moved + c * f->points, f->points, s->moved_low[c],
                        s->moved_high[c], 65535));
    ig_json_end(json, ']');
  }
  ig_json_end(json, '}');
  return IG_OK;
}

/* A list of three numbers. */
static void triple_write(ig_json *json, const char *key, const double v[3]) {
  ig_json_list(json, key);
  for (int c = 0; c < 3; c++)
    ig_json_real(json, NULL, v[c]);
  ig_json_end(json, ']');
}

/* Deformation is shown as it is where it can be seen, and magnified to a twentieth of the body
   where it is smaller than a hundredth. */
static double warp_scale(const scene *s) {
  /* The diagonal of the body and the largest component of a displacement, m. */
  double size = 0, most = 0;
  if (s->iterations) /* a design's displacements are of loads of any size */
    return 0;
  for (int c = 0; c < 3; c++) {
    size += (s->high[c] - s->low[c]) * (s->high[c] - s->low[c]);
    most = fmax(most, fmax(fabs(s->moved_low[c]), fabs(s->moved_high[c])));
  }
  if (s->modes && !s->state) /* shapes, of any size: about a tenth of the body */
    return ig_mode_usual(sqrt(size));
  return ig_warp_usual(sqrt(size), most);
}

/* A field that is the same everywhere shows nothing, unless there is no other. Freed values leave
   NULL behind, so that nothing is freed twice. The last field stays if no other is left, so that
   the view has something to show. */
static void fields_thin(scene *s) {
  int kept = 0;
  for (int k = 0; k < s->fields; k++) {
    if (!(s->field_low[k] < s->field_high[k]) && (kept > 0 || k < s->fields - 1)) {
      for (int i = 0; i < s->frames; i++) {
        free(s->frame[i].value[k]);
        s->frame[i].value[k] = NULL;
      }
      continue;
    }
    if (kept < k) {
      memcpy(s->name[kept], s->name[k], sizeof s->name[k]);
      memcpy(s->unit[kept], s->unit[k], sizeof s->unit[k]);
      s->cells[kept] = s->cells[k];
      s->field_low[kept] = s->field_low[k];
      s->field_high[kept] = s->field_high[k];
      for (int i = 0; i < s->frames; i++) {
        s->frame[i].value[kept] = s->frame[i].value[k];
        s->frame[i].value[k] = NULL;
      }
    }
    kept++;
  }
  s->fields = kept;
}

/* The space that the deformed body takes over all frames: what the page frames. */
static void deformed_box(const scene *s, double scale, double low[3], double high[3]) {
  for (int c = 0; c < 3; c++) {
    low[c] = INFINITY;
    high[c] = -INFINITY;
    for (int i = 0; i < s->frames; i++) {
      const frame *f = &s->frame[i];
      for (int64_t k = c * f->points; k < (c + 1) * f->points; k++) {
        const double v = (double)f->at[k] + (f->moved ? scale * (double)f->moved[k] : 0);
        low[c] = isfinite(v) ? fmin(low[c], v) : low[c];
        high[c] = isfinite(v) ? fmax(high[c], v) : high[c];
      }
    }
  }
}

/* Loads and supports: lists of place, load (N, or W), load case (0: a support), components held. */
static void marks_write(const ig_marks *m, ig_json *json) {
  if (m->count == 0)
    return;
  ig_json_object(json, "marks");
  ig_json_raw(json, "heat", m->heat ? "true" : "false");
  ig_json_real(json, "most", m->most);
  ig_json_list(json, "total");
  for (int q = 0; q < m->cases && q < IG_MARK_CASES; q++) {
    char text[64];
    ig_marks_said(m, q, text);
    ig_json_text(json, NULL, text);
  }
  ig_json_end(json, ']');
  ig_json_list(json, "list");
  for (int64_t i = 0; i < m->count; i++) {
    const ig_mark *k = &m->mark[i];
    ig_json_list(json, NULL);
    for (int c = 0; c < 3; c++)
      ig_json_real(json, NULL, k->at[c]);
    for (int c = 0; c < 3; c++)
      ig_json_real(json, NULL, k->load[c]);
    ig_json_int(json, NULL, k->load_case);
    ig_json_int(json, NULL, m->heat ? 7 : (int64_t)k->held);
    ig_json_end(json, ']');
  }
  ig_json_end(json, ']');
  ig_json_end(json, '}');
}

/* Loads and supports; supports of a design where there is material at the end. */
static ig_status marks_find(scene *s, const char *path) {
  const frame *f = &s->frame[s->frames - 1];
  double size = 0;
  bool *near;
  for (int c = 0; c < 3; c++)
    size += (s->high[c] - s->low[c]) * (s->high[c] - s->low[c]);
  IG_TRY(ig_marks_read(s->cx, path, sqrt(size), &s->marks));
  if (!s->iterations || s->marks.count == 0)
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &near, s->marks.count, "loads"));
  for (int64_t i = 0; i < f->points; i++) {
    const double at[3] = {(double)f->at[i], (double)f->at[f->points + i],
                          (double)f->at[2 * f->points + i]};
    ig_marks_near(&s->marks, at, near);
  }
  ig_marks_keep(&s->marks, near);
  free(near);
  return IG_OK;
}

/* The whole view. Shapes are written in the order of their numbers, before the frames that refer to
   them. Keys: low, high (of the shape), box_low, box_high (of all that moves), fields, warp,
   geometries, frames; web/view.js reads them by these names. */
static ig_status scene_write(const scene *s, ig_json *json) {
  const bool moves = s->moved_low[0] <= s->moved_high[0];
  double box_low[3], box_high[3];
  deformed_box(s, moves ? warp_scale(s) : 0, box_low, box_high);
  ig_json_object(json, "view");
  ig_json_int(json, "first", s->modes ? 0 : s->frames - 1);
  ig_json_raw(json, "modes", s->modes ? "true" : "false");
  ig_json_raw(json, "state", s->state ? "true" : "false");
  triple_write(json, "low", s->low);
  triple_write(json, "high", s->high);
  triple_write(json, "box_low", box_low);
  triple_write(json, "box_high", box_high);
  double reach = 0; /* coordinates are shown in one unit */
  for (int c = 0; c < 3; c++)
    reach = fmax(reach, fmax(fabs(s->low[c]), fabs(s->high[c])));
  const ig_display length = ig_display_for("m", reach);
  ig_json_text(json, "length", length.unit);
  ig_json_real(json, "length_factor", length.factor);
  ig_json_list(json, "fields");
  for (int k = 0; k < s->fields; k++) {
    ig_json_object(json, NULL);
    ig_json_text(json, "name", s->name[k]);
    ig_json_text(json, "unit", s->unit[k]);
    ig_json_raw(json, "cells", s->cells[k] ? "true" : "false");
    ig_json_real(json, "low", s->field_low[k] <= s->field_high[k] ? s->field_low[k] : 0);
    ig_json_real(json, "high", s->field_low[k] <= s->field_high[k] ? s->field_high[k] : 1);
    const ig_display shown =
        ig_display_for(s->unit[k], fmax(fabs(s->field_low[k]), fabs(s->field_high[k])));
    ig_json_text(json, "shown", shown.unit);
    ig_json_real(json, "factor", shown.factor);
    ig_json_text(json, "palette", ig_palette_usual(s->name[k]));
    const ig_display celsius = ig_display_of(s->name[k], s->unit[k], 0, !s->iterations);
    if (strcmp(celsius.unit, shown.unit) != 0 && strcmp(s->unit[k], "K") == 0)
      ig_json_real(json, "celsius", celsius.shift);
    ig_json_end(json, '}');
  }
  ig_json_end(json, ']');
  marks_write(&s->marks, json);
  if (moves) {
    ig_json_object(json, "warp");
    ig_json_real(json, "scale", warp_scale(s));
    triple_write(json, "low", s->moved_low);
    triple_write(json, "high", s->moved_high);
    ig_json_end(json, '}');
  }
  ig_json_list(json, "geometries");
  for (int i = 0, g = 0; i < s->frames; i++)
    if (s->frame[i].geometry == g) {
      IG_TRY(geometry_write(s, &s->frame[i], json));
      g++;
    }
  ig_json_end(json, ']');
  ig_json_list(json, "frames");
  for (int i = 0; i < s->frames; i++)
    IG_TRY(frame_write(s, &s->frame[i], json));
  ig_json_end(json, ']');
  ig_json_end(json, '}');
  return IG_OK;
}

/* The surface of a finished design, what is manufactured, comes after its last iteration. */
static ig_status surface_add(scene *s, const char *folder) {
  if (strcmp(s->physics, "topopt") != 0 || s->frames == 0)
    return IG_OK;
  /* A surface that cannot be read is left out without a word: the design itself is shown. */
  char *path = ig_page_file(folder, "part.stl");
  frame *f = &s->frame[s->frames];
  ig_status status = IG_OK;
  if (path && access(path, R_OK) == 0) {
    status = frame_read(s, path, f);
    if (status == IG_OK) {
      s->frames++;
    } else {
      frame_free(f);
      *f = (frame){0};
    }
  }
  free(path);
  return status == IG_MEMORY || status == IG_INTERRUPTED ? status : IG_OK;
}

/* What the view leaves out, for the reader of the page. `snapshots`: of the run. */
static void left_out(const scene *s, int snapshots, int unread, const char *one, bool asked,
                     char note[IG_REPORT_NOTE]) {
  const frame *largest = &s->frame[0];
  for (int i = 1; i < s->frames; i++)
    largest = s->frame[i].all - s->frame[i].triangles > largest->all - largest->triangles
                  ? &s->frame[i]
                  : largest;
  int at = 0;
  if (unread > 0) {
    at = ig_format(note, IG_REPORT_NOTE, "Left out of the 3D view: %.60s%s, which cannot be read. ",
                   one, unread > 1 ? " and other snapshots" : "");
    ig_warn(s->cx, "%s", note);
  }
  if (largest->triangles < largest->all)
    ig_format(
        note + at, (size_t)(IG_REPORT_NOTE - at),
        "The surface is drawn with %lld of its %lld triangles, in %d of %d snapshots: largest "
        "values may lie between the nodes that are left. `ingot report --triangles %lld%s` "
        "draws all of it.",
        (long long)largest->triangles, (long long)largest->all, s->frames, snapshots,
        (long long)largest->all, asked ? "" : " --frames 24");
}

/* How far the points of a frame go at most. */
static double moved_most(const frame *f) {
  double most = 0;
  for (int64_t i = 0; f->moved && i < f->points; i++) {
    double square = 0;
    for (int c = 0; c < 3; c++)
      square += (double)f->moved[c * f->points + i] * (double)f->moved[c * f->points + i];
    most = isfinite(square) ? fmax(most, sqrt(square)) : most;
  }
  return most;
}

/* Shapes of modes have any size: beside a loaded state they move as far as it does, so that one
   scale shows both. */
static void modes_scale(scene *s) {
  const double state = moved_most(&s->frame[0]);
  for (int c = 0; c < 3; c++) {
    s->moved_low[c] = INFINITY;
    s->moved_high[c] = -INFINITY;
  }
  for (int i = 0; i < s->frames; i++) {
    frame *f = &s->frame[i];
    const double most = moved_most(f);
    const float factor = f->mode && most > 0 && state > 0 ? (float)(state / most) : 1;
    for (int64_t k = 0; f->moved && k < 3 * f->points; k++) {
      const int64_t c = k / f->points;
      f->moved[k] *= factor;
      if (isfinite(f->moved[k])) {
        s->moved_low[c] = fmin(s->moved_low[c], (double)f->moved[k]);
        s->moved_high[c] = fmax(s->moved_high[c], (double)f->moved[k]);
      }
    }
  }
}

/* How many shapes of modes a snapshot has, and whether it is one of a loaded body. */
static ig_status modes_count(scene *s, const char *path) {
  ig_snapshot *snap = NULL;
  char name[32];
  if (strcmp(s->physics, "structure") != 0 || !ig_page_plain(path))
    return IG_OK;
  const ig_status status = ig_snapshot_read(s->cx, path, &snap);
  for (int k = 1; status == IG_OK; k++) {
    snprintf(name, sizeof name, "mode_%d", k);
    if (!ig_vector_find(snap, name))
      break;
    s->modes = k;
  }
  const ig_field *u = status == IG_OK && s->modes ? ig_vector_find(snap, "displacement") : NULL;
  for (int64_t i = 0; u && !s->state && i < 3 * snap->points; i++)
    s->state = fabs(ig_field_number(u, i)) > 0;
  ig_snapshot_free(snap);
  return status == IG_MEMORY || status == IG_INTERRUPTED ? status : IG_OK;
}

/* Last first: its fields are the ones that are shown. Snapshots that cannot be read are left out.
 */
static ig_status scene_read(scene *s, const ig_series *series, const char *folder, int *unread,
                            const char **one) {
  /* Frames are spread evenly over the snapshots; the first and the last are always among them. */
  const int wanted = s->frames;
  for (int i = wanted - 1; i >= 0; i--) {
    const int k = !s->modes && wanted > 1 ? (int)((int64_t)i * (series->count - 1) / (wanted - 1))
                                          : series->count - 1;
    s->frame[i].mode = s->modes ? i + 1 - s->state : 0;
    IG_TRY(ig_interrupt_take(s->cx, "report"));
    const ig_status status = frame_read(s, series->path[k], &s->frame[i]);
    if (status == IG_MEMORY || status == IG_INTERRUPTED)
      return status;
    if (status != IG_OK) {
      frame_free(&s->frame[i]);
      memmove(&s->frame[i], &s->frame[i + 1], (size_t)(s->frames - 1 - i) * sizeof *s->frame);
      s->frame[--s->frames] = (frame){0};
      *one = ig_base_name(series->path[k]);
    }
  }
  *unread = wanted - s->frames;
  s->last = s->frames > 0 ? s->frame[s->frames - 1].time : 0;
  if (s->state && s->frames > 0)
    modes_scale(s);
  IG_TRY(surface_add(s, folder));
  for (int i = 0; i < s->frames; i++) {
    const bool same = i > 0 && same_shape(&s->frame[i], &s->frame[i - 1]);
    s->frame[i].geometry = same ? s->frame[i - 1].geometry : s->geometries++;
  }
  return IG_OK;
}

/* The view of so many frames with at most `most` triangles each. */
static ig_status view_write(ig_ctx *cx, const ig_page_run *run, int frames, int64_t most,
                            bool asked, ig_json *json, int64_t *triangles,
                            char note[IG_REPORT_NOTE]) {
  ig_series series = {0};
  scene s = {.cx = cx, .physics = run->physics, .most = most};
  int unread = 0;
  const char *one = "";
  ig_status status;
  for (int c = 0; c < 3; c++) {
    s.low[c] = s.moved_low[c] = INFINITY;
    s.high[c] = s.moved_high[c] = -INFINITY;
  }
  s.result = run->summary ? ig_node_find(run->summary, "result") : NULL;
  s.units = run->summary ? ig_node_find(run->summary, "units") : NULL;
  note[0] = '\0';
  *triangles = 0;
  if (ig_series_read(cx, run->folder, &series) != IG_OK)
    return IG_OK; /* a run without snapshots has no view */
  /* One frame more than asked for, for the surface of a finished design. */
  IG_TRY_GOTO(status, done, series.count ? modes_count(&s, series.path[series.count - 1]) : IG_OK);
  const int there = s.modes ? s.modes + s.state : series.count;
  s.frames = there < frames ? there : frames;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &s.frame, s.frames + 1, "frames"));
  IG_TRY_GOTO(status, done, scene_read(&s, &series, run->folder, &unread, &one));
  if (s.frames > 0)
    left_out(&s, there, unread, one, asked, note);
  if (s.frames > 0 && s.low[0] <= s.high[0]) {
    IG_TRY_GOTO(status, done, marks_find(&s, series.path[0]));
    fields_thin(&s);
    for (int i = 0; i < s.frames; i++)
      *triangles = s.frame[i].triangles > *triangles ? s.frame[i].triangles : *triangles;
    status = scene_write(&s, json);
  }
done:
  ig_marks_free(&s.marks);
  for (int i = 0; s.frame && i < s.frames; i++)
    frame_free(&s.frame[i]);
  free(s.frame);
  ig_series_free(&series);
  return status;
}

/* Up to 24 frames and 300000 triangles unless the options say otherwise: pages that any browser
   turns smoothly. A page whose size nobody asked for stays small: a view that takes more than its
   share is written again with fewer frames and triangles. What earlier views leave of theirs goes
   to later ones; of the rest of the page the first SPARE bytes count for nothing. */
ig_status ig_report_view(ig_page *p, const ig_page_run *run, char note[IG_REPORT_NOTE]) {
  enum {
    USUAL_FRAMES = 24,
    USUAL_TRIANGLES = 300000,
    LEAST_FRAMES = 6,
    PAGE = 1500000,
    SPARE = 250000,
    LEAST = 150000
  };
  const ig_report_options *o = p->o;
  ig_json *json = &p->data;
  const bool asked = o->frames > 0 || o->triangles > 0;
  const double rest = PAGE - (double)json->text.length - fmax((double)p->body.length - SPARE, 0);
  const double share = fmax(rest / (p->views > 1 ? p->views : 1), LEAST);
  int frames = o->frames > 0 ? o->frames : USUAL_FRAMES;
  int64_t most = o->triangles > 0 ? o->triangles : USUAL_TRIANGLES, triangles;
  p->views--;
  for (int tries = 0;; tries++) {
    const ig_json before = *json;
    IG_TRY(view_write(p->cx, run, frames, most, asked, json, &triangles, note));
    const double size = (double)(json->text.length - before.text.length);
    if (asked || size <= share || tries == 3 || json->text.failed)
      break;
    /* Half of the saving from frames, half from triangles, as long as there are many frames. */
    const double saving = 0.9 * share / size;
    const int fewer = (int)fmax(LEAST_FRAMES, floor(sqrt(saving) * frames));
    most = (int64_t)((double)triangles * fmin(1, saving * frames / fewer));
    frames = fewer < frames ? fewer : frames;
    json->text.length = before.text.length; /* take it back */
    if (json->text.at)
      json->text.at[json->text.length] = '\0';
    json->comma = before.comma;
    json->depth = before.depth;
  }
  return IG_OK;
}
