/* Tables of lines (lines.csv), of layers (layers.csv), of cells whose history was kept
   (solidification.csv or .vti); and warnings about what a user should not overlook. */
#include "powder/powder.h"
#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table as text; freed by page_close. */
typedef struct {
  ig_ctx *cx;
  char *text;
  size_t length, capacity;
} page;

/* Adds a row of numbers. Text in memory that grows by doubling; numbers in the shortest form that
   reads back to the same bits. */
static ig_status page_row(page *p, const double *value, int count) {
  if (p->length + 32 * (size_t)count + 512 > p->capacity) {
    const size_t capacity = p->capacity ? 2 * p->capacity : 16384;
    char *text = realloc(p->text, capacity);
    if (!text)
      return IG_FAIL(p->cx, IG_MEMORY, "no memory for a table");
    p->text = text;
    p->capacity = capacity;
  }
  for (int i = 0; i < count; i++) {
    p->length += (size_t)ig_number_text(value[i], p->text + p->length);
    p->text[p->length++] = i + 1 < count ? ',' : '\n';
  }
  return IG_OK;
}

/* A table begins with its head; page_row with nothing makes the first memory. */
static ig_status page_open(ig_ctx *cx, page *p, const char *head) {
  *p = (page){.cx = cx};
  IG_TRY(page_row(p, NULL, 0));
  p->length = (size_t)sprintf(p->text, "%s\n", head);
  return IG_OK;
}

/* Hands the text over, unless something failed before, and frees it in any case. */
static ig_status page_close(page *p, ig_status status, ig_sink *to, const char *name) {
  if (status == IG_OK)
    status = to->file(to, name, p->text, p->length);
  free(p->text);
  return status;
}

/* --- lines */

/* The keyhole of a line: means over its pieces, by the light they send. Depths are of the light as
   a whole, absorptivities of the keyholes among them. */
static ig_powder_hole line_hole(const ig_powder_run *r, const ig_powder_line *l, double T) {
  const ig_toolpath *p = &r->laser[l->beam].path;
  ig_powder_hole mean = {0, 0, NAN};
  double sent = 0, kept = 0;
  for (int64_t i = l->first; i <= l->last; i++) {
    const ig_powder_hole hole = ig_powder_keyhole_of(r, l->beam, i, T);
    const double light = p->power[i] * (p->t[i + 1] - p->t[i]);
    if (!(light > 0))
      continue;
    sent += light;
    mean.depth += ((isnan(hole.depth) ? 0 : hole.depth) - mean.depth) * light / sent;
    mean.share += (hole.share - mean.share) * light / sent;
    if (hole.share > 0) {
      const double was = kept > 0 ? mean.absorptivity : 0;
      kept += light;
      mean.absorptivity = was + (hole.absorptivity - was) * light / kept;
    }
  }
  if (mean.depth == 0)
    mean.depth = NAN;
  return mean;
}

/* A row per line that has begun. Lines are numbered within their layer, from 1. */
static ig_status lines_write(const ig_powder_run *r, ig_sink *to) {
  page p;
#define COLUMNS                                                                                    \
  "layer,line,start [s],end [s],x0 [m],y0 [m],x1 [m],y1 [m],length [m],width [m],depth [m],"       \
  "width_mean [m],depth_mean [m],T_max [K],laser,normalised_enthalpy"
#define KEYHOLE ",source_depth [m],keyhole_share,keyhole_absorptivity,ground [K]"
#define EVENTS ",time_above [s],cooling_rate [K/s]"
#define DRAWN ",drawn"
  const bool keyhole = r->c->beam.keyhole.at.given, events = r->event_lines;
  IG_TRY(page_open(r->cx, &p,
                   keyhole && events ? COLUMNS KEYHOLE EVENTS DRAWN
                   : keyhole         ? COLUMNS KEYHOLE DRAWN
                   : events          ? COLUMNS EVENTS DRAWN
                                     : COLUMNS DRAWN));
#undef COLUMNS
#undef KEYHOLE
#undef EVENTS
#undef DRAWN
  ig_status status = IG_OK;
  for (int64_t layer = 0; layer < r->layers && status == IG_OK; layer++)
    for (int64_t n = 0; n < r->layer_of[layer].lines && status == IG_OK; n++) {
      const int64_t at = r->layer_of[layer].line + n;
      const ig_powder_line *l = &r->line_of[at];
      const ig_toolpath *path = &r->laser[l->beam].path;
      /* first and last point of the line */
      const double *a = &path->x[3 * l->first], *b = &path->x[3 * l->last + 3];
      const double *q = ig_powder_host(&r->array.line) + IG_LINE_COLUMNS * at;
      if (path->t[l->first] >= r->time)
        continue;
      const bool seen = q[IG_LINE_LOOKS] > 0; /* one shorter than a cell may not be */
      const double ground = seen ? q[IG_LINE_GROUND] : r->c->initial_temperature;
      const ig_powder_hole hole =
          keyhole ? line_hole(r, l, ground) : (ig_powder_hole){NAN, NAN, NAN};
      double row[23] = {(double)layer + 1,
                        (double)n + 1,
                        path->t[l->first],
                        path->t[l->last + 1],
                        a[0],
                        a[1],
                        b[0],
                        b[1],
                        seen ? q[IG_LINE_LENGTH] : NAN,
                        seen ? q[IG_LINE_WIDTH] : NAN,
                        seen ? q[IG_LINE_DEPTH] : NAN,
                        seen ? q[IG_LINE_WIDTH_MEAN] : NAN,
                        seen ? q[IG_LINE_DEPTH_MEAN] : NAN,
                        seen && q[IG_LINE_HOTTEST] > 0 ? q[IG_LINE_HOTTEST] : NAN,
                        l->beam + 1,
                        ig_powder_enthalpy(r, l),
                        hole.depth,
                        hole.share,
                        hole.absorptivity,
                        ground};
      int count = keyhole ? 20 : 16;
      const double *of = events ? r->event_lines[at] : NULL;
      for (int c = IG_EVENT_LINE_ABOVE; events && c < IG_EVENT_LINE; c++)
        row[count++] = of[IG_EVENT_LINE_COUNT] > 0 ? of[c] : NAN;
      row[count++] = ig_powder_drawn(r, l);
      status = page_row(&p, row, count);
    }
  return page_close(&p, status, to, "lines.csv");
}

/* --- layers */

/* A row per layer that has been spread. What was not measured is nan. */
static ig_status layers_write(const ig_powder_run *r, ig_sink *to) {
  page p;
  IG_TRY(page_open(r->cx, &p,
                   "layer,spread [s],top [m],lines,interlayer [K],hottest [K],hottest_x [m],"
                   "hottest_y [m],part_cells,melted_fraction,melts_mean,reached_below,"
                   "fusion_index,weakest_x [m],weakest_y [m],porosity,keyhole_index"));
  ig_status status = IG_OK;
  for (int64_t n = 0; n < r->layer && status == IG_OK; n++) {
    const ig_powder_layer *l = &r->layer_of[n];
    const double row[17] = {(double)n + 1, l->birth,   l->z,      (double)l->lines, l->interlayer,
                            l->hottest,    l->hot[0],  l->hot[1], (double)l->cells, l->melted,
                            l->melts,      l->reached, l->index,  l->weakest[0],    l->weakest[1],
                            l->porosity,   l->keyhole};
    status = page_row(&p, row, 17);
  }
  return page_close(&p, status, to, "layers.csv");
}

/* --- cells whose history was kept */

/* Cells that were never in a window have no history and no row. */
static ig_status map_write(const ig_powder_run *r, ig_sink *to) {
  const ig_powder_map *m = &r->view.map;
  page p;
  if (m->n[0] == 0)
    return IG_OK;
  IG_TRY(page_open(r->cx, &p,
                   "x [m],y [m],z [m],T_peak [K],cooling_rate [K/s],G [K/m],R [m/s],melts"));
  const float *value = r->array.map.host;
  ig_status status = IG_OK;
  for (int64_t k = 0; k < m->n[2] && status == IG_OK; k++)
    for (int64_t j = 0; j < m->n[1] && status == IG_OK; j++)
      for (int64_t i = 0; i < m->n[0] && status == IG_OK; i++, value += IG_MAP_COLUMNS) {
        const int64_t at[3] = {m->at[0] + i, m->at[1] + j, m->at[2] + k};
        if (value[IG_MAP_PEAK] <= 0) /* never in a window */
          continue;
        double row[8];
        for (int d = 0; d < 3; d++)
          row[d] = r->low[d] + ((double)at[d] + 0.5) * r->cell;
        for (int c = 0; c < IG_MAP_COLUMNS; c++)
          row[3 + c] = value[c];
        row[7] = r->state[ig_powder_state_at(r, at[0], at[1], at[2])] >> IG_POWDER_MELTS;
        status = page_row(&p, row, 8);
      }
  return page_close(&p, status, to, "solidification.csv");
}

/* A number into text, at its end. */
static size_t put(char *text, size_t at, const char *before, double value) {
  at += (size_t)sprintf(text + at, "%s", before);
  return at + (size_t)ig_number_text(value, text + at);
}

/* As an image of VTK's XML format (.vti), data appended raw: a head in XML, then the columns one
   after the other, each preceded by its number of bytes as UInt64. Little-endian, as the machines
   are. */
static ig_status map_image(const ig_powder_run *r, ig_sink *to) {
  const ig_powder_map *m = &r->view.map;
  static const char *const name[IG_MAP_COLUMNS + 1] = {"T_peak [K]", "cooling_rate [K/s]",
                                                       "G [K/m]", "R [m/s]", "melts"};
  /* column: bytes of a float per cell and of the count before them */
  const size_t cells = (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2], column = 4 * cells + 8;
  char head[2400], extent[128];
  size_t at = 0;
  snprintf(extent, sizeof extent, "0 %lld 0 %lld 0 %lld", (long long)m->n[0], (long long)m->n[1],
           (long long)m->n[2]);
  at += (size_t)sprintf(head,
                        "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" "
                        "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<ImageData "
                        "WholeExtent=\"%s\" Origin=\"",
                        extent);
  for (int d = 0; d < 3; d++)
    at = put(head, at, d ? " " : "", r->low[d] + (double)m->at[d] * r->cell);
  for (int d = 0; d < 3; d++)
    at = put(head, at, d ? " " : "\" Spacing=\"", r->cell);
  at += (size_t)sprintf(head + at, "\">\n<Piece Extent=\"%s\"><CellData>\n", extent);
  for (int c = 0; c <= IG_MAP_COLUMNS; c++)
    at += (size_t)sprintf(
        head + at, "<DataArray type=\"%s\" Name=\"%s\" format=\"appended\" offset=\"%zu\"/>\n",
        c < IG_MAP_COLUMNS ? "Float32" : "UInt8", name[c], (size_t)c * column);
  at += (size_t)sprintf(head + at, "</CellData></Piece></ImageData>\n<AppendedData "
                                   "encoding=\"raw\">_");
  static const char tail[] = "\n</AppendedData></VTKFile>\n";
  const size_t size = at + IG_MAP_COLUMNS * column + 8 + cells + sizeof tail - 1;
  uint8_t *file;
  IG_TRY(IG_NEW(r->cx, &file, size, "map"));
  memcpy(file, head, at);
  const float *value = r->array.map.host;
  for (size_t c = 0; c <= IG_MAP_COLUMNS; c++) {
    const uint64_t bytes = c < IG_MAP_COLUMNS ? 4 * cells : cells;
    memcpy(file + at, &bytes, 8);
    at += 8;
    for (size_t i = 0; i < cells && c < IG_MAP_COLUMNS; i++)
      memcpy(file + at + 4 * i, &value[IG_MAP_COLUMNS * i + c], 4);
    for (int64_t row = 0; row < m->n[1] * m->n[2] && c == IG_MAP_COLUMNS; row++) {
      const uint8_t *state = &r->state[ig_powder_state_at(r, m->at[0], m->at[1] + row % m->n[1],
                                                          m->at[2] + row / m->n[1])];
      for (int64_t i = 0; i < m->n[0]; i++)
        file[at + (size_t)(row * m->n[0] + i)] = (uint8_t)(state[i] >> IG_POWDER_MELTS);
    }
    at += bytes;
  }
  memcpy(file + at, tail, sizeof tail - 1);
  const ig_status status = to->file(to, "solidification.vti", file, size);
  free(file);
  return status;
}

/* At the end of a run, and whenever a program asks for results. */
ig_status ig_powder_tables_write(ig_powder_run *r, ig_sink *to) {
  IG_TRY(ig_powder_pull(r, IG_PULL_LINES | IG_PULL_MAP | (r->view.map.n[0] ? IG_PULL_STATE : 0)));
  IG_TRY(lines_write(r, to));
  IG_TRY(layers_write(r, to));
  return r->view.map.n[0] && r->c->map.format == IG_MAP_VTI ? map_image(r, to) : map_write(r, to);
}

/* --- warnings */

#define ENOUGH_POROUS 0.005 /* of a layer, by the sizes of pools */
#define ENOUGH_MELTED 0.95  /* of the part's cells in a layer; edges of a part stay cold */

/* Cells of the map that melted and whose last freezing no window has seen. */
static void unseen_warn(const ig_powder_run *r) {
  const ig_powder_map *m = &r->view.map;
  const float *value = r->array.map.host;
  int64_t melted = 0, unseen = 0;
  for (int64_t k = 0; k < m->n[2]; k++)
    for (int64_t j = 0; j < m->n[1]; j++)
      for (int64_t i = 0; i < m->n[0]; i++, value += IG_MAP_COLUMNS)
        if (r->state[ig_powder_state_at(r, m->at[0] + i, m->at[1] + j, m->at[2] + k)] >>
            IG_POWDER_MELTS) {
          melted++;
          unseen += isnan(value[IG_MAP_COOLING]);
        }
  if (unseen)
    ig_warn_at(r->cx, &r->c->map.at,
               "%lld of %lld cells of the map that melted did not freeze in a window, or not yet: "
               "their cooling rate, G and R are not known (nan)",
               (long long)unseen, (long long)melted);
}

/* A box beside what the beam melts leaves files without a row, which nobody would notice here. */
static void none_warn(const ig_powder_run *r) {
  const ig_powder_events_case *c = &r->c->events;
  int64_t at[3], n[3];
  double cells;
  (void)ig_powder_cells_in(r, c->min, c->max, at, n, &cells);
  ig_warn_at(r->cx, &c->at,
             "no event: none of the %lld x %lld x %lld cells from (%.4g, %.4g, %.4g) to (%.4g, "
             "%.4g, %.4g) m melted in layers %lld to %lld of %lld until %.4g s: move `min` and "
             "`max` to where lines are, or let more layers be drawn",
             (long long)n[0], (long long)n[1], (long long)n[2], r->low[0] + (double)at[0] * r->cell,
             r->low[1] + (double)at[1] * r->cell, r->low[2] + (double)at[2] * r->cell,
             r->low[0] + (double)(at[0] + n[0]) * r->cell,
             r->low[1] + (double)(at[1] + n[1]) * r->cell,
             r->low[2] + (double)(at[2] + n[2]) * r->cell,
             isnan(c->layers[0]) ? 1LL : (long long)c->layers[0],
             isnan(c->layers[1]) ? (long long)r->layers : (long long)c->layers[1],
             (long long)r->layers, r->time);
}

/* Meltings that files of events do not have. */
static void events_warn(const ig_powder_run *r) {
  const double *kept = ig_powder_host(&r->array.event_cells);
  int64_t open = 0;
  for (size_t i = IG_EVENT_MELTED; i < r->array.event_cells.count; i += IG_EVENT_COLUMNS)
    open += !isnan(kept[i]);
  if (r->events_lost > 0 || open)
    ig_warn_at(r->cx, &r->c->events.at,
               "%.0f meltings are not in the files of events: %lld cells are molten still, the "
               "others were when a layer was spread or a window of a given size left them",
               r->events_lost + (double)open, (long long)open);
  if (r->c->events.at.given && r->events_lost == 0 && !open &&
      r->events_before + (double)r->events == 0)
    none_warn(r);
}

/* Whether all lines of a layer have been drawn. */
static bool layer_drawn(const ig_powder_run *r, const ig_powder_layer *l) {
  for (int64_t i = l->line; i < l->line + l->lines; i++) {
    const ig_powder_line *line = &r->line_of[i];
    if (r->laser[line->beam].path.t[line->last + 1] > r->time * (1 + 1e-9))
      return false;
  }
  return true;
}

/* Layers of whose cells many never melted: lack of fusion between lines. */
static void unfused_warn(const ig_powder_run *r) {
  int64_t worst = -1, count = 0, seen = 0;
  for (int64_t i = 0; i < r->layer; i++) {
    const double melted = r->layer_of[i].melted;
    if (isnan(melted) || !layer_drawn(r, &r->layer_of[i]))
      continue;
    seen++;
    count += melted < ENOUGH_MELTED;
    if (melted < ENOUGH_MELTED && (worst < 0 || melted < r->layer_of[worst].melted))
      worst = i;
  }
  if (worst >= 0)
    ig_warn_at(r->cx, &r->c->at,
               "lack of fusion: in %lld of %lld layers less than %g %% of the part melted, least "
               "in layer %lld: %.1f %% (melted_fraction in layers.csv): set lines closer, or give "
               "more power or less speed",
               (long long)count, (long long)seen, 100 * ENOUGH_MELTED, (long long)worst + 1,
               100 * r->layer_of[worst].melted);
}

/* Layers that pools of this size do not melt through. */
static void porosity_warn(const ig_powder_run *r) {
  int64_t worst = -1, count = 0;
  for (int64_t i = 0; i < r->layer; i++)
    if (r->layer_of[i].porosity > ENOUGH_POROUS) {
      count++;
      if (worst < 0 || r->layer_of[i].porosity > r->layer_of[worst].porosity)
        worst = i;
    }
  if (worst < 0)
    return;
  const ig_powder_layer *l = &r->layer_of[worst];
  ig_warn_at(
      r->cx, &r->c->at,
      "pools are too small for the distance of lines and the height of layers in %lld of "
      "%lld layers: about %.2g %% of layer %lld stay unmelted (porosity in layers.csv), most "
      "near (%.4g, %.4g) m, where fusion_index is %.3g; it should be below 1",
      (long long)count, (long long)r->layer, 100 * l->porosity, (long long)worst + 1, l->weakest[0],
      l->weakest[1], l->index);
}

/* A balance that does not close: round-off is orders below. */
static void ledger_warn(const ig_powder_run *r) {
  const ig_powder_ledger *l = &r->ledger;
  const double gap = ig_powder_gap(r), moved = l->source + fabs(l->born) + l->sunk + fabs(l->lost) +
                                               fabs(l->held) + l->evaporated;
  if (fabs(gap) > 1e-9 * moved)
    ig_warn_at(r->cx, &r->c->at,
               "the heat balance does not close: %.3g J of %.3g J that went in or out are missing "
               "(energy_gap); the result is not to be trusted",
               gap, moved);
}

#define ENOUGH_VAPOUR 0.1 /* of the light that is absorbed */

/* A melt that boils forms a keyhole, which conduction alone does not have. Vapour keeps its surface
   little above the boiling point, and then says by its heat how strong it boils. */
static void boiling_warn(const ig_powder_run *r) {
  const double hottest = ig_powder_host(&r->array.pool)[IG_POOL_MOST + 4],
               boils = r->material->boiling, share = r->ledger.evaporated / r->ledger.source;
  if (!(boils > 0) || r->c->beam.keyhole.at.given)
    return;
  if (r->c->evaporation && (hottest > boils || share > ENOUGH_VAPOUR))
    ig_warn_at(r->cx, &r->c->beam.at,
               "the melt's surface reached %.0f K and boils at %.0f K, %.2g %% of the absorbed "
               "light left as vapour: a keyhole forms, and pools by conduction alone are too "
               "shallow: set beam.keyhole: {}",
               hottest, boils, 100 * share);
  else if (hottest > 1.3 * boils)
    ig_warn_at(r->cx, &r->c->beam.at,
               "the melt reached %.0f K and boils at %.0f K: a keyhole forms, and pools by "
               "conduction alone are too shallow: set beam.keyhole: {}",
               hottest, boils);
}

/* A source deeper than the plate: all its light goes into what is there. */
static void deep_warn(const ig_powder_run *r) {
  double deepest = 0;
  for (int64_t i = 0; i < r->lines && r->c->beam.keyhole.at.given; i++) {
    const ig_powder_line *l = &r->line_of[i];
    const double *q = ig_powder_host(&r->array.line) + IG_LINE_COLUMNS * i;
    for (int64_t k = l->first; k <= l->last; k++)
      deepest = fmax(deepest, ig_powder_keyhole_of(r, l->beam, k, q[IG_LINE_GROUND]).depth);
  }
  if (deepest > r->c->grid.plate)
    ig_warn_at(r->cx, &r->c->grid.at,
               "a keyhole brings light %.3g m deep, and the plate is %.3g m thick: pools are too "
               "hot; make grid.plate thicker",
               deepest, r->c->grid.plate);
}

/* Lines that the end of the run cuts: one of each laser. */
static void cut_warn(const ig_powder_run *r) {
  for (int64_t n = 0; n < r->layer; n++)
    for (int64_t i = r->layer_of[n].line; i < r->layer_of[n].line + r->layer_of[n].lines; i++) {
      const double drawn = ig_powder_drawn(r, &r->line_of[i]);
      if (drawn > 0 && drawn < 1)
        ig_warn_at(r->cx, &r->c->at,
                   "line %lld of layer %lld is cut at %.4g s, after %.2g %% of it: its sizes in "
                   "lines.csv are of what was drawn (column drawn)%s",
                   (long long)(i - r->layer_of[n].line) + 1, (long long)n + 1, r->time, 100 * drawn,
                   ig_powder_undeveloped(r, i) ? ", where its pool was still growing" : "");
    }
}

/* Lines too shallow, pools at a window's side or left by it, layers not fused, a balance that does
   not close: each says what to change. */
void ig_powder_warn(const ig_powder_run *r) {
  const int left = r->molten[IG_MOLTEN_LEFT];
  const int touch = r->molten[IG_MOLTEN_TOUCH];
  int64_t shallow = 0, seen = 0, first = -1, layer = 0;
  for (int64_t i = 0; i < r->lines; i++) {
    const double *q = ig_powder_host(&r->array.line) + IG_LINE_COLUMNS * i;
    if (q[IG_LINE_LOOKS] == 0 || ig_powder_undeveloped(r, i))
      continue;
    seen++;
    if (q[IG_LINE_DEPTH_MEAN] < r->layer_height) {
      shallow++;
      first = first < 0 ? i : first;
    }
  }
  while (first >= 0 && layer + 1 < r->layers && r->layer_of[layer + 1].line <= first)
    layer++;
  if (shallow)
    ig_warn_at(r->cx, &r->c->at,
               "%lld of %lld lines are on average not as deep as a layer and do not reach the one "
               "below; the first is line %lld of layer %lld",
               (long long)shallow, (long long)seen,
               (long long)first - (long long)r->layer_of[layer].line + 1, (long long)layer + 1);
  if (touch)
    ig_warn_at(r->cx, &r->c->grid.at,
               "the melt pool touched a side of its window (%d molten cells there, over all coarse "
               "steps): %s",
               touch,
               r->fits ? "it grew faster than windows follow; give grid.window a size that holds it"
                       : "leave out grid.window, or make it larger");
  cut_warn(r);
  unfused_warn(r);
  porosity_warn(r);
  boiling_warn(r);
  deep_warn(r);
  ledger_warn(r);
  unseen_warn(r);
  events_warn(r);
  if (left)
    ig_warn_at(r->cx, &r->c->grid.at, "%d cells were molten when the window left them: %s", left,
               r->fits ? "a layer was spread on a pool, or more than 16 pools were left"
                       : "leave out grid.window, or make it larger");
}
