/* The stress room: a run from its first step to its last, its checkpoints, and the table of
   functions that the time loop calls (core/room.h). With compensation_runs above 1 the whole run
   is repeated on a corrected shape (run_next): model and steps are made anew, counters of time
   and steps go on. */
#include "backend/backend.h"
#include "stress/run.h"
#include "core/schedule.h"
#include "ranks/partition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether some phase takes temperatures of a thermal run. */
static bool has_heat(const ig_stress_run *r) {
  bool heat = false;
  for (int i = 0; i < r->c->phases.count; i++)
    heat |= IG_ITEM(const ig_stress_phase, r->c->phases, i)->kind == IG_PHASE_HEAT;
  return heat;
}

/* Host arrays of the run. The recoater's heights are NaN until a layer is done. */
static ig_status open_arrays(ig_stress_run *r) {
  ig_ctx *cx = r->job->cx;
  const ig_lid n = r->m->nodes, e = r->m->elements;
  double **const of_nodes[] = {&r->T0, &r->T1, &r->recoater};
  double **const of_part[] = {&r->warm0, &r->warm1, &r->share0, &r->share1};
  ig_stress_heat *const of_heat[] = {&r->heat, &r->next};
  for (size_t i = 0; has_heat(r) && i < sizeof of_heat / sizeof *of_heat; i++) {
    IG_TRY(IG_NEW(cx, &of_heat[i]->peak, e, "run"));
    IG_TRY(IG_NEW(cx, &of_heat[i]->melts, e, "run"));
    IG_TRY(IG_NEW(cx, &of_heat[i]->there, e, "run"));
  }
  for (size_t i = 0; i < sizeof of_nodes / sizeof *of_nodes; i++)
    IG_TRY(IG_NEW(cx, of_nodes[i], n, "run"));
  for (size_t i = 0; i < sizeof of_part / sizeof *of_part; i++)
    IG_TRY(IG_NEW(cx, of_part[i], r->m->part.elements, "run"));
  for (ig_lid i = 0; i < n; i++) {
    r->T0[i] = r->c->temperature;
    r->recoater[i] = NAN;
  }
  return IG_OK;
}

/* Everything of one run: on the drawn mesh, or the shape that is to be built instead. */
static ig_status run_open(ig_stress_run *r) {
  ig_job *job = r->job;
  const ig_mesh *mesh = job->mesh;
  r->grouped = -1;
  if (r->shape_x) {
    r->shape = *job->mesh;
    r->shape.x = r->shape_x;
    mesh = &r->shape;
    if (ig_mesh_check(job->cx, mesh) != IG_OK)
      return ig_fail_at(job->cx, &r->c->at,
                        "the compensated shape folds elements: take a smaller `compensation`");
  }
  IG_TRY(ig_stress_new(job->cx, mesh, job->materials, r->c, job->assembly, &r->m));
  IG_TRY(open_arrays(r));
  IG_TRY(ig_stress_steps_make(r));
  IG_TRY(ig_stress_scan(r));
  IG_TRY(ig_stress_probes_open(r));
  IG_TRY(ig_stress_parts_check(r));
  IG_TRY(ig_stress_mirror_find(r));
  /* what the first phase leaves free is reported before anything is written */
  IG_TRY(ig_stress_steps_supports(r, 0, false));
  IG_TRY(ig_stress_system_change(r->m, true));
  for (int i = 0; i < r->m->held.count; i++)
    r->m->held.list[i].on = false;
  return IG_OK;
}

static bool has_tets(const ig_mesh *mesh) {
  return mesh->blocks > 0 && mesh->block[0].type == IG_TET10;
}

/* Points of hexahedra are what other rooms read. */
static ig_status point_fields_check(const ig_stress_run *r) {
  const ig_output_case *o = r->job->output;
  if (has_tets(r->job->mesh) && o->fields.count &&
      (ig_output_wants(o, "point_stress") || ig_output_wants(o, "point_plastic_strain")))
    return ig_fail_at(r->m->cx, &o->at,
                      "point_stress and point_plastic_strain are of hexahedra: the mesh has "
                      "tetrahedra; take stress and plastic_strain");
  return IG_OK;
}

/* Checks combinations of keys that no option table can express, then makes the run. */
static ig_status room_open(ig_job *job, void **self) {
  ig_stress_run *r;
  IG_TRY(IG_NEW(job->cx, &r, 1, "run"));
  *self = r;
  r->job = job;
  r->c = job->room_case;
  if (r->c->compensation_runs > 1 && isnan(r->c->compensation))
    return ig_fail_at(job->cx, &r->c->at, "`compensation_runs` needs `compensation`: 1, usually");
  if (r->c->compensation_tolerance > 0 && r->c->compensation_runs < 2)
    return ig_fail_at(job->cx, &r->c->at,
                      "`compensation_tolerance` ends runs early: give `compensation_runs` above 1");
  if (r->c->at.given && r->c->inherent.count == 0 && r->c->inherent_scale != 1)
    return ig_fail_at(job->cx, &r->c->at,
                      "`inherent_scale` is a factor on inherent strains: give `inherent`");
  for (int i = 0; i < r->c->inherent.count; i++) {
    const ig_stress_inherent *in = IG_ITEM(const ig_stress_inherent, r->c->inherent, i);
    if (in->at.given && in->rotation == 0 && !isnan(in->layer_height))
      return ig_fail_at(job->cx, &in->at,
                        "`layer_height` is that of layers that turn: give their `rotation`");
  }
  if (job->assembly_free) /* the same bits every time, whatever the threads, and least to move */
    job->assembly = job->cx->backend->kernels != IG_KERNELS_CUDA                  ? IG_COLOR
                    : ig_ranks_count(job->cx->ranks) == 1 && !has_tets(job->mesh) ? IG_CLUSTER
                                                                                  : IG_GATHER;
  IG_TRY(run_open(r));
  IG_TRY(point_fields_check(r));
  return ig_stress_slender_warn(r);
}

/* Frees everything but the struct; safe on a run that failed half-way. */
static void run_close(ig_stress_run *r) {
  for (int i = 0; r->look && i < r->c->probes.count; i++)
    free(r->look[i].item);
  void *const all[] = {
      r->next.peak, r->next.melts, r->next.there,     r->heat.peak, r->heat.melts, r->heat.there,
      r->step,      r->group,      r->group_node,     r->T0,        r->T1,         r->warm0,
      r->warm1,     r->share0,     r->share1,         r->recoater,  r->look,       r->after,
      r->since,     r->name,       (void *)r->column, r->value};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  ig_stress_free(r->m);
  free(r->shape_x);
}

static void room_close(void *self) {
  if (self)
    run_close(self);
  free(self);
}

/* Whether the compensated shape is to be built, too. */
static bool is_more(const ig_stress_run *r) {
  const int round = (int)r->rounds.round;
  return r->at == r->steps && round + 1 < r->c->compensation_runs &&
         r->rounds.worst[round] > r->c->compensation_tolerance;
}

/* The run `rounds` says, of the shape x, which is taken. */
static ig_status run_again(ig_stress_run *r, const ig_stress_rounds *rounds, double *x) {
  ig_stress_run fresh = {
      .job = r->job, .c = r->c, .shape_x = x, .rounds = *rounds, .work = r->work};
  run_close(r);
  *r = fresh;
  return run_open(r);
}

/* The next run of an iterated compensation: time and steps go on, the model is made anew on the
   shape. */
static ig_status run_next(ig_stress_run *r) {
  ig_stress_rounds rounds = r->rounds;
  double *x;
  rounds.time = ig_stress_time(r);
  rounds.steps += (double)r->steps;
  rounds.round++;
  IG_TRY(IG_NEW(r->job->cx, &x, 3 * (size_t)r->m->nodes, "compensated shape"));
  const ig_status status = ig_stress_shape_next(r, x);
  if (status != IG_OK) {
    free(x);
    return status;
  }
  ig_info(r->job->cx, "distortion %.4g m: the compensated shape is built, run %d of at most %d",
          rounds.worst[(int)rounds.round - 1], (int)rounds.round + 1, (int)r->c->compensation_runs);
  return run_again(r, &rounds, x);
}

/* The distortion at the end of a run. */
static ig_status run_end(ig_stress_run *r) {
  double *off;
  IG_TRY(IG_NEW(r->job->cx, &off, 3 * (size_t)r->m->nodes, "distortion"));
  IG_TRY(ig_array_pull(r->m->cx, &r->m->u));
  const ig_status status = ig_stress_distortion_now(r, off, &r->rounds.worst[(int)r->rounds.round]);
  free(off);
  return status;
}

static ig_status room_begin(void *self) {
  return ig_stress_look_now(self);
}

/* One step per call, whatever `most` allows: a step takes seconds, and the loop checks for
   output and Ctrl-C between steps. */
static ig_status room_advance(void *self, int64_t most, int64_t ahead) {
  ig_stress_run *r = self;
  (void)most, (void)ahead;
  if (is_more(r))
    IG_TRY(run_next(r));
  IG_TRY(ig_stress_steps_next(r));
  return r->at == r->steps && r->c->compensation_runs > 1 ? run_end(r) : IG_OK;
}

/* Where the run is. The duration grows when a further compensation run begins. Every step has a
   history row, the end of every phase a snapshot. */
static void room_stand(const void *self, ig_run_status *s) {
  const ig_stress_run *r = self;
  const ig_stress_step *done = r->at ? r->step + r->at - 1 : NULL;
  const double before = r->rounds.time, time = ig_stress_time(r);
  *s = (ig_run_status){.at = {(int64_t)r->rounds.steps + r->at, time},
                       .clock = time,
                       .duration = before + (r->steps ? r->step[r->steps - 1].time : 0),
                       .steps = (int64_t)r->rounds.steps + r->steps,
                       .dt = r->at < r->steps ? before + r->step[r->at].time - time : 1,
                       .ended = r->at == r->steps && !is_more(r),
                       .work = r->work};
  if (done && (r->at == r->steps || done[1].phase != done->phase))
    s->show = IG_SHOW_ROW | IG_SHOW_SNAPSHOT; /* the end of a phase */
  else
    s->show = IG_SHOW_ROW;
  const ig_stress_step *next = r->step + (r->at < r->steps ? r->at : r->steps - 1);
  const ig_stress_phase *p = IG_ITEM(const ig_stress_phase, r->c->phases, next->phase);
  static const char *const words[] = {"step", "layer", "cut", "snapshot"};
  const bool grouped = p->kind == IG_PHASE_BUILD || p->kind == IG_PHASE_CUT;
  snprintf(s->note, sizeof s->note, "%.40s, %s %d of %d", p->name ? p->name : "phase",
           words[p->kind], (grouped ? next->group : next->piece) + 1,
           grouped ? next->groups : next->pieces);
  if (r->at > 0) {
    const size_t used = strlen(s->note);
    snprintf(s->note + used, sizeof s->note - used, ", %d iterations, residual %.1e",
             r->m->count.newton, r->m->count.residual);
  }
}

/* --- checkpoints --- */

/* NUMBERS: scalars of a checkpoint; their order is that of room_save and room_restore. SAVED:
   room for the list of arrays. */
enum { NUMBERS = 11 + IG_BALANCE_NUMBERS, SAVED = 24 };

/* Arrays of a checkpoint, with pointers to the host memory that they are read from or restored
   to: one list serves both, so they cannot disagree. Those of which a rank has those of its
   elements have no pointer in it. */
enum { STATE = 2, GROWN = 3, BUILT = 7, WARM = 11, SHARE = 12 };
static double *saved_part(const ig_stress_run *r, int array, int *per) {
  *per = array == GROWN ? IG_GROWN : 1;
  return array == GROWN   ? r->m->grown.host
         : array == BUILT ? r->m->built.host
         : array == WARM  ? r->warm0
         : array == SHARE ? r->share0
                          : NULL;
}

static int saved_list(ig_stress_run *r, double *number, ig_saved *list) {
  ig_stress *m = r->m;
  const int64_t n = m->nodes, e = m->elements;
  const int64_t after = (int64_t)r->c->phases.count * r->c->probes.count;
  const ig_saved all[] = {{"numbers", IG_F64, NUMBERS, number},
                          {"u", IG_F64, 3 * n, m->u.host},
                          {"state", IG_F64, ig_stress_state_count(m), NULL},
                          {"grown", IG_F64, IG_GROWN * e, NULL},
                          {"load", IG_F64, 3 * n, m->balance.load},
                          {"alive", IG_U8, e, m->alive.host},
                          {"soft", IG_U8, e, m->soft.host},
                          {"built", IG_F64, e, NULL},
                          {"let_go", IG_U8, n, m->held.freed},
                          {"T", IG_F64, n, r->T0},
                          {"T_next", IG_F64, n, r->T1},
                          {"warm", IG_F64, e, NULL},
                          {"share", IG_F64, e, NULL},
                          {"recoater", IG_F64, n, r->recoater},
                          {"melting", IG_F64, IG_MELTING_NUMBERS, &r->melting},
                          {"after", IG_F64, after + 1, r->after}};
  int count = sizeof all / sizeof *all;
  memcpy(list, all, sizeof all);
  if (m->held.u)
    list[count++] = (ig_saved){"u_held", IG_F64, 3 * n, m->held.u};
  if (has_heat(r)) {
    list[count++] = (ig_saved){"peak", IG_F64, e, r->heat.peak};
    list[count++] = (ig_saved){"melts", IG_F64, e, r->heat.melts};
    list[count++] = (ig_saved){"there", IG_U8, e, r->heat.there};
  }
  if (r->c->tearing.count) {
    list[count++] = (ig_saved){"torn", IG_F64, IG_TORN_NUMBERS, &m->tears.torn};
    list[count++] = (ig_saved){"torn_layer", IG_F64, n, m->tears.layer};
  }
  if (r->c->compensation_runs > 1) {
    list[count++] = (ig_saved){"rounds", IG_F64, sizeof r->rounds / sizeof(double), &r->rounds};
    if (r->shape_x)
      list[count++] = (ig_saved){"shape", IG_F64, 3 * n, r->shape_x};
  }
  return count;
}

/* A run of a compensated shape goes on from that shape. */
static ig_status restore_shape(ig_stress_run *r, const ig_restart *from) {
  const int64_t n = 3 * (int64_t)r->m->nodes;
  ig_stress_rounds rounds;
  const void *data;
  double *x;
  IG_TRY(
      ig_restart_find(r->job->cx, from, "rounds", IG_F64, sizeof rounds / sizeof(double), &data));
  memcpy(&rounds, data, sizeof rounds);
  if (!(rounds.round >= 0 && rounds.round < IG_STRESS_ROUNDS))
    return IG_FAIL(r->job->cx, IG_INPUT, "the checkpoint is of run %g", rounds.round);
  if (rounds.round == 0)
    return IG_OK;
  IG_TRY(ig_restart_find(r->job->cx, from, "shape", IG_F64, n, &data));
  IG_TRY(IG_NEW(r->job->cx, &x, (size_t)n, "compensated shape"));
  memcpy(x, data, (size_t)n * sizeof *x);
  return run_again(r, &rounds, x);
}

/* A checkpoint on its way from several ranks. */
typedef struct {
  ig_stress_run *r;
  ig_sink *to;
  const ig_saved *list;
  int count;
} saving;

static ig_status saved_write(void *user, const ig_stream *stream) {
  const saving *s = user;
  return ig_sink_checkpoint(s->r->m->cx, s->to, ig_stress_time(s->r),
                            (int64_t)s->r->rounds.steps + s->r->at, s->list, s->count, stream);
}

static ig_status saved_bring(void *self, int array, ig_stream_take *take, void *user) {
  const saving *s = self;
  ig_stress *m = s->r->m;
  int per;
  const double *part = saved_part(s->r, array, &per);
  if (array == STATE)
    return ig_stress_state_pass(m, take, user);
  return part ? ig_stress_elements_pass(m, per, part, take, user)
              : IG_FAIL(m->cx, IG_ARG, "a checkpoint has no array %d", array);
}

/* Before the list is made the device arrays are pulled. Of an interrupted step the
   preconditioner's kind is that at its start (mark.grid). */
static ig_status room_save(void *self, ig_sink *to) {
  ig_stress_run *r = self;
  ig_stress *m = r->m;
  ig_saved list[SAVED];
  double number[NUMBERS] = {(double)r->at,
                            m->scale,
                            m->system.stale,
                            (double)m->count.newton_all,
                            (double)m->count.linear_all,
                            r->work,
                            r->recoater_now,
                            r->heat.time,
                            m->balance.work,
                            m->balance.heat,
                            m->balance.stored,
                            m->balance.dissipated,
                            m->balance.annealed,
                            m->balance.released,
                            m->balance.missing,
                            m->balance.cut,
                            m->balance.reset,
                            m->balance.flow,
                            r->given,
                            r->broken ? m->mark.grid : m->system.lattice != NULL,
                            r->touches};
  IG_TRY(ig_array_pull(m->cx, &m->u));
  IG_TRY(ig_array_pull(m->cx, &m->grown));
  IG_TRY(ig_array_pull(m->cx, &m->state));
  IG_TRY(ig_stress_elements_pull(m, &m->soft));
  const int count = saved_list(r, number, list);
  if (ig_stress_divided(m)) {
    saving s = {r, to, list, count};
    ig_served served = {m->cx, &s, saved_bring};
    IG_TRY(ig_serve(&served, saved_write, &s));
    if (ig_ranks_first(m->cx))
      return IG_OK;
  } else {
    list[STATE].data = m->state.host;
    for (int i = 0, per; i < count; i++)
      if (saved_part(r, i, &per))
        list[i].data = saved_part(r, i, &per);
  }
  return to->checkpoint(to, ig_stress_time(r), (int64_t)r->rounds.steps + r->at, list, count);
}

/* Restores scalars and arrays, pushes them to the device, and makes what follows from them:
   supports and loads of the last step's phase, and the preconditioner if it was in use. A
   preconditioner from the same moduli (`built`) gives the same bits as a run without
   interruption. */
static ig_status room_restore(void *self, const ig_restart *from) {
  ig_stress_run *r = self;
  if (r->c->compensation_runs > 1)
    IG_TRY(restore_shape(r, from));
  ig_stress *m = r->m;
  ig_saved list[SAVED];
  double number[NUMBERS];
  const int count = saved_list(r, number, list);
  for (int i = 0, per; i < count; i++) {
    const void *data;
    IG_TRY(ig_restart_find(m->cx, from, list[i].name, list[i].dtype, list[i].count, &data));
    if (i == STATE)
      IG_TRY(ig_stress_state_place(m, data));
    else if (saved_part(r, i, &per))
      ig_stress_elements_place(m, per, data, saved_part(r, i, &per));
    else
      memcpy(list[i].data, data, (size_t)list[i].count * ig_dtype_size(list[i].dtype));
  }
  if (!(number[0] >= 0 && number[0] <= (double)r->steps))
    return IG_FAIL(m->cx, IG_INPUT, "the checkpoint is of step %g, the case has %lld", number[0],
                   (long long)r->steps);
  r->at = (int64_t)number[0];
  m->scale = number[1];
  m->count.newton_all = (int)number[3];
  m->count.linear_all = (int64_t)number[4];
  r->work = number[5];
  r->recoater_now = number[6];
  r->heat.time = number[7];
  m->balance.work = number[8];
  m->balance.heat = number[9];
  m->balance.stored = number[10];
  m->balance.dissipated = number[11];
  m->balance.annealed = number[12];
  m->balance.released = number[13];
  m->balance.missing = number[14];
  m->balance.cut = number[15] != 0;
  m->balance.reset = number[16] != 0;
  m->balance.flow = number[17];
  r->given = number[18] != 0;
  r->touches = number[20];
  if (number[19] == 0)
    IG_TRY(ig_stress_system_leave_grid(m));
  memcpy(m->T.host, r->T0, sizeof(double) * (size_t)m->nodes);
  memcpy(m->warmer.host, r->warm0, sizeof(double) * (size_t)m->part.elements);
  memcpy(m->share.host, r->share0, sizeof(double) * (size_t)m->part.elements);
  ig_array *const push[] = {&m->grown, &m->built, &m->warmer, &m->share, &m->u, &m->T};
  for (size_t i = 0; i < sizeof push / sizeof *push; i++)
    IG_TRY(ig_array_push(m->cx, push[i]));
  IG_TRY(ig_stress_elements_push(m, &m->alive));
  IG_TRY(ig_stress_elements_push(m, &m->soft));
  IG_TRY(ig_stress_past(m));
  if (r->at > 0) {
    const ig_stress_step *s = r->step + r->at - 1;
    IG_TRY(ig_stress_steps_supports(r, s->phase, false));
    IG_TRY(ig_stress_system_change(m, true));
    IG_TRY(ig_stress_loads_at(m, s->time));
    if (number[2] == 0)
      IG_TRY(ig_stress_system_build(m));
  }
  return ig_stress_look_now(r);
}

/* Sizes and traffic for the performance lines of the summary. r->work counts unknowns of
   products, 3 nodes each, so r->work / 3 / nodes is the number of products. */
static void room_tally(void *self) {
  ig_stress_run *r = self;
  ig_job *job = r->job;
  job->elements = r->m ? r->m->elements : 0;
  job->nodes = r->m ? r->m->nodes : 0;
  job->dofs = 3 * job->nodes;
  job->element_steps = r->work;
  /* a product moves the tangent, positions, vectors and connectivity of an element once */
  job->bytes_moved = r->work / 3 / (job->nodes ? (double)job->nodes : 1) *
                     (r->m ? ig_stress_product_bytes(r->m) : 0);
}

/* `ingot check`: opens the run as a real one, so that all errors of input appear, and reports
   its size. */
static ig_status room_check(ig_job *job, ig_check_line *line, void *user) {
  void *self = NULL;
  ig_status status = room_open(job, &self);
  if (status == IG_OK) {
    const ig_stress_run *r = self;
    char text[64];
    snprintf(text, sizeof text, "%lld", (long long)r->steps);
    line(user, "steps", text);
    for (int k = 0; k < 4; k++)
      if (r->mirror.on[k / 2][k % 2]) {
        snprintf(text, sizeof text, "%c = %g m, for distortion", 'x' + k / 2,
                 r->mirror.at[k / 2][k % 2]);
        line(user, "plane of symmetry", text);
      }
    snprintf(text, sizeof text, "%lld", 3LL * r->m->nodes);
    line(user, "unknowns", text);
    snprintf(text, sizeof text, "%.3g MB", 1e-6 * (double)job->cx->device_bytes);
    line(user, "device memory", text);
    status = ig_stress_division_tell(r->m, line, user);
  }
  room_close(self);
  return status;
}

/* Called once at the end: the compensated shape first, then the figures. */
static ig_status room_results(void *self, ig_sink *to) {
  ig_stress_run *r = self;
  if (!isnan(r->c->compensation))
    IG_TRY(ig_stress_compensate(r, to));
  return ig_stress_results(r, to);
}

#define IG_STRESS_FIGURES                                                                          \
  "u_max|distortion_max|distortion_run_*|von_mises_max|nodal_von_mises_max|"                       \
  "nodal_von_mises_max_x|nodal_von_mises_max_y|nodal_von_mises_max_z|plastic_strain_max|recoater_" \
  "height_max|"                                                                                    \
  "recoater_touches|energy_work|energy_heat|energy_stored|energy_dissipated|energy_annealed|"      \
  "energy_released|energy_missing|removal_force|torn_elements|torn_layer|torn_time|torn_stress|"   \
  "torn_x|torn_y|torn_z|reaction_x|reaction_y|reaction_z|load_x|load_y|load_z|newton_iterations|"  \
  "linear_iterations|{probes}|{probes}_after_{phases}|{parts}_distortion_max|{parts}_deviation_"   \
  "max|"                                                                                           \
  "{parts}_deviation_min|{parts}_deviation_rms|{parts}_out_of_tolerance"

const ig_room ig_room_stress = {.name = "stress",
                                .about = "residual stress and distortion of parts that grow",
                                .needs_mesh = true,
                                .clusters = true,
                                .ranks = true,
                                .case_size = sizeof(ig_stress_case),
                                .options = ig_stress_options,
                                .open = room_open,
                                .close = room_close,
                                .begin = room_begin,
                                .restore = room_restore,
                                .advance = room_advance,
                                .stand = room_stand,
                                .history = ig_stress_history,
                                .snapshot = ig_stress_snapshot,
                                .save = room_save,
                                .results = room_results,
                                .tally = room_tally,
                                .field = ig_stress_field_at,
                                .get = ig_stress_field_get,
                                .set = ig_stress_field_set,
                                .load = ig_stress_field_load,
                                .support = ig_stress_field_support,
                                .check = room_check,
                                .elements = "hex8|tet10",
                                .fields = "displacement|distortion|stress|von_mises|plastic_strain|"
                                          "T|recoater|deviation|torn|elastic_strain|martensite|"
                                          "point_stress|nodal_stress|nodal_von_mises|"
                                          "point_plastic_strain",
                                .figures = IG_STRESS_FIGURES,
                                .precisions = "double"};
