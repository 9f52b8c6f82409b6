/* Verification on whole bodies: strip and ring of Alhadeff et al. (2015), and classics with known
 * figures. */
#include "verify/fracture/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  ig_frac_track track;
  double figures[IG_FRAC_FIGURES], mean_speed;
  int32_t cohesive, new_nodes, pieces;
} outcome;

static double dissipated(const outcome *out) {
  const double *f = out->figures;
  return f[IG_FRAC_COHESIVE_WORK] - f[IG_FRAC_RECOVERABLE] - f[IG_FRAC_CONTACT];
}

/* Runs a problem to `end`, looking `looks` times; the crack's speed is taken over its growth. */
static ig_status follow(ig_frac_problem *p, double end, int looks, outcome *out) {
  ig_frac_model m = {0};
  memset(out, 0, sizeof *out);
  ig_status status = ig_frac_setup(&p->job, &m);
  const int32_t nodes = m.count.nodes;
  if (status == IG_OK)
    status = ig_frac_track_start(&out->track, &p->job, &m, end);
  double first = 0, from = 0, last = 0;
  for (int i = 0; status == IG_OK && i <= looks; i++) {
    status = ig_frac_model_run(&m, (int64_t)(end / m.s.dt * i / looks + 0.5));
    const double before = out->track.tip[0].extension;
    if (status == IG_OK)
      status = ig_frac_history(&p->job, &m, &out->track, p->job.sink);
    if (out->track.tip[0].extension > before) {
      last = out->track.last_time;
      if (first == 0)
        first = last, from = out->track.tip[0].extension;
    }
  }
  if (last > first)
    out->mean_speed = (out->track.tip[0].extension - from) / (last - first);
  memcpy(out->figures, out->track.figures, sizeof out->figures);
  out->cohesive = m.count.cohesive;
  out->new_nodes = m.count.nodes - nodes;
  ig_frac_pieces pieces = {0};
  if (status == IG_OK)
    status = ig_frac_pieces_find(&m, &pieces);
  out->pieces = pieces.count;
  ig_frac_pieces_free(&pieces);
  ig_frac_model_free(&m);
  return status;
}

ig_status ig_frac_verify_strip_elastic(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_frac_problem p;
  outcome out;
  IG_TRY(ig_frac_problem_strip(&p, cx, 48, IG_TRI6, 0));
  p.c.time_step = 2e-9;
  p.c.cohesive.check_every = 0;
  const ig_status status = follow(&p, 20e-6, 4, &out);
  ig_frac_problem_free(&p);
  IG_TRY(status);
  row(sink, "strip, nothing breaks: strain energy at 20 us [J/m]", "Akantu 5.0.7", 25.6634,
      out.figures[IG_FRAC_STRAIN], 2e-4, true);
  row(sink, "strip, nothing breaks: kinetic energy at 20 us [J/m]", "Akantu 5.0.7", 0.9216,
      out.figures[IG_FRAC_KINETIC], 5e-3, true);
  return IG_OK;
}

static void drift_row(const ig_verify_sink *sink, const char *name, const outcome *out) {
  char text[96];
  snprintf(text, sizeof text, "%s: energy drift", name);
  row(sink, text, "conserved", 0, ig_frac_track_drift(&out->track), 5e-3, false);
}

/* The strip with the nodal perturbation the paper mentions, by several ways it may have judged and
   opened facets: whatever the way, energy stays, the crack is slower than a surface wave, and what
   it costs is paid for. Counts beside the paper's are a comparison: `ingot bench fracture counts`.
 */
ig_status ig_frac_verify_strip(ig_ctx *cx, const ig_verify_sink *sink) {
  static const struct {
    const char *name;
    int criterion, start; /* start: 0 at the strength */
    double threshold, strain;
  } ways[] = {{"facet_max", IG_FRAC_FACET_MAX, 1, 1, 0.015},
              {"facet_max from the strength", IG_FRAC_FACET_MAX, 0, 1, 0.015},
              {"facet_mean at 0.6 of the strength", IG_FRAC_FACET_MEAN, 1, 0.6, 0.015},
              {"effective_mean, more load", IG_FRAC_EFFECTIVE_MEAN, 1, 1, 0.0275},
              {"principal_best", IG_FRAC_PRINCIPAL_BEST, 1, 1, 0.015}};
  const double rayleigh = 938;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    ig_frac_problem p;
    outcome out;
    IG_TRY(ig_frac_problem_strip(&p, cx, 48, IG_TRI6, 0.2));
    p.c.time_step = 2e-9;
    p.c.plane = 0;
    p.strain[1] = ways[i].strain;
    p.c.cohesive.criterion = ways[i].criterion;
    p.c.cohesive.initial_traction = ways[i].start;
    p.c.cohesive.insertion_threshold = ways[i].threshold;
    const ig_status status = follow(&p, 20e-6, 100, &out);
    ig_frac_problem_free(&p);
    IG_TRY(status);
    const char *name = ways[i].name;
    char text[128];
    /* a new facet at full strength where less was carried is a jolt */
    snprintf(text, sizeof text, "%s: energy drift", name);
    row(sink, text, "conserved", 0, ig_frac_track_drift(&out.track), ways[i].start ? 5e-3 : 2e-2,
        false);
    snprintf(text, sizeof text, "%s: crack speed over the Rayleigh speed", name);
    row(sink, text, "between 0 and 1", 0.5, out.mean_speed / rayleigh, 0.5, false);
    /* half-open facets and the contact of broken sides come on top */
    snprintf(text, sizeof text, "%s: failed length x G over dissipated energy", name);
    row(sink, text, "between 0 and 1", 0.5, 352.3 * out.figures[IG_FRAC_FAILED] / dissipated(&out),
        0.5, false);
  }
  return IG_OK;
}

/* The same crack on three meshes, with a strength that lets each of them resolve its process zone.
 */
ig_status ig_frac_verify_refinement(ig_ctx *cx, const ig_verify_sink *sink) {
  double energy[3];
  for (int i = 0; i < 3; i++) {
    ig_frac_problem p;
    outcome out;
    IG_TRY(ig_frac_problem_strip(&p, cx, 12 << i, IG_TRI6, 0));
    p.c.time_step = 6e-9 / (1 << i);
    p.material.cohesive_strength = 60e6;
    p.strain[1] = 0.009;
    const ig_status status = follow(&p, 12e-6, 4, &out);
    ig_frac_problem_free(&p);
    IG_TRY(status);
    energy[i] = dissipated(&out);
    char text[64];
    snprintf(text, sizeof text, "%d cells high: energy drift", 12 << i);
    row(sink, text, "conserved", 0, ig_frac_track_drift(&out.track), 5e-3, false);
  }
  row(sink, "dissipated energy, 24 over 48 cells high", "convergence", 1, energy[1] / energy[2],
      0.1, false);
  row(sink, "change from 24 to 48 over change from 12 to 24", "convergence", 0,
      fabs(energy[2] - energy[1]) / fmax(fabs(energy[1] - energy[0]), 1e-30), 1, false);
  return IG_OK;
}

/* The paper's rings, by the mean over a facet, which is what its text says ("average stresses are
   computed"). New nodes a cohesive element are between 1.90 and 2.01 in its Table VIII, whatever
   the mesh; that tells ways of judging facets apart. A CPU does the smallest one. */
ig_status ig_frac_verify_ring(ig_ctx *cx, const ig_verify_sink *sink) {
  static const int rings[][2] = {{20, 160}, {30, 240}, {40, 320}};
  const int count = cx->backend->kernels == IG_KERNELS_CUDA ? 3 : 1;
  for (int i = 0; i < count; i++) {
    ig_frac_problem p;
    outcome out;
    IG_TRY(ig_frac_problem_ring(&p, cx, rings[i][0], rings[i][1]));
    p.c.time_step = 3e-9;
    const ig_status status = follow(&p, 81e-6, 20, &out);
    ig_frac_problem_free(&p);
    IG_TRY(status);
    char name[64], text[96];
    snprintf(name, sizeof name, "ring %dx%d", rings[i][0], rings[i][1]);
    drift_row(sink, name, &out);
    snprintf(text, sizeof text, "%s: new nodes a cohesive element", name);
    row(sink, text, "Table VIII: 1.90 to 2.01", 1.955, (double)out.new_nodes / out.cohesive, 0.055,
        false);
  }
  return IG_OK;
}

/* The notch breaks in mode I, at a steep angle to itself; later the crack feels the far edge. No
   strength in shear is published: twice the tensile one keeps mode II shut from the start, with
   equal strengths the crack runs on straight at first. */
ig_status ig_frac_verify_kalthoff(ig_ctx *cx, const ig_verify_sink *sink) {
  const double rayleigh = 2799;
  for (int equal = 0; equal < 2; equal++) {
    ig_frac_problem p;
    outcome out;
    IG_TRY(ig_frac_problem_kalthoff(&p, cx, 100));
    if (equal)
      p.material.cohesive_strength_shear = p.material.cohesive_strength;
    const ig_status status = follow(&p, 60e-6, 100, &out);
    ig_frac_problem_free(&p);
    IG_TRY(status);
    const char *name = equal ? "equal strengths" : "twice as strong in shear";
    char text[128];
    drift_row(sink, name, &out);
    snprintf(text, sizeof text, "%s: angle of the crack to the notch at 60 us [deg]", name);
    if (!equal) /* there the angle depends on when the crack turns, and that on rounding errors */
      row(sink, text, "experiment: 70", 70, ig_frac_tip_angle(&out.track.tip[0]), 8, false);
    snprintf(text, sizeof text, "%s: crack speed over the Rayleigh speed", name);
    row(sink, text, "0 to 1", 0.5, out.mean_speed / rayleigh, 0.5, false);
  }
  return IG_OK;
}

/* A thin ring: release waves against rate. The energy balance of Glenn and Chudnovsky (1986) gives
   the larger fragments, the simulations of Zhou, Molinari and Ramesh (2006), without scatter of
   strength, the smaller ones. */
ig_status ig_frac_verify_mott(ig_ctx *cx, const ig_verify_sink *sink) {
  const double young = 275e9, rho = 2750, sigma = 300e6, energy = 100, rate = 1e4;
  const double around = 2 * 3.14159265358979 * 15e-3, c = sqrt(young / rho);
  const double alpha = 3 * sigma * sigma / (rho * young * rate * rate);
  const double beta = 1.5 * energy / (rho * rate * rate);
  const double large = 4 * sqrt(alpha / 3) * sinh(asinh(beta * pow(3 / alpha, 1.5)) / 3);
  const double e = rate * young * young * energy / (c * sigma * sigma * sigma);
  const double small =
      young * energy / (sigma * sigma) * 4.5 / (1 + 0.77 * pow(e, 0.25) + 5.4 * pow(e, 0.75));
  const double few = around / large, many = around / small;
  int32_t pieces[2];
  for (int i = 0; i < 2; i++) {
    ig_frac_problem p;
    outcome out;
    IG_TRY(ig_frac_problem_mott(&p, cx, 1134 << i));
    const ig_status status = follow(&p, 1e-6, 20, &out);
    ig_frac_problem_free(&p);
    IG_TRY(status);
    char name[64];
    snprintf(name, sizeof name, "ring of %d cells", 1134 << i);
    drift_row(sink, name, &out);
    pieces[i] = out.pieces;
  }
  char source[64];
  snprintf(source, sizeof source, "theories: %.0f to %.0f", few, many);
  row(sink, "fragments of an expanding ring", source, 0.5 * (few + many), pieces[1],
      0.5 * (many - few), false);
  row(sink, "fragments on the finer mesh over the coarser", "convergence", 1,
      (double)pieces[1] / pieces[0], 0.1, false);
  return IG_OK;
}

/* This backend against the CPU, until cracks branch: after that they part company. */
ig_status ig_frac_verify_backends(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_ctx *cpu = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  ig_status status = ig_ctx_open(&options, &cpu);
  outcome out[2];
  for (int i = 0; status == IG_OK && i < 2; i++) {
    ig_frac_problem p;
    status = ig_frac_problem_strip(&p, i ? cpu : cx, 24, IG_TRI6, 0);
    if (status != IG_OK)
      break;
    p.c.time_step = 4e-9;
    p.material.cohesive_strength = 100e6;
    p.strain[1] = 0.011;
    status = follow(&p, 4e-6, 2, &out[i]);
    ig_frac_problem_free(&p);
  }
  outcome late[2];
  for (int i = 0; status == IG_OK && i < 2; i++) {
    ig_frac_problem p;
    status = ig_frac_problem_mott(&p, i ? cpu : cx, 567);
    if (status != IG_OK)
      break;
    status = follow(&p, 0.6e-6, 4, &late[i]);
    ig_frac_problem_free(&p);
  }
  if (status == IG_OK) {
    row(sink, "an expanding ring, broken: dissipated energy", "the CPU, one thread", 1,
        dissipated(&late[0]) / dissipated(&late[1]), 0.05, false);
    row(sink, "an expanding ring, broken: fragments", "the CPU, one thread", 1,
        (double)late[0].pieces / late[1].pieces, 0.1, false);
    row(sink, "cohesive elements at 4 us", "the CPU, one thread", out[1].cohesive, out[0].cohesive,
        0.02, true);
    row(sink, "dissipated energy at 4 us [J/m]", "the CPU, one thread",
        out[1].figures[IG_FRAC_COHESIVE_WORK], out[0].figures[IG_FRAC_COHESIVE_WORK], 0.01, true);
  } else if (cpu && ig_ctx_message(cpu)[0])
    status = IG_FAIL(cx, status, "%s", ig_ctx_message(cpu));
  ig_ctx_close(cpu);
  return status;
}
