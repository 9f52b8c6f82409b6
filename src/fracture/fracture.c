/* Dynamic fracture with cohesive elements that are inserted where the stress asks for them: the
   loop of Alhadeff, Celes and Paulino (2015). A step on the device is

     every n steps   stress at the corners, nodal averages, facets against their strength,
                     marked facets become cohesive elements, nodes that came apart are copied
     each step       loaded faces, cohesive elements, bulk elements, nodes (Newmark)

   and the host only asks for so many of them, then looks (steps.c).

   Who calls what:

        room_open   ig_frac_setup (setup.c) -> model, notches, clusters, residual stress
                    ig_frac_part_new (part.c), if there are several ranks
        advance     ig_frac_model_run (steps.c) -> passes of kernels, by the backend's driver
        history     ig_frac_history (track.c) -> figures, tips.c, pieces.c, probe.c
        snapshot    ig_frac_snapshot (snapshot.c)
        save        ig_frac_save (checkpoint.c) -> the register of arrays (model/arrays.h)
        results     ig_frac_results (output.c) -> summary, fragments.csv, crack.csv

   Memory is that of the model: reals of the chosen precision on the device, a host side for
   arrays that are saved or shown. Energies and works are summed in double precision in all
   cases. */
#include "core/schedule.h"
#include "fracture/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A run: the model, and what is followed on its way. */
typedef struct {
  ig_job *job;
  ig_frac_model m;
  ig_frac_track track;
  int64_t last;           /* step of the end */
  bool inserts, inserted; /* facets are opened without mechanics; they are */
  int32_t nodes;          /* before */
  double seconds;         /* that took */
} run;

/* Whether the case gives anything that could move the mesh.
   A case in which nothing moves is most likely incomplete. */
static bool something_acts(const ig_frac_case *c, const ig_frac_model *m) {
  bool acts = c->loads.count || c->initial.count || c->residual.at.given;
  for (int i = 0; i < m->motions; i++)
    acts = acts || m->s.drive.motion[i].kind != IG_MOVE_FIXED;
  return acts;
}

/* Checks that need the case alone, then the model. */
static ig_status prepare(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  if (c->insertion.at.given && ig_ranks_count(job->cx->ranks) > 1)
    return ig_fail_at(job->cx, &c->insertion.at,
                      "`insertion` times one device that opens the facets of a whole mesh: it is "
                      "not divided; run it on one rank (%d here)",
                      ig_ranks_count(job->cx->ranks));
  if (!c->insertion.at.given && !(c->duration > 0))
    return ig_fail_at(job->cx, &c->at, "`duration` is missing: how long does the case run?");
  return ig_frac_setup(job, m);
}

/* The model is divided after set-up; the mesh of the job is then dropped on several ranks. */
static ig_status room_open(ig_job *job, void **self) {
  const ig_frac_case *c = job->room_case;
  run *r;
  IG_TRY(IG_NEW(job->cx, &r, 1, "fracture"));
  *self = r;
  r->job = job;
  r->inserts = c->insertion.at.given;
  IG_TRY(prepare(job, &r->m));
  if (!r->inserts)
    IG_TRY(ig_frac_part_new(&r->m, job->mesh));
  job->elements = ig_frac_all(&r->m, IG_FRAC_PER_ELEMENT);
  r->nodes = ig_frac_counts(&r->m)->nodes;
  if (r->inserts)
    return IG_OK;
  if (!something_acts(c, &r->m))
    ig_warn_at(job->cx, &c->at, "nothing acts on the mesh: no load, no motion, no initial state");
  IG_TRY(
      ig_steps_count(job->cx, &c->at, ceil(c->duration / r->m.s.dt - 1e-9), r->m.s.dt, &r->last));
  IG_TRY(ig_frac_track_start(&r->track, job, &r->m, c->duration));
  ig_partition_drop_mesh(job->cx, job->mesh);
  return IG_OK;
}

static void room_close(void *self) {
  run *r = self;
  if (r)
    ig_frac_model_free(&r->m);
  free(r);
}

static void rank_tell(void *user, const char *label, const char *value) {
  ig_info(user, "%s: %s", label, value);
}

static ig_status start(void *self) {
  run *r = self;
  return ig_frac_part_tell(&r->m, rank_tell, r->job->cx);
}

/* Set-up has run as for a new start; the checkpoint replaces its tables. */
static ig_status restore(void *self, const ig_restart *from) {
  run *r = self;
  const ig_frac_case *c = r->job->room_case;
  if (r->inserts)
    return IG_OK; /* one step: nothing of it is ever saved */
  IG_TRY(ig_frac_restore(r->job, &r->m, &r->track, from));
  r->track.end = c->duration; /* it may go further than was planned */
  return IG_OK;
}

/* The whole benchmark is one `advance`; tables are checked afterwards. */
static ig_status insert(run *r) {
  const ig_frac_case *c = r->job->room_case;
  IG_TRY(ig_frac_open_all(&r->m, (int)c->insertion.batches, (uint64_t)c->insertion.seed,
                          &r->seconds, NULL));
  IG_TRY(ig_frac_tables_check(&r->m));
  r->job->element_steps = (double)r->m.count.cohesive;
  r->inserted = true;
  return IG_OK;
}

/* Ranks look for a signal together, between slices of so many steps. */
enum { SLICE = 500 };
/* most: steps the loop allows before its next output. The fault word is read once per call. */
static ig_status advance(void *self, int64_t most, int64_t ahead) {
  run *r = self;
  ig_frac_model *m = &r->m;
  const int64_t from = m->count.step, left = r->last - from;
  (void)ahead;
  if (r->inserts)
    return insert(r);
  const int64_t patience = m->part.ranks > 1 ? SLICE : INT64_MAX;
  most = most < left ? most : left;
  IG_TRY(ig_frac_model_run(m, from + (most < patience ? most : patience)));
  IG_TRY(ig_ranks_agree(r->job->cx, ig_fault_check(r->job->cx, "node", m->part.number)));
  r->job->element_steps += (double)(m->count.step - from) * (double)r->job->elements;
  r->job->bytes_moved += (double)(m->count.step - from) * ig_frac_model_bytes(m);
  return IG_OK;
}

/* `insertion` cases have batches instead of time. */
static void stand(const void *self, ig_run_status *now) {
  const run *r = self;
  const ig_frac_case *c = r->job->room_case;
  const ig_frac_model *m = &r->m;
  if (r->inserts) {
    *now = (ig_run_status){.at = {r->inserted ? c->insertion.batches : 0, 0},
                           .duration = INFINITY,
                           .steps = c->insertion.batches,
                           .dt = 1,
                           .ended = r->inserted,
                           .whole = true,
                           .work = r->job->element_steps};
    return;
  }
  const double time = (double)m->count.step * m->s.dt;
  *now = (ig_run_status){.at = {m->count.step, time},
                         .clock = time,
                         .duration = c->duration,
                         .steps = r->last,
                         .dt = m->s.dt,
                         .ended = m->count.step >= r->last,
                         .work = r->job->element_steps};
  snprintf(now->note, sizeof now->note, "%" PRId32 " cohesive, %" PRId32 " pieces",
           ig_frac_counts(m)->cohesive, r->track.pieces);
}

static ig_status history(void *self, ig_sink *to) {
  run *r = self;
  return r->inserts ? IG_OK : ig_frac_history(r->job, &r->m, &r->track, to);
}

static ig_status snapshot(void *self, ig_sink *to) {
  run *r = self;
  return r->inserts ? IG_OK : ig_frac_snapshot(r->job, &r->m, to);
}

static ig_status save(void *self, ig_sink *to) {
  run *r = self;
  return ig_frac_save(&r->m, &r->track, to);
}

static ig_status results(void *self, ig_sink *to) {
  run *r = self;
  const ig_frac_model *m = &r->m;
  if (!r->inserts)
    return ig_frac_results(r->job, &r->m, &r->track, to);
  IG_TRY(to->result(to, "initial_nodes", "", r->nodes));
  IG_TRY(to->result(to, "nodes", "", m->count.nodes));
  IG_TRY(to->result(to, "cohesive_elements", "", m->count.cohesive));
  return to->result(to, "time_per_cohesive_element", "s", r->seconds / m->count.cohesive);
}

static void tally(void *self) {
  const run *r = self;
  r->job->nodes = ig_frac_counts(&r->m)->nodes;
  r->job->dofs = r->job->nodes * r->m.shape.dim;
}

static bool field(void *self, int i, ig_room_field *f) {
  run *r = self;
  return ig_frac_field(&r->m, i, f);
}

static ig_status get(void *self, const char *name, double *values) {
  run *r = self;
  return ig_frac_field_get(&r->m, name, values);
}

static ig_status set(void *self, const char *name, const double *values) {
  run *r = self;
  return ig_frac_field_set(&r->m, &r->track, name, values);
}

static ig_status load(void *self, int load, double factor) {
  run *r = self;
  return ig_frac_load_scale(&r->m, load, factor);
}

static ig_status support(void *self, int support, double factor) {
  run *r = self;
  const int count = ((const ig_frac_case *)r->job->room_case)->supports.count;
  if (support >= count)
    return IG_FAIL(r->job->cx, IG_INPUT, "there is no support %d: the case has %d", support, count);
  return ig_frac_support_scale(&r->m, support, factor);
}

/* `ingot check`: set-up without steps; critical step, number of steps, memory, partition. */
static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  const ig_frac_case *c = job->room_case;
  ig_frac_model m = {0};
  double critical = 0, with_facets = 0;
  ig_status status = prepare(job, &m);
  if (status == IG_OK)
    status = ig_frac_model_critical(&m, &critical, &with_facets);
  if (status == IG_OK) {
    char text[128];
    snprintf(text, sizeof text, "%.4g s of the bulk (step taken: %.4g s)", critical, m.s.dt);
    line(user, "critical step", text);
    if (!c->insertion.at.given) {
      snprintf(text, sizeof text, "%.0f", ceil(c->duration / m.s.dt - 1e-9));
      line(user, "steps", text);
    }
    snprintf(text, sizeof text, "%lld", (long long)m.facets);
    line(user, "facets that can open", text);
    const double now = (double)job->cx->device_bytes;
    snprintf(text, sizeof text, "%.3g MB now, %.3g MB with every facet open", 1e-6 * now,
             1e-6 * (now + ig_frac_model_growth(&m)));
    line(user, "device memory", text);
    status = ig_frac_part_new(&m, job->mesh);
  }
  if (status == IG_OK)
    ig_partition_drop_mesh(job->cx, job->mesh); /* as a run does */
  if (status == IG_OK)
    status = ig_frac_part_tell(&m, line, user);
  ig_frac_model_free(&m);
  return status;
}

const ig_room ig_room_fracture = {
    .name = "fracture",
    .about = "dynamic fracture and fragmentation: cohesive elements inserted on the fly",
    .needs_mesh = true,
    .ranks = true,
    .clusters = true,
    .elements = "tri3|tri6|tet4|tet10",
    .case_size = sizeof(ig_frac_case),
    .options = ig_frac_options,
    .open = room_open,
    .close = room_close,
    .begin = start,
    .restore = restore,
    .advance = advance,
    .stand = stand,
    .history = history,
    .snapshot = snapshot,
    .save = save,
    .results = results,
    .tally = tally,
    .field = field,
    .get = get,
    .set = set,
    .load = load,
    .support = support,
    .check = check,
    .fields = ig_frac_fields,
    .figures = "time_step|cohesive_elements|initial_nodes|nodes|new_nodes_per_cohesive_element|"
               "time_per_cohesive_element|fragments|crack_area|crack_length|opened_area|"
               "opened_length|crack_extension|crack_extension_*|crack_angle|crack_angle_*|"
               "path_deviation|path_deviation_*|tip_speed_max|kinetic_energy|strain_energy|"
               "external_work|dissipated_energy|recoverable_cohesive_energy|contact_energy|"
               "surface_contact_energy|energy_error|residual_given_unbalance|residual_unbalance|"
               "colors|{probes}"};
