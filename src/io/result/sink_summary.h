/* summary.json: what a run was and what came out of it. */
#ifndef IG_IO_RESULT_SINK_SUMMARY_H
#define IG_IO_RESULT_SINK_SUMMARY_H

#include "core/inputs.h"
#include "io/format/json.h"
#include "io/result/result_folder.h"
#include "io/result/sink.h"

/* A figure of the room. key and text are owned by the sink. */
typedef struct {
  char *key, *text; /* text NULL: a number */
  char unit[24];
  double number;
} ig_figure;

/* "inputs": list of {file, sha256}. */
void ig_inputs_write(const ig_inputs *inputs, ig_json *json);
void ig_summary_write(const ig_summary *summary, int64_t snapshots, const ig_figure *figure,
                      int figures, ig_json *json);

/* The index of snapshots: those that are in the folder, with their times. */
void ig_series_write(const ig_result_folder *folder, const double *time, int64_t snapshots,
                     ig_json *json);

#endif
