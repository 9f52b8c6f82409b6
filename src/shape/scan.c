/* The beam's way over a part: on top of each layer of voxels lines along x or y, in turn, back and
   forth over every run of voxels, with the beam off between runs. A plain raster for the chain from
   a design to a print; src/scan makes the paths of real machines. */
#include "shape/shape.h"
#include "core/toolpath.h"
#include "io/format/json.h"

#include <math.h>
#include <stdlib.h>

const ig_option ig_scan_options[] = {
    IG_REAL(ig_scan_case, power, "W", IG_REQUIRED, 0, 1e6, "power while scanning"),
    IG_REAL(ig_scan_case, speed, "m/s", IG_REQUIRED, IG_POSITIVE, 1000, "scan speed"),
    IG_REAL(ig_scan_case, jump_speed, "m/s", "1 m/s", IG_POSITIVE, 1000, "speed with the beam off"),
    IG_REAL(ig_scan_case, spacing, "m", NULL, IG_POSITIVE, 1,
            "spacing of the lines; left out: the edge of a voxel"),
    IG_REAL(ig_scan_case, dwell, "s", "0", 0, 1e6, "wait after each layer"),
    IG_REAL(ig_scan_case, start_time, "s", "0", 0, 1e6, "when the first line begins"),
    IG_END};

/* One layer: lines along axis `a`, back and forth, over every run of voxels. Even layers run along
   x, odd ones along y. Adds to the time *t, s, and to the scanned length, m. */
static ig_status layer_scan(ig_ctx *cx, const ig_scan_case *r, const ig_voxels *v,
                            const uint8_t *part, int k, ig_toolpath *path, double *t,
                            double *length) {
  /* a runs along the lines, b across them. */
  const int a = k % 2, b = 1 - a;
  const double hatch = isnan(r->spacing) ? v->edge[b] : r->spacing;
  const int lines = (int)fmax(1, floor(v->n[b] * v->edge[b] / hatch + 1e-6));
  const double z = v->low[2] + (k + 1) * v->edge[2];
  for (int line = 0; line < lines; line++) {
    const double across = (line + 0.5) * hatch;
    const int row = (int)fmin(floor(across / v->edge[b]), v->n[b] - 1);
    const bool back = line % 2;
    for (int step = 0; step < v->n[a];) {
      int at[3] = {0, 0, k};
      at[b] = row;
      int run = 0; /* voxels from here on that belong to the part */
      for (; step + run < v->n[a]; run++) {
        at[a] = back ? v->n[a] - 1 - step - run : step + run;
        if (!part[ig_voxel_at(v, at[0], at[1], at[2])])
          break;
      }
      if (run == 0) {
        step++;
        continue;
      }
      double from[3], to[3]; /* from the middle of the first voxel to that of the last */
      const double begin = (step + 0.5) * v->edge[a], end = (step + run - 0.5) * v->edge[a],
                   whole = v->n[a] * v->edge[a];
      from[a] = v->low[a] + (back ? whole - begin : begin);
      to[a] = v->low[a] + (back ? whole - end : end);
      from[b] = to[b] = v->low[b] + across;
      from[2] = to[2] = z;
      /* The jump from the end of the last run takes its time at jump speed. */
      if (path->count) {
        double way = 0;
        for (int d = 0; d < 2; d++)
          way += pow(from[d] - path->x[3 * (path->count - 1) + d], 2);
        *t += sqrt(way) / r->jump_speed;
      }
      IG_TRY(ig_toolpath_add(cx, path, *t, from, r->power));
      const double scan = fmax(end - begin, 0.5 * v->edge[a]); /* a lone voxel is dwelt on */
      *t += scan / r->speed;
      *length += scan;
      IG_TRY(ig_toolpath_add(cx, path, *t, to, 0));
      step += run;
    }
  }
  *t += r->dwell;
  return IG_OK;
}

/* Writes the path as CSV with the columns t (s), x, y, z (m), power (W); each row holds from its
   time on. It is the format that the stages of a chain read. */
static ig_status path_write(ig_job *job, const ig_toolpath *path) {
  ig_text text = {0};
  ig_text_add(&text, "t,x,y,z,power\n");
  for (int64_t i = 0; i < path->count; i++) {
    const double row[5] = {path->t[i], path->x[3 * i], path->x[3 * i + 1], path->x[3 * i + 2],
                           path->power[i]};
    for (int c = 0; c < 5; c++) {
      char number[IG_NUMBER_TEXT];
      ig_number_text(row[c], number);
      ig_text_add(&text, number);
      ig_text_add(&text, c < 4 ? "," : "\n");
    }
  }
  const ig_status status = text.failed
                               ? IG_FAIL(job->cx, IG_MEMORY, "no memory for a toolpath")
                               : job->sink->file(job->sink, "path.csv", text.at, text.length);
  free(text.at);
  return status;
}

/* All layers in turn; then the length scanned and the time at the end as results. */
ig_status ig_scan_write(ig_job *job, const ig_scan_case *r, const ig_voxels *v,
                        const uint8_t *part) {
  ig_toolpath path = {0};
  double t = r->start_time, length = 0;
  ig_status status = IG_OK;
  for (int k = 0; k < v->n[2] && status == IG_OK; k++)
    status = layer_scan(job->cx, r, v, part, k, &path, &t, &length);
  if (status == IG_OK)
    status = path_write(job, &path);
  ig_toolpath_free(&path);
  if (status == IG_OK)
    status = job->sink->result(job->sink, "scan_length", "m", length);
  return status == IG_OK ? job->sink->result(job->sink, "print_time", "s", t) : status;
}
