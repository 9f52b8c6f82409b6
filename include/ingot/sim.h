/* A simulation under the control of another program: advanced in any portions, looked into, changed
   between steps, saved and restored in memory. ig_run is this, from the start to the end in one go,
   and gives the same bits.

     ig_sim_open(c, NULL, &sim);
     while (!ig_sim_ended(sim)) {
       ig_sim_step(sim, 100, NULL);
       …                             look at fields, change loads
     }
     ig_sim_finish(sim);             figures and summary
     ig_sim_close(sim);

   A simulation uses the context of its case; one at a time per context. Close it before the case.
 */
#ifndef INGOT_SIM_H
#define INGOT_SIM_H

#include <ingot/run.h>

IG_C_BEGIN

typedef struct ig_sim ig_sim;

typedef struct {
  const char *out;     /* as in ig_run_options */
  const char *restart; /* as in ig_run_options */
  bool force;          /* as in ig_run_options */
  ig_figure_fn *figure;
  void *user;               /* for all of these functions */
  ig_snapshot_fn *snapshot; /* as in ig_run_options */
  ig_history_fn *row;       /* as in ig_run_options */
} ig_sim_options;

/* Set-up, up to the first step. The initial state is written if there is an output folder. On
 * failure *sim is NULL. `options` may be NULL. */
IG_API IG_MUST_CHECK ig_status ig_sim_open(ig_case *c, const ig_sim_options *options, ig_sim **sim);
/* Takes up to `steps` steps, fewer at the end; *done (NULL: not wanted) says how many. A step that
   cannot be divided, a static analysis or a long step over a dwell, is taken whole. IG_INTERRUPTED:
   ig_ctx_interrupt was called; a checkpoint is written, and the next call goes on. */
IG_API IG_MUST_CHECK ig_status ig_sim_step(ig_sim *sim, int64_t steps, int64_t *done);
/* Steps until the simulated time is reached, without changing the length of a step: the last one
   may pass it. */
IG_API IG_MUST_CHECK ig_status ig_sim_until(ig_sim *sim, double time);
IG_API bool ig_sim_ended(const ig_sim *sim);
IG_API double ig_sim_time(const ig_sim *sim);   /* s; of an optimisation: iterations */
IG_API int64_t ig_sim_steps(const ig_sim *sim); /* since the start of the run */
IG_API double ig_sim_dt(const ig_sim *sim);     /* length of the next step */
/* Writes the figures of the end and the summary; before the end, a checkpoint to go on from, and of
   an optimisation the figures of its present design. */
IG_API IG_MUST_CHECK ig_status ig_sim_finish(ig_sim *sim);
IG_API void ig_sim_stats(const ig_sim *sim, ig_run_stats *stats);
IG_API void ig_sim_close(ig_sim *sim); /* takes NULL */

/* --- fields */

typedef struct {
  const char *name, *unit;
  ig_location where; /* IG_AT_POINTS: nodes of the mesh, IG_AT_ELEMENTS, IG_AT_WHOLE */
  ig_dtype dtype;    /* as it is stored */
  int components;    /* per node or element */
  int64_t count;     /* nodes or elements */
  bool writable;
} ig_field_info;
typedef void ig_field_fn(void *user, const ig_field_info *info);
/* Calls `field` once for each field. */
IG_API void ig_sim_fields(ig_sim *sim, ig_field_fn *field, void *user);

typedef enum { IG_ON_HOST, IG_ON_DEVICE } ig_side;
typedef struct {
  ig_field_info info;
  const void *data; /* on that side; read only: change a field by ig_sim_set */
  int64_t
      stride[2]; /* bytes from one node or element to the next, from one component to the next */
  bool copied;   /* made for you; else this is the simulation's own memory */
  int64_t generation; /* see ig_sim_is_fresh */
} ig_field_view;
/* A field as it stands. A view on the device is always the simulation's own memory (IG_UNSUPPORTED
   for a field that is not stored there in the mesh's order); one on the host is a copy unless both
   sides are the same memory. Valid until the simulation is changed or advanced. */
IG_API IG_MUST_CHECK ig_status ig_sim_view(ig_sim *sim, const char *name, ig_side side,
                                           ig_field_view *view);
/* Whether a view still shows the current state; the memory of an outdated view may have been freed.
 */
IG_API bool ig_sim_is_fresh(const ig_sim *sim, const ig_field_view *view);
/* Copies a field, count x components, into `values`, or from there into the simulation. A change
 * made here is counted as external work or heat: energy balances stay closed. */
IG_API IG_MUST_CHECK ig_status ig_sim_get(ig_sim *sim, const char *name, double *values);
IG_API IG_MUST_CHECK ig_status ig_sim_set(ig_sim *sim, const char *name, const double *values);

/* The current state as a snapshot, independent of `output`; nothing is written to disk. */
IG_API IG_MUST_CHECK ig_status ig_sim_show(ig_sim *sim, ig_snapshot_fn *snapshot, void *user);

/* --- loads and supports */

/* Multiplies load number `load` of the case (thermal: `beams`; dynamics, fracture, stress: `loads`)
   by a factor, 1 at the start, from the next step on. A checkpoint on disk does not hold it. */
IG_API IG_MUST_CHECK ig_status ig_sim_scale_load(ig_sim *sim, int load, double factor);
/* The same for what support number `support` of the case prescribes (dynamics, fracture, stress:
   displacement, velocity, acceleration in `supports`; thermal: temperature and flux in `boundary`).
   A prescribed displacement of dynamics and fracture goes on from where it is: its further motion
   is multiplied. */
IG_API IG_MUST_CHECK ig_status ig_sim_scale_support(ig_sim *sim, int support, double factor);

/* --- states in memory */

typedef struct ig_sim_state ig_sim_state;
/* Complete state to continue from with the same bits, including factors of loads and supports.
 */
IG_API IG_MUST_CHECK ig_status ig_sim_save(ig_sim *sim, ig_sim_state **state);
/* Returns to a saved state of this simulation, any number of times, or of another one with the same
   mesh and case (end, output, title, backend and threads may differ); else IG_ARG, and the message
   names the key that differs. Files already written are kept. */
IG_API IG_MUST_CHECK ig_status ig_sim_restore(ig_sim *sim, const ig_sim_state *state);
IG_API void ig_sim_state_free(ig_sim_state *state);
/* A state as bytes, for a file or another process: ig_sim_state_pack writes ig_sim_state_size
   bytes. On ranks the bytes of rank 0 are the whole state, and each rank needs bytes of its own. */
IG_API size_t ig_sim_state_size(const ig_sim_state *state);
IG_API void ig_sim_state_pack(const ig_sim_state *state, void *bytes);
/* The state that was packed. IG_INPUT if the bytes are damaged, or of another format or byte order.
   ig_sim_restore then checks whether it belongs to the case. */
IG_API IG_MUST_CHECK ig_status ig_sim_state_unpack(ig_ctx *cx, const void *bytes, size_t size,
                                                   ig_sim_state **state);

IG_C_END
#endif
