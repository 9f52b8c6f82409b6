/* Writing a batch: births, sources and steps, in advance, on the host. A batch is plain arrays:
   steps (ig_heat_step), patches (changes of nodes at births) with their volumes, lists of nodes
   that watts go to, and the watts. A step refers to ranges of them. ig_heat_batch_run (heat_run.c)
   pushes the arrays to the device and works through the steps.

        steps      | 0        | 1   | 2          |
        patches    | a b c    |     | d e        |   patch_first, patch_last of each step
        watts      | w w w w  | w w | w w w      |   first, last
        lists      | n n n n  | n n (shared)     |   list: several steps may use one

   `next` is the geometry after the births written so far, `now` the one on the device. */
#include "thermal/engine/heat_make.h"
#include "backend/backend.h"
#include "thermal/kernels/heat_ops.h"
#include "thermal/engine/heat_part.h"
#include "thermal/kernels/heat_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_heat_reserve(ig_ctx *cx, ig_array *a, size_t count, size_t size) {
  if (count < a->count)
    return IG_OK;
  /* 1024 more than asked for: batches grow step by step */
  if (!a->dev)
    return ig_array_new(cx, a, count + 1024, size, "batch");
  return ig_array_grow(cx, a, 2 * count);
}

ig_status ig_heat_push(ig_ctx *cx, ig_array *a, size_t count) {
  return cx->backend->separate && count ? cx->backend->copy_in(cx, a->dev, a->host, count * a->size)
                                        : IG_OK;
}

/* Heat and capacity that the elements born now, from `begin` on, bring to node n. Elements that
   inherit bring no heat of their own, except at a prescribed node, whose temperature they take.
   `temperature` is kept where all of them agree, so that a new node starts with exactly this number
   and not with one that went through the heat content and back. */
static void patch_heat(const ig_heat *h, ig_lid n, ig_lid begin, ig_heat_patch *p) {
  bool first = true;
  for (ig_lid i = h->node.around.start[n]; i < h->node.around.start[n + 1]; i++) {
    const ig_lid e = h->node.around.item[i];
    if (e < begin || e >= h->next.elements)
      continue;
    ig_heat_shape own;
    const ig_heat_shape *s = ig_heat_shape_of(h, e, &own);
    const int m = ((uint8_t *)h->material.of.host)[e];
    const bool at_held = h->newborn == IG_BORN_INHERITED && !isnan(p->held);
    const double T = at_held ? p->held : h->material.born_at[m];
    for (int a = 0; a < 8; a++)
      if (ig_heat_conn(h, e)[a] == n) {
        p->heat += s->volume[a] * ig_heat_content_at(h, m, T);
        p->capacity += s->volume[a] * h->material.capacity[m];
      }
    p->temperature = first || p->temperature == T ? T : NAN;
    first = false;
  }
}

/* Writes the change of one node. `there`: it was there before; `begin`: the first element born now;
   `born`: the same in the whole mesh. A ghost looks for no donor: its temperature comes from its
   owner. */
static ig_status patch_write(ig_ctx *cx, ig_heat *h, ig_lid n, bool there, ig_lid begin,
                             ig_lid born) {
  const size_t materials = (size_t)h->material.count;
  IG_TRY(ig_heat_reserve(cx, &h->batch.patch, (size_t)h->batch.patch_count, sizeof(ig_heat_patch)));
  ig_heat_patch *p = (ig_heat_patch *)h->batch.patch.host + h->batch.patch_count;
  *p = (ig_heat_patch){.node = n,
                       .donor = there ? IG_PATCH_GROWN : IG_PATCH_NEW,
                       .held = ig_heat_held(h, n) ? h->node.held[n] : NAN};
  if (h->newborn == IG_BORN_INHERITED && there)
    p->donor = IG_PATCH_KEEPS;
  else if (h->newborn == IG_BORN_INHERITED && isnan(p->held) && !(h->ghost && h->ghost[n]))
    IG_TRY(ig_heat_part_donor(cx, h, n, born, &p->donor));
  patch_heat(h, n, begin, p);
  if (h->conduction == IG_HEAT_STENCIL) {
    IG_TRY(ig_heat_row_find(cx, h, n, &p->row));
  } else {
    IG_TRY(ig_heat_reserve(cx, &h->batch.patch_volume,
                           (size_t)(h->batch.patch_count + 1) * materials, sizeof(double)));
    ig_heat_node_values(
        h, n, p, (double *)h->batch.patch_volume.host + (size_t)h->batch.patch_count * materials);
  }
  h->batch.patch_count++;
  return IG_OK;
}

/* Patches of prescribed nodes come before the first step of a batch (`held_count` of them). The
   open step is moved behind them. */
ig_status ig_heat_batch_hold(ig_ctx *cx, ig_heat *h, ig_lid n) {
  IG_TRY(ig_heat_reserve(cx, &h->batch.patch, (size_t)h->batch.patch_count, sizeof(ig_heat_patch)));
  ((ig_heat_patch *)h->batch.patch.host)[h->batch.patch_count] =
      (ig_heat_patch){.node = n, .donor = IG_PATCH_HELD, .held = h->node.held[n]};
  if (h->conduction != IG_HEAT_STENCIL) { /* volumes stand beside patches, one for one */
    const size_t materials = (size_t)h->material.count;
    IG_TRY(ig_heat_reserve(cx, &h->batch.patch_volume,
                           (size_t)(h->batch.patch_count + 1) * materials, sizeof(double)));
    memset((double *)h->batch.patch_volume.host + (size_t)h->batch.patch_count * materials, 0,
           materials * sizeof(double));
  }
  h->batch.held_count = h->batch.open.patch_first = h->batch.open.patch_last =
      ++h->batch.patch_count;
  return IG_OK;
}

/* Whether corner a has the node of one before it. */
static bool corner_again(const ig_lid *conn, int a) {
  for (int b = 0; b < a; b++)
    if (conn[b] == conn[a])
      return true;
  return false;
}

void ig_heat_clock(ig_heat *h, double time) {
  h->time = time;
}

double ig_heat_next_birth(const ig_heat *h) {
  const int next = h->next.event + 1;
  return next < h->birth.events ? h->birth.time[next] : INFINITY;
}

/* The nodes of all elements born by then change, each once. Each node gets one patch, whatever
   number of events fall together: the first of its new elements writes it. Lists of elements at
   nodes rise, so that is found without marks. */
ig_status ig_heat_batch_births(ig_ctx *cx, ig_heat *h, double time) {
  const ig_lid begin = h->next.elements, born = h->birth.whole[h->next.event + 1];
  while (h->next.event + 1 < h->birth.events && h->birth.time[h->next.event + 1] <= time)
    ig_heat_event_expose(cx, h);
  for (ig_lid e = begin; e < h->next.elements; e++)
    for (int a = 0; a < 8; a++) {
      const ig_lid n = ig_heat_conn(h, e)[a];
      if (corner_again(ig_heat_conn(h, e), a))
        continue;
      ig_lid i = h->node.around.start[n];
      const bool there = h->node.around.item[i] < begin;
      while (h->node.around.item[i] < begin)
        i++;
      if (h->node.around.item[i] == e) /* its first new element writes it */
        IG_TRY(patch_write(cx, h, n, there, begin, born));
    }
  h->batch.open.patch_last = h->batch.patch_count;
  return IG_OK;
}

/* An empty step at the end of what is written. */
static void step_open(ig_heat *h) {
  h->batch.open = (ig_heat_step){.first = h->batch.source_count,
                                 .list = h->batch.list_count,
                                 .patch_first = h->batch.patch_count,
                                 .patch_last = h->batch.patch_count};
}

ig_status ig_heat_patches_push(ig_ctx *cx, ig_heat *h) {
  const size_t count = (size_t)h->batch.patch_count;
  IG_TRY(ig_heat_push(cx, &h->batch.patch, count));
  return h->batch.patch_volume.dev
             ? ig_heat_push(cx, &h->batch.patch_volume, count * (size_t)h->material.count)
             : IG_OK;
}

void ig_heat_batch_clear(ig_heat *h) {
  h->batch.step_count = 0;
  h->batch.patch_count = h->batch.source_count = h->batch.list_count = h->batch.held_count = 0;
  h->batch.sourced = 0;
  h->batch.powers_given = false;
  h->part.heirs = 0;
  step_open(h);
}

ig_status ig_heat_batch_list(ig_ctx *cx, ig_heat *h, const ig_lid *nodes, int32_t count,
                             int32_t *list) {
  IG_TRY(ig_heat_reserve(cx, &h->batch.source_node, (size_t)(h->batch.list_count + count),
                         sizeof(ig_lid)));
  if (count > 0) /* a beam that misses heats no node */
    memcpy((ig_lid *)h->batch.source_node.host + h->batch.list_count, nodes,
           (size_t)count * sizeof *nodes);
  *list = h->batch.list_count;
  h->batch.list_count += count;
  return IG_OK;
}

ig_status ig_heat_batch_powers(ig_ctx *cx, ig_heat *h, int32_t list, int32_t count,
                               int32_t *first) {
  IG_TRY(ig_heat_reserve(cx, &h->batch.source_power, (size_t)(h->batch.source_count + count),
                         sizeof(double)));
  *first = h->batch.open.first = h->batch.source_count;
  h->batch.open.list = list;
  h->batch.source_count += count;
  h->batch.sourced++;
  return IG_OK;
}

/* Limits of a batch, chosen by measurement. CUDA queues about a thousand launches; a batch that
   fills the queue blocks the host, which should be writing the next batch meanwhile. */
enum { MOST_LAUNCHES = 512 };
/* Ranks write batches of the same length, by what all of them know: steps with watts, and elements
   that are born. */
enum { MOST_SOURCED = 64, MOST_BORN = 1 << 18 };

bool ig_heat_batch_full(const ig_heat *h) {
  const ig_lid *there = h->birth.whole;
  if (ig_heat_is_divided(h))
    return h->batch.step_count >= MOST_LAUNCHES || h->batch.sourced >= MOST_SOURCED ||
           there[h->next.event + 1] - there[h->now.event + 1] > MOST_BORN;
  return (!h->resident.on && h->batch.step_count >= MOST_LAUNCHES) ||
         h->batch.source_count > 1 << 23 || h->batch.list_count > 1 << 22 ||
         h->batch.patch_count > 1 << 21;
}

/* `power` W into a node in the open step. A step's own list of nodes begins with its first source;
   nodes of zones have lists that several steps share (ig_heat_batch_list). */
ig_status ig_heat_batch_source(ig_ctx *cx, ig_heat *h, ig_lid node, double power) {
  const int32_t count = h->batch.source_count - h->batch.open.first;
  if (count == 0)
    h->batch.open.list = h->batch.list_count;
  IG_TRY(ig_heat_reserve(cx, &h->batch.source_node, (size_t)h->batch.list_count, sizeof(ig_lid)));
  IG_TRY(
      ig_heat_reserve(cx, &h->batch.source_power, (size_t)h->batch.source_count, sizeof(double)));
  ig_lid *nodes = (ig_lid *)h->batch.source_node.host + h->batch.open.list;
  double *powers = (double *)h->batch.source_power.host + h->batch.open.first;
  int32_t at = count;
  /* sorted insertion: kernels of the stencil form find a node in the list by bisection, and beams
     add few nodes in almost rising order */
  for (; at > 0 && nodes[at - 1] > node; at--) {
    nodes[at] = nodes[at - 1];
    powers[at] = powers[at - 1];
  }
  nodes[at] = node;
  powers[at] = power;
  h->batch.source_count++;
  h->batch.list_count++;
  h->batch.powers_given = true;
  return IG_OK;
}

/* The open step, written down. */
static ig_status step_close(ig_ctx *cx, ig_heat *h) {
  if (h->batch.step_count == h->batch.step_capacity) {
    const int capacity = h->batch.step_capacity ? 2 * h->batch.step_capacity : 256;
    ig_heat_step *bigger = realloc(h->batch.step, (size_t)capacity * sizeof *bigger);
    if (!bigger)
      return IG_FAIL(cx, IG_MEMORY, "no memory for a batch of steps");
    h->batch.step = bigger;
    h->batch.step_capacity = capacity;
  }
  ig_heat_step *step = &h->batch.step[h->batch.step_count++];
  h->batch.open.time = h->time;
  h->batch.open.last = h->batch.source_count;
  /* the critical step counts on films up to this rate (heat_limit.c) */
  h->batch.open.reach = fmax(0.5, (1 + 1e-6) * h->batch.open.dt * h->limit.film);
  h->batch.open.there = h->next;
  h->element_steps += h->birth.whole[h->next.event + 1];
  *step = h->batch.open;
  step_open(h);
  return IG_OK;
}

/* A plain step, or a piece of one (`whole` false). Looks at elements count whole steps only, so
   that births within a step do not change when they happen. */
static ig_status step_write(ig_ctx *cx, ig_heat *h, double dt, bool whole) {
  h->batch.open.dt = h->batch.open.weight = dt;
  h->time += dt;
  h->past.time += dt;
  if (whole && h->past.every && ++h->past.steps >= h->past.every) {
    h->batch.open.look = (float)h->past.time;
    h->past.time = h->past.steps = 0;
  }
  return step_close(cx, h);
}

ig_status ig_heat_batch_step(ig_ctx *cx, ig_heat *h, double dt) {
  return step_write(cx, h, dt, true);
}

ig_status ig_heat_batch_piece(ig_ctx *cx, ig_heat *h, double dt) {
  return step_write(cx, h, dt, false);
}

/* Stages of a long step: the least odd s for which s stages are stable over `ratio` critical steps,
   (s^2 + s - 2) / 4 >= ratio for the second-order scheme. Odd numbers, as the authors of the scheme
   advise. */
static int stages_of(double ratio) {
  int s = 3;
  while (s * s + s - 2 < 4 * ratio)
    s += 2;
  return s;
}

/* A long step by the second-order Runge-Kutta-Legendre scheme (Meyer, Balsara and Aslam, 2014). Its
   stability limit grows with the square of the number of stages s, so n critical steps cost about 2
   sqrt(n) stages. Legendre polynomials keep it monotone, where Chebyshev ones (RKC) need damping.

   b, mu, nu and w are the paper's coefficients; ahead = mu~ dt and first = gamma~ dt. The ledger
   counts the fluxes of a stage by the weight with which they enter the last stage; the weight
   follows from the recursion of the stages and is computed here once, since it does not depend on
   the state. */
ig_status ig_heat_batch_leap(ig_ctx *cx, ig_heat *h, double dt, double critical) {
  const int s = stages_of(dt / critical);
  if (s > IG_HEAT_STAGES)
    return IG_FAIL(cx, IG_INPUT, "a step of %g critical ones is too long", dt / critical);
  double b[IG_HEAT_STAGES + 1], mu[IG_HEAT_STAGES + 1], nu[IG_HEAT_STAGES + 1];
  double ahead[IG_HEAT_STAGES + 1], first[IG_HEAT_STAGES + 1];
  const double w = 4. / (s * s + s - 2);
  for (int j = 0; j <= s; j++)
    b[j] = j < 2 ? 1. / 3 : (j * j + j - 2.) / (2. * j * (j + 1));
  mu[1] = nu[1] = first[1] = 0;
  ahead[1] = b[1] * w * dt;
  for (int j = 2; j <= s; j++) {
    mu[j] = (2. * j - 1) / j * b[j] / b[j - 1];
    nu[j] = -(j - 1.) / j * b[j] / b[j - 2];
    ahead[j] = mu[j] * w * dt;
    first[j] = -(1 - b[j - 1]) * ahead[j];
  }
  h->time += dt;
  h->past.time += dt;
  for (int k = 0; k < s; k++) {
    /* how much of the rate at stage k is in stages k + 1, k + 2, … s */
    double before = 0, at = ahead[k + 1];
    for (int j = k + 2; j <= s; j++) {
      const double next = mu[j] * at + nu[j] * before + (k == 0 ? first[j] : 0);
      before = at;
      at = next;
    }
    h->batch.open.dt = critical;
    h->batch.open.weight = at;
    h->batch.open.stage = (ig_heat_stage){k + 1, mu[k + 1], nu[k + 1], ahead[k + 1], first[k + 1]};
    if (k + 1 == s && h->past.every) {
      h->batch.open.look = (float)h->past.time;
      h->past.time = h->past.steps = 0;
    }
    IG_TRY(step_close(cx, h));
  }
  return IG_OK;
}
