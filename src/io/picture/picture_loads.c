/* What a result folder says of a picture beside its snapshot: loads and supports (loads.csv), drawn
   as arrows and marks, and the solidus of the material (case.yaml).

   Nodal loads are summed on a coarse grid over their extent, so that an arrow stands for a share of
   the load whatever the mesh: lengths are in proportion to the largest sum. A node adds to the two
   cells of a direction whose middles it lies between, by its nearness: loads that are even, with
   half of a share at the ends, give even arrows. */
#include "io/picture/picture.h"
#include "core/display.h"
#include "core/number.h"
#include "io/format/atomic_file.h"
#include "io/format/case_yaml.h"
#include "io/format/csv.h"
#include "io/result/result_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const float INK[3] = {0.13F, 0.14F, 0.16F};
static const float PAPER[3] = {1, 1, 1};
/* Of load cases, again from the first after the last. */
static const float CASE_COLOR[][3] = {{0.82F, 0.16F, 0.12F}, {0.12F, 0.44F, 0.92F},
                                      {0.66F, 0.33F, 0.78F}, {0.79F, 0.54F, 0.07F},
                                      {0.07F, 0.58F, 0.61F}, {0.82F, 0.25F, 0.56F}};
enum { CASE_COLORS = sizeof CASE_COLOR / sizeof *CASE_COLOR };

/* --- files of the folder */

/* The path of a plain file beside `path`, NULL: there is none; free it. */
static char *beside(const char *path, const char *name) {
  struct stat info;
  const char *slash = strrchr(path, '/');
  const size_t length = slash ? (size_t)(slash - path) + 1 : 0, size = length + strlen(name) + 1;
  char *file = malloc(size);
  if (!file)
    return NULL;
  snprintf(file, size, "%.*s%s", (int)length, path, name);
  if (lstat(file, &info) == 0 && S_ISREG(info.st_mode))
    return file;
  free(file);
  return NULL;
}

double ig_case_solidus(const ig_node *kase) {
  const ig_node *materials = kase ? ig_node_find(kase, "materials") : NULL;
  double solidus = NAN;
  if (!materials || materials->kind == IG_NODE_SCALAR)
    return NAN;
  for (const ig_node *m = materials->kind == IG_NODE_LIST ? materials->child : materials; m;
       m = materials->kind == IG_NODE_LIST ? m->next : NULL) {
    char problem[128];
    double value;
    const ig_node *own = m->kind == IG_NODE_MAP ? ig_node_find(m, "solidus") : NULL;
    if (!own || own->kind != IG_NODE_SCALAR ||
        !ig_number_read(own->text, "K", &value, problem, sizeof problem))
      continue;
    if (isfinite(solidus) && value != solidus)
      return NAN;
    solidus = value;
  }
  return solidus;
}

ig_status ig_folder_solidus(ig_ctx *cx, const char *path, double *solidus) {
  char *file = beside(path, IG_CASE);
  ig_arena *arena = NULL;
  ig_node *root = NULL;
  *solidus = NAN;
  ig_status status = file ? ig_arena_new(cx, &arena) : IG_OK;
  /* a picture needs no case: one that cannot be read has no solidus */
  if (status == IG_OK && file && ig_yaml_open(cx, arena, file, &root) == IG_OK)
    *solidus = ig_case_solidus(root);
  if (arena)
    ig_arena_free(arena);
  free(file);
  return status;
}

ig_status ig_folder_title(ig_ctx *cx, const char *path, char title[160]) {
  char *file = beside(path, IG_CASE);
  ig_arena *arena = NULL;
  ig_node *root = NULL;
  title[0] = '\0';
  ig_status status = file ? ig_arena_new(cx, &arena) : IG_OK;
  if (status == IG_OK && file && ig_yaml_open(cx, arena, file, &root) == IG_OK) {
    const ig_node *own = root->kind == IG_NODE_MAP ? ig_node_find(root, "title") : NULL;
    if (own && own->kind == IG_NODE_SCALAR && own->text)
      snprintf(title, 160, "%s", own->text);
  }
  if (arena)
    ig_arena_free(arena);
  free(file);
  return status;
}

/* --- marks */

/* Columns of the table, by their names. */
typedef struct {
  const ig_csv_table *t;
  int x[3], number, load[3], held[3];
  int size; /* components; 0: not such a table */
} columns;

static int column_of(const ig_csv_table *t, const char *name) {
  for (int c = 0; c < t->columns; c++) {
    char unit[IG_CSV_UNIT];
    if (ig_csv_name(t->name[c], unit) == strlen(name) &&
        strncmp(t->name[c], name, strlen(name)) == 0)
      return c;
  }
  return -1;
}

static columns columns_of(const ig_csv_table *t) {
  static const char *const place[] = {"x", "y", "z"};
  static const char *const force[] = {"force_x", "force_y", "force_z"};
  static const char *const hold[] = {"held_x", "held_y", "held_z"};
  columns k = {.t = t, .number = column_of(t, "load_case")};
  const bool heat = column_of(t, "heat") >= 0;
  bool all = k.number >= 0;
  k.size = heat ? 1 : 3;
  for (int c = 0; c < 3; c++)
    all &= (k.x[c] = column_of(t, place[c])) >= 0;
  for (int c = 0; c < k.size; c++) {
    all &= (k.load[c] = column_of(t, heat ? "heat" : force[c])) >= 0;
    all &= (k.held[c] = column_of(t, heat ? "held" : hold[c])) >= 0;
  }
  k.size = all ? k.size : 0;
  return k;
}

/* A row: a node's load, or what holds it. */
typedef struct {
  ig_mark mark;
  double weight;
} entry;

static int entry_order(const void *left, const void *right) {
  const entry *p = left, *q = right;
  if (p->mark.load_case != q->mark.load_case)
    return p->mark.load_case < q->mark.load_case ? -1 : 1;
  if (p->mark.held != q->mark.held)
    return p->mark.held < q->mark.held ? -1 : 1;
  for (int c = 0; c < 3; c++)
    if (p->mark.at[c] != q->mark.at[c])
      return p->mark.at[c] < q->mark.at[c] ? -1 : 1;
  return 0;
}

static double length_of(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* false: not a row of marks. */
static bool entry_read(const columns *k, int64_t row, double pitch, entry *e) {
  const double *v = k->t->value + row * k->t->columns, number = v[k->number];
  *e = (entry){.mark = {.load_case = (int)number}};
  bool sound = number >= 0 && number < 1000;
  for (int c = 0; c < 3; c++) {
    e->mark.at[c] = v[k->x[c]];
    sound &= fabs(e->mark.at[c] / pitch) < 1e9;
  }
  for (int c = 0; c < k->size; c++) {
    e->mark.load[c] = v[k->load[c]];
    sound &= isfinite(e->mark.load[c]);
    e->mark.held |= v[k->held[c]] != 0 ? 1U << c : 0;
  }
  e->weight = e->mark.load_case > 0 ? length_of(e->mark.load) : 1;
  return sound && e->weight > 0;
}

/* --- the grid over marks of one kind */

/* One direction: `cells` of equal width, or a cell for each coordinate that occurs. */
enum { CELLS = 40 };
typedef struct {
  int cells;
  bool levels;
  double low, width, level[CELLS];
} axis;
/* Of the two cells of a direction that an entry adds to: number and share. */
typedef struct {
  int cell[2];
  double share[2];
} nearness;
typedef struct {
  bool own; /* a node lies in it: others get nothing */
  double load[3], at[3], weight;
} cell;

static int number_order(const void *left, const void *right) {
  const double p = *(const double *)left, q = *(const double *)right;
  return (p > q) - (p < q);
}

/* Coordinates that are few, and far apart or uneven, keep their places. */
static void axis_lay(double *x, int64_t count, double pitch, axis *a) {
  qsort(x, (size_t)count, sizeof *x, number_order);
  const double extent = x[count - 1] - x[0];
  const int wide = (int)fmin(fmax(round(extent / pitch), 1), CELLS);
  double least = INFINITY, most = 0;
  int levels = 0;
  for (int64_t i = 0; i < count; i++) {
    const double gap = levels ? x[i] - x[i - 1] : INFINITY;
    if (gap < 1e-3 * pitch)
      continue;
    if (levels < CELLS)
      a->level[levels] = x[i];
    levels++;
    if (levels > 1) {
      least = fmin(least, gap);
      most = fmax(most, gap);
    }
  }
  const bool regular = most < 2 * least && most < 1.6 * pitch;
  a->levels = levels <= wide + 1 && levels <= CELLS && !regular;
  a->cells = a->levels ? levels : levels - 1 < wide ? (levels > 1 ? levels - 1 : 1) : wide;
  a->low = x[0];
  a->width = extent / a->cells;
}

static nearness axis_near(const axis *a, double x) {
  if (a->levels) {
    int i = 0;
    while (i + 1 < a->cells && fabs(a->level[i + 1] - x) <= fabs(a->level[i] - x))
      i++;
    return (nearness){{i, i}, {1, 0}};
  }
  const double s = a->width > 0 ? (x - a->low) / a->width - 0.5 : 0, last = a->cells - 1;
  if (!(s > 0))
    return (nearness){{0, 0}, {1, 0}};
  if (!(s < last))
    return (nearness){{a->cells - 1, a->cells - 1}, {1, 0}};
  const int i = (int)s;
  return (nearness){{i, i + 1}, {1 - (s - i), s - i}};
}

/* Number of one of the eight cells near an entry, its share, and whether the entry lies in it (if
   between two, in both). */
static int64_t cell_near(const axis a[3], const nearness n[3], int k, double *share, bool *inside) {
  int64_t at = 0;
  *share = 1;
  *inside = true;
  for (int c = 0; c < 3; c++) {
    const double one = n[c].share[k >> c & 1];
    at = at * a[c].cells + n[c].cell[k >> c & 1];
    *share *= one;
    *inside &= one > 0.49;
  }
  return at;
}

static void entry_add(const axis a[3], const entry *e, cell *grid, bool claim) {
  nearness n[3];
  double share, whole = 0;
  bool inside;
  for (int c = 0; c < 3; c++)
    n[c] = axis_near(&a[c], e->mark.at[c]);
  for (int k = 0; k < 8; k++) {
    cell *to = &grid[cell_near(a, n, k, &share, &inside)];
    to->own |= claim && inside;
    whole += to->own ? share : 0;
  }
  for (int k = 0; k < 8 && !claim; k++) {
    cell *to = &grid[cell_near(a, n, k, &share, &inside)];
    share = to->own ? share / whole : 0;
    for (int c = 0; c < 3; c++) {
      to->load[c] += share * e->mark.load[c];
      to->at[c] += share * e->weight * e->mark.at[c];
    }
    to->weight += share * e->weight;
  }
}

/* Marks of one kind. Places are means, weighted by the loads. */
static ig_status kind_join(ig_ctx *cx, const entry *e, int64_t count, double pitch, double *x,
                           ig_marks *to) {
  axis a[3];
  cell *grid;
  for (int c = 0; c < 3; c++) {
    for (int64_t i = 0; i < count; i++)
      x[i] = e[i].mark.at[c];
    axis_lay(x, count, pitch, &a[c]);
  }
  const int64_t cells = (int64_t)a[0].cells * a[1].cells * a[2].cells;
  IG_TRY(IG_NEW(cx, &grid, cells, "loads"));
  for (int pass = 0; pass < 2; pass++)
    for (int64_t i = 0; i < count; i++)
      entry_add(a, &e[i], grid, pass == 0);
  for (int64_t i = 0; i < cells; i++) {
    ig_mark sum = {.load_case = e->mark.load_case, .held = e->mark.held};
    if (!(grid[i].weight > 0))
      continue;
    for (int c = 0; c < 3; c++) {
      sum.at[c] = grid[i].at[c] / grid[i].weight;
      sum.load[c] = grid[i].load[c];
    }
    if (sum.load_case > 0) {
      to->most = fmax(to->most, length_of(sum.load));
      to->cases = sum.load_case > to->cases ? sum.load_case : to->cases;
    }
    to->mark[to->count++] = sum;
  }
  free(grid);
  return IG_OK;
}

/* Sorted entries, kind by kind. */
static ig_status entries_join(ig_ctx *cx, const entry *e, int64_t count, double pitch,
                              ig_marks *to) {
  double *x;
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(cx, &x, count + 1, "loads"));
  for (int64_t i = 0, end; i < count && status == IG_OK; i = end) {
    for (end = i; end < count && e[end].mark.load_case == e[i].mark.load_case &&
                  e[end].mark.held == e[i].mark.held;)
      end++;
    status = kind_join(cx, e + i, end - i, pitch, x, to);
  }
  free(x);
  return status;
}

void ig_marks_near(const ig_marks *m, const double p[3], bool *near) {
  for (int64_t i = 0; i < m->count; i++)
    for (int c = 0; c < 3 && !near[i]; c++) {
      if (fabs(m->mark[i].at[c] - p[c]) > 0.5 * m->pitch)
        break;
      near[i] = c == 2;
    }
}

void ig_marks_keep(ig_marks *m, const bool *near) {
  int64_t kept = 0;
  for (int64_t i = 0; i < m->count; i++)
    if (near[i] || m->mark[i].load_case > 0)
      m->mark[kept++] = m->mark[i];
  m->count = kept;
}

/* Nothing in a plane body moves across it. */
static void plane_held(entry *e, int64_t count) {
  bool plane = true;
  for (int64_t i = 0; i < count; i++)
    plane &= e[i].mark.at[2] == 0 && e[i].mark.load[2] == 0 && !(e[i].mark.held & 4);
  for (int64_t i = 0; i < count && plane; i++)
    e[i].mark.held |= e[i].mark.load_case == 0 ? 4U : 0;
}

/* Loads of a case: what their sum is; of loads that cancel, such as two that pinch, how much acts
   on either side. */
static void totals(ig_marks *m) {
  double sum[IG_MARK_CASES][3] = {{0}}, all[IG_MARK_CASES] = {0};
  for (int64_t i = 0; i < m->count; i++)
    if (m->mark[i].load_case > 0 && m->mark[i].load_case <= IG_MARK_CASES) {
      all[m->mark[i].load_case - 1] += length_of(m->mark[i].load);
      for (int c = 0; c < 3; c++)
        sum[m->mark[i].load_case - 1][c] += m->mark[i].load[c];
    }
  for (int q = 0; q < IG_MARK_CASES; q++) {
    m->total[q] = length_of(sum[q]);
    m->cancels[q] = all[q] > 0 && m->total[q] < 1e-6 * all[q];
    if (m->cancels[q])
      m->total[q] = 0.5 * all[q];
  }
}

void ig_marks_said(const ig_marks *m, int q, char text[64]) {
  const ig_display shown = ig_display_for(m->heat ? "W" : "N", m->total[q]);
  ig_format(text, 64, "%.4g %s%s", shown.factor * m->total[q], shown.unit,
            m->cancels[q] ? " on either side" : "");
}

/* Forces that are rounding errors, as of a load whose history has come back to zero. */
static int64_t noise_drop(entry *e, int64_t count) {
  const double least = 1e-9;
  double all = 0;
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++)
    all += e[i].mark.load_case > 0 ? e[i].weight : 0;
  for (int64_t i = 0; i < count; i++)
    if (all > least || e[i].mark.load_case == 0)
      e[kept++] = e[i];
  return kept;
}

ig_status ig_marks_read(ig_ctx *cx, const char *path, double size, ig_marks *m) {
  char *file = beside(path, IG_LOADS), *text = NULL;
  size_t bytes = 0;
  ig_csv_table t = {0};
  entry *e = NULL;
  ig_status status = IG_OK;
  *m = (ig_marks){0};
  if (!file)
    return IG_OK;
  IG_TRY_GOTO(status, done, ig_file_read(cx, file, 0, &text, &bytes));
  IG_TRY_GOTO(status, done, ig_csv_table_parse(cx, text, &t));
  const columns k = columns_of(&t);
  if (!k.size || !(size > 0))
    goto done;
  m->heat = k.size == 1;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &e, t.rows + 1, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &m->mark, t.rows + 1, "loads"));
  int64_t count = 0;
  for (int64_t r = 0; r < t.rows; r++)
    count += entry_read(&k, r, size / 14, &e[count]);
  count = noise_drop(e, count);
  plane_held(e, count);
  qsort(e, (size_t)count, sizeof *e, entry_order);
  m->pitch = size / 14;
  IG_TRY_GOTO(status, done, entries_join(cx, e, count, m->pitch, m));
  totals(m);
done:
  free(e);
  free(file);
  free(text);
  ig_csv_table_free(&t);
  return status;
}

void ig_marks_free(ig_marks *m) {
  free(m->mark);
  *m = (ig_marks){0};
}

/* Ends of the arrow of a load: it begins at the node, or ends there where it points into the body.
 */
static void arrow_ends(const ig_marks *m, const ig_mark *k, const double centre[3], double size,
                       double from[3], double to[3]) {
  double into = 0;
  for (int c = 0; c < 3; c++)
    into += (centre[c] - k->at[c]) * k->load[c];
  for (int c = 0; c < 3; c++) {
    const double way = 0.14 * size * k->load[c] / m->most;
    from[c] = k->at[c] - (into > 0 ? way : 0);
    to[c] = k->at[c] + (into > 0 ? 0 : way);
  }
}

void ig_marks_box(const ig_marks *m, ig_camera *camera, double size) {
  for (int64_t i = 0; i < m->count; i++) {
    double end[2][3], p[3];
    arrow_ends(m, &m->mark[i], camera->centre, m->mark[i].load_case > 0 && !m->heat ? size : 0,
               end[0], end[1]);
    for (int k = 0; k < 2 && m->most > 0; k++) {
      ig_camera_project(camera, end[k], p);
      for (int c = 0; c < 2; c++) {
        camera->box[c] = fmin(camera->box[c], p[c]);
        camera->box[2 + c] = fmax(camera->box[2 + c], p[c]);
      }
    }
  }
}

/* A line with a rim in the color of paper, which is seen on any ground. */
static void stroke(ig_canvas *canvas, const float p[2], const float q[2], float width,
                   const float rgb[3], bool rim) {
  ig_canvas_line(canvas, p[0], p[1], q[0], q[1], rim ? 2.1F * width : width, rim ? PAPER : rgb);
}

/* Shaft and head. */
static void arrow_draw(ig_canvas *canvas, const double from[2], const double to[2],
                       const float rgb[3]) {
  const float width = fmaxf(0.0035F * (float)canvas->height, 3);
  const double dx = to[0] - from[0], dy = to[1] - from[1], length = hypot(dx, dy);
  const double head = fmin(0.4 * length, 6 * (double)width);
  const float p[2] = {(float)from[0], (float)from[1]}, q[2] = {(float)to[0], (float)to[1]};
  for (int rim = 1; rim >= 0; rim--) {
    stroke(canvas, p, q, width, rgb, rim);
    for (int s = -1; s <= 1 && length > 0; s += 2) {
      const float r[2] = {(float)(to[0] - head * (dx + 0.5 * s * dy) / length),
                          (float)(to[1] - head * (dy - 0.5 * s * dx) / length)};
      stroke(canvas, q, r, width, rgb, rim);
    }
  }
}

/* A triangle with its tip at the node, where all components are held a filled one; a ring where
   some are. */
static void support_draw(ig_canvas *canvas, const double at[2], bool all) {
  const float s = fmaxf(0.011F * (float)canvas->height, 7);
  const float width = fmaxf(0.0025F * (float)canvas->height, 1.5F);
  const float x = (float)at[0], y = (float)at[1];
  if (!all) {
    for (int rim = 1; rim >= 0; rim--)
      for (int k = 0; k < 12; k++) {
        const double a = k * 0.523598775598299, b = (k + 1) * 0.523598775598299;
        const float p[2] = {x + 0.6F * s * (float)cos(a), y + 0.6F * s * (float)sin(a)};
        const float q[2] = {x + 0.6F * s * (float)cos(b), y + 0.6F * s * (float)sin(b)};
        stroke(canvas, p, q, width, INK, rim);
      }
    return;
  }
  for (int rim = 1; rim >= 0; rim--)
    for (float down = 0; down <= s; down += 0.5F * width) {
      const float p[2] = {x - 0.6F * down, y + down}, q[2] = {x + 0.6F * down, y + down};
      stroke(canvas, p, q, width, INK, rim);
    }
}

/* Heat has no direction: a dot. */
static void dot_draw(ig_canvas *canvas, const double at[2], double share, const float rgb[3]) {
  const float p[2] = {(float)at[0], (float)at[1]};
  for (int rim = 1; rim >= 0; rim--)
    ig_canvas_line(canvas, p[0], p[1], p[0], p[1],
                   (0.006F + 0.014F * (float)sqrt(share)) * (float)canvas->height *
                       (rim ? 1.25F : 1),
                   rim ? PAPER : rgb);
}

/* Names and sums of what is drawn, from the right edge to the left. */
static void legend_draw(const ig_marks *m, ig_canvas *canvas, float right, float size) {
  const float h = (float)canvas->height;
  const double y = 0.952 * (double)h;
  bool whole = false, some = false;
  for (int64_t i = 0; i < m->count; i++)
    if (m->mark[i].load_case == 0) {
      const bool all = m->heat || (m->mark[i].held & 7) == 7;
      whole |= all;
      some |= !all;
    }
  float x = right;
  for (int k = 0; k < 2; k++)
    if (k ? whole : some) {
      const char *text = k ? (m->heat ? "prescribed" : "support") : "held in part";
      x -= ig_text_width(size, text) + 0.02F * h;
      const double at[2] = {(double)x - 0.016 * (double)h, y - (k ? 0.012 : 0.006) * (double)h};
      ig_canvas_text(canvas, x, 0.955F * h, size, INK, text);
      support_draw(canvas, at, k == 1);
      x -= 0.03F * h;
    }
  const int cases = m->cases < IG_MARK_CASES ? m->cases : IG_MARK_CASES;
  for (int q = cases; q >= 1; q--) {
    char said[64], text[96];
    ig_marks_said(m, q - 1, said);
    if (cases > 1)
      snprintf(text, sizeof text, "load %d: %s", q, said);
    else
      snprintf(text, sizeof text, "load %s", said);
    x -= ig_text_width(size, text) + 0.02F * h;
    const double to[2] = {(double)x - 0.01 * (double)h, y - 0.006 * (double)h};
    const double from[2] = {to[0] - 0.035 * (double)h, to[1]};
    ig_canvas_text(canvas, x, 0.955F * h, size, INK, text);
    if (m->heat)
      dot_draw(canvas, to, 0.2, CASE_COLOR[(q - 1) % CASE_COLORS]);
    else
      arrow_draw(canvas, from, to, CASE_COLOR[(q - 1) % CASE_COLORS]);
    x -= 0.055F * h;
  }
}

void ig_marks_draw(const ig_marks *m, const ig_camera *camera, double size, ig_canvas *canvas,
                   bool legend, float right, float text) {
  for (int loads = 0; loads < 2; loads++) /* arrows over supports */
    for (int64_t i = 0; i < m->count; i++) {
      const ig_mark *k = &m->mark[i];
      double from[3], to[3], p[3], q[3];
      if ((k->load_case > 0) != loads)
        continue;
      const float *rgb = CASE_COLOR[loads ? (k->load_case - 1) % CASE_COLORS : 0];
      if (loads && !m->heat) {
        arrow_ends(m, k, camera->centre, size, from, to);
        ig_camera_project(camera, from, p);
        ig_camera_project(camera, to, q);
        arrow_draw(canvas, p, q, rgb);
        continue;
      }
      ig_camera_project(camera, k->at, p);
      if (loads)
        dot_draw(canvas, p, fabs(k->load[0]) / m->most, rgb);
      else
        support_draw(canvas, p, m->heat || (k->held & 7) == 7);
    }
  if (legend && m->count > 0)
    legend_draw(m, canvas, right, text);
}
