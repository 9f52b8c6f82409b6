/* The sink that writes files. A result folder contains one run:

   snap_000000.vtkhdf …   snapshots, and snap.vtkhdf.series, their index for ParaView
   history.csv            one row per call, columns with units
   checkpoint.h5          what --restart continues from
   summary.json           what ran, how long, and the room's figures
   case.yaml              the case as it was run, with its defaults
   .ingot                 mark of ownership (io/result/result_folder.h)

   Snapshots, checkpoints and files are written by a thread of the sink, at most two under way; a
   failure there is returned by the next call and by flush. Every file but history.csv appears
   complete by a rename; history.csv grows by whole rows, and a restart truncates it to its length
   at the checkpoint. */
#ifndef IG_IO_RESULT_SINK_H
#define IG_IO_RESULT_SINK_H

#include "core/output.h"

#define IG_SINK_SETTINGS "sink.settings" /* the array of a checkpoint that holds `settings` */

/* Borrowed texts must live as long as the sink. */
typedef struct {
  uint64_t fingerprint; /* of the case, kept in its checkpoints */
  const char *settings; /* what else of it matters, kept there too; lives as long as the sink */
  const char *text;     /* the case as it is run, kept as case.yaml; NULL: none. As long, too */
  int compression;      /* of snapshots, 0 to 9 */
  bool force;           /* replace files of ours' names though nothing says that they are ours */
  /* The checkpoint that the run continues from; NULL: a new run, which removes the former one's
     files. Used during ig_sink_open only. */
  const ig_restart *restart;
} ig_sink_options;

/* Opens and locks the folder; files of a former run stay until the first output of this one. Fails
   if the folder contains anything that is not a result of Ingot, if another process writes into it,
   or if it cannot be written. */
IG_MUST_CHECK ig_status ig_sink_open(ig_ctx *cx, const char *folder, const ig_sink_options *options,
                                     ig_sink **sink);
/* Whether anything was written, so that the folder is this run's. */
bool ig_sink_begun(const ig_sink *sink);
/* Whether the folder holds the files of a former run. */
bool ig_sink_former(const ig_sink *sink);
/* Waits for the writer and frees everything; removes a folder that it made and did not use. Call
   flush before to learn of failures. */
void ig_sink_close(ig_sink *sink);

/* Facts for summary.json; everything is borrowed. */
typedef struct {
  const char *physics, *title;
  const char *status;  /* "complete", "interrupted", "failed" */
  const char *stamp;   /* of everything that shapes the result */
  const char *message; /* of a failure, NULL: none */
  const char *backend, *device, *precision, *assembly;
  int64_t elements, nodes, dofs, steps;
  struct {
    double setup, solve, output, total;
  } seconds;
  const double *split; /* IG_PHASES of them, NULL: not known */
  struct {
    double element_steps_per_s, bytes_per_s;
  } rate;
  struct {
    int64_t host_peak, device_peak;
  } memory;
  const struct ig_inputs *inputs; /* files that were read */
  int warnings;
  int warned; /* how many of them are here, the first */
  const char (*warning)[256];
  const bool *warning_once; /* which of them are of its steps */
} ig_summary;
/* Writes summary.json with the figures collected so far. Waits for the writer first; works after a
   failure too, so that a failed run can say so. */
IG_MUST_CHECK ig_status ig_sink_summary(ig_sink *sink, const ig_summary *summary);

#endif
