/* Content of summary.json and of the index of snapshots. */
#include "io/result/sink_summary.h"
#include "core/version.h"

#include <string.h>
#include <unistd.h>

/* Times by phase, s (IG_PHASE_LIST in core/ctx.h). */
static void split_write(const double *seconds, ig_json *json) {
  static const char *const word[IG_PHASES] = {
#define X(name, text) [IG_PHASE_##name] = text,
      IG_PHASE_LIST(X)
#undef X
  };
  ig_json_object(json, "split");
  for (int i = 0; i < IG_PHASES; i++)
    ig_json_real(json, word[i], seconds[i]);
  ig_json_end(json, '}');
}

/* Files that were read, with their SHA-256, so that a result can be traced to its inputs. */
void ig_inputs_write(const ig_inputs *inputs, ig_json *json) {
  ig_json_list(json, "inputs");
  for (const ig_input *i = inputs->first; i; i = i->next) {
    ig_json_object(json, NULL);
    ig_json_text(json, "file", i->path);
    ig_json_text(json, "sha256", i->sha256[0] ? i->sha256 : "unreadable");
    ig_json_end(json, '}');
  }
  ig_json_end(json, ']');
}

/* The key "ingot" comes first: ig_result_file_ours recognises the file by it. Units of figures are
   a map of their own, so that figures stay plain numbers. The order of the keys is fixed, so that
   two summaries can be compared line by line. */
void ig_summary_write(const ig_summary *summary, int64_t snapshots, const ig_figure *figure,
                      int figures, ig_json *json) {
  ig_json_object(json, NULL);
  ig_json_text(json, "ingot", ig_version());
  ig_json_text(json, "version", ig_version());
  /* Version and commit of the program, then what was computed. */
  ig_json_text(json, "commit", ig_commit());
  ig_json_text(json, "physics", summary->physics);
  ig_json_text(json, "title", summary->title);
  ig_json_text(json, "status", summary->status);
  ig_json_text(json, "stamp", summary->stamp);
  if (summary->message)
    ig_json_text(json, "message", summary->message);
  /* Where and how it was computed. */
  ig_json_text(json, "backend", summary->backend);
  ig_json_text(json, "device", summary->device);
  ig_json_text(json, "precision", summary->precision);
  ig_json_text(json, "assembly", summary->assembly);
  ig_json_int(json, "elements", summary->elements);
  ig_json_int(json, "nodes", summary->nodes);
  ig_json_int(json, "dofs", summary->dofs);
  ig_json_int(json, "steps", summary->steps);
  /* Wall time in s: setup, solution, output and total; then the split by phases where it was
     measured. */
  ig_json_object(json, "seconds");
  ig_json_real(json, "setup", summary->seconds.setup);
  ig_json_real(json, "solve", summary->seconds.solve);
  ig_json_real(json, "output", summary->seconds.output);
  ig_json_real(json, "total", summary->seconds.total);
  ig_json_end(json, '}');
  if (summary->split)
    split_write(summary->split, json);
  /* Rates in elements times steps, and in bytes that had to be moved, per second. */
  ig_json_object(json, "rate");
  ig_json_real(json, "element_steps_per_s", summary->rate.element_steps_per_s);
  ig_json_real(json, "bytes_per_s", summary->rate.bytes_per_s);
  ig_json_end(json, '}');
  ig_json_object(json, "memory");
  ig_json_int(json, "host_peak", summary->memory.host_peak);
  ig_json_int(json, "device_peak", summary->memory.device_peak);
  ig_json_end(json, '}');
  /* The number counts all warnings; the list has the first of them. */
  ig_json_int(json, "warnings", summary->warnings);
  ig_json_list(json, "warned");
  for (int i = 0; i < summary->warned; i++)
    ig_json_text(json, NULL, summary->warning[i]);
  ig_json_end(json, ']');
  /* of these what a run that goes on from here must keep */
  ig_json_list(json, "warned_in_steps");
  for (int i = 0; i < summary->warned && summary->warning_once; i++)
    if (summary->warning_once[i])
      ig_json_text(json, NULL, summary->warning[i]);
  ig_json_end(json, ']');
  if (summary->inputs)
    ig_inputs_write(summary->inputs, json);
  ig_json_int(json, "snapshots", snapshots);
  ig_json_object(json, "result");
  for (int i = 0; i < figures; i++) {
    if (figure[i].text)
      ig_json_text(json, figure[i].key, figure[i].text);
    else
      ig_json_real(json, figure[i].key, figure[i].number);
  }
  ig_json_end(json, '}');
  ig_json_object(json, "units");
  for (int i = 0; i < figures; i++)
    if (figure[i].unit[0])
      ig_json_text(json, figure[i].key, figure[i].unit);
  ig_json_end(json, '}');
  ig_json_end(json, '}');
}

/* ParaView's file series format, version 1.0. */
void ig_series_write(const ig_result_folder *folder, const double *time, int64_t snapshots,
                     ig_json *json) {
  ig_json_object(json, NULL);
  ig_json_text(json, "file-series-version", "1.0");
  ig_json_list(json, "files");
  for (int64_t i = 0; i < snapshots; i++) {
    char name[IG_FILE_NAME];
    ig_snapshot_name(i, name);
    if (faccessat(folder->fd, name, F_OK, 0) != 0)
      continue; /* left behind in the folder the run was continued from */
    ig_json_object(json, NULL);
    ig_json_text(json, "name", name);
    ig_json_real(json, "time", time[i]);
    ig_json_end(json, '}');
  }
  ig_json_end(json, ']');
  ig_json_end(json, '}');
}
