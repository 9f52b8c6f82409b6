/* Running cases: what the command line does, for any program. */
#ifndef INGOT_RUN_H
#define INGOT_RUN_H

#include <ingot/mesh.h>

IG_C_BEGIN

typedef struct ig_case ig_case;

/* Reads a case file. Fails with IG_INPUT and "file:line:column: …" if it is no YAML that Ingot
   takes; unknown keys and bad values show when the case is checked or run. */
IG_API IG_MUST_CHECK ig_status ig_case_open(ig_ctx *cx, const char *path, ig_case **c);
/* An empty case, to be filled by ig_case_set. */
IG_API IG_MUST_CHECK ig_status ig_case_new(ig_ctx *cx, ig_case **c);
/* Sets one key, "output.every" = "100", "sources[0].power" = "200 W"; before the case is run. The
   value is written as in a case file: "[1, 2, 3]" is a list, "{a: 1}" a map. An index one past the
   end of a list appends to it. */
IG_API IG_MUST_CHECK ig_status ig_case_set(ig_case *c, const char *key, const char *value);
/* As ig_case_set, for numbers in SI units, integers, plain text (quoted as needed) and lists of
 * numbers; and a mesh made by ig_mesh_new in place of the section `mesh` (copied; NULL removes it).
 */
IG_API IG_MUST_CHECK ig_status ig_case_set_real(ig_case *c, const char *key, double value);
IG_API IG_MUST_CHECK ig_status ig_case_set_int(ig_case *c, const char *key, int64_t value);
IG_API IG_MUST_CHECK ig_status ig_case_set_text(ig_case *c, const char *key, const char *value);
IG_API IG_MUST_CHECK ig_status ig_case_set_reals(ig_case *c, const char *key, const double *values,
                                                 int count);
IG_API IG_MUST_CHECK ig_status ig_case_set_mesh(ig_case *c, const ig_mesh *mesh);
/* The text of a scalar the case holds, NULL if that key is not given (defaults are not looked up)
   or is no scalar. */
IG_API const char *ig_case_get(const ig_case *c, const char *key);
IG_API void ig_case_close(ig_case *c);

/* Statistics of a run, as in summary.json. */
typedef struct {
  int64_t elements, nodes, dofs, steps;
  double seconds_setup, seconds_solve, seconds_output, seconds_total;
  double element_steps_per_s, bytes_per_s;
  size_t host_peak, device_peak; /* bytes */
  bool up_to_date;               /* nothing was run: the output folder held the result already */
} ig_run_stats;
/* One of the room's own figures: a number with its unit, "" for a bare one, or a text, NULL for a
   number. */
typedef void ig_figure_fn(void *user, const char *key, double value, const char *unit,
                          const char *text);
/* A figure as people read it, six digits with a prefix, "677.144 MPa"; unit NULL or "": a bare
   number. Returns `text`. */
IG_API const char *ig_figure_text(const char *key, double value, const char *unit, char text[64]);

/* A snapshot as it is handed over: cells, their points and fields at one moment. All pointers are
 * valid during the call only. */
typedef struct {
  const char *name, *unit;
  ig_location where; /* IG_AT_POINTS or IG_AT_CELLS */
  ig_dtype dtype;
  int components;   /* 1 scalar, 3 vector, 6 symmetric tensor xx yy zz xy yz zx */
  const void *data; /* points or cells x components */
} ig_snapshot_field;
typedef struct {
  double time; /* s; of an optimisation: iterations */
  int64_t step, points, cells;
  const double *point;   /* points x 3, m */
  const int64_t *corner; /* points of all cells, one cell after the other */
  const int64_t *offset; /* cells + 1: where a cell's begin in `corner` */
  const uint8_t *type;   /* VTK cell types */
  const ig_lid *element; /* cells: the element of the mesh; NULL: cell i is element i */
  int fields;
  const ig_snapshot_field *field;
} ig_snapshot_view;
typedef void ig_snapshot_fn(void *user, const ig_snapshot_view *snapshot);
/* A row of the history: the same columns in every call, names with units, "T_max [K]". */
typedef void ig_history_fn(void *user, int columns, const char *const *names, const double *values);

typedef struct {
  const char *out;     /* output folder; NULL: none is written */
  const char *restart; /* checkpoint to continue from; NULL: from the start */
  /* Continue from it even if the case has changed since it was written; overwrite files in `out`
   * that have names of results even if they carry no marker of Ingot. */
  bool force;
  /* Resume an existing output folder of this case: nothing is done if it is complete; a run with a
   * checkpoint is continued; anything else starts over. */
  bool resume;
  ig_run_stats *stats; /* filled, unless NULL, as far as the run came */
  ig_figure_fn *figure;
  void *user; /* for all of these functions */
  /* Called where the case's section `output` asks for a snapshot or a row of history, with an
     output folder or without; NULL: not wanted. */
  ig_snapshot_fn *snapshot;
  ig_history_fn *row;
} ig_run_options;
/* Runs a case. IG_INTERRUPTED: it stopped on request, and a checkpoint is in the output folder.
   Where the context was opened without naming a backend or threads, the case's own hold. */
IG_API IG_MUST_CHECK ig_status ig_run(ig_case *c, const ig_run_options *options);

/* State of an output folder with respect to a case: no result; the result of another case (or of
 * this case before it was edited); an incomplete result with a checkpoint; a complete result. */
typedef enum {
  IG_RESULT_NONE,
  IG_RESULT_OTHER,
  IG_RESULT_PART,
  IG_RESULT_COMPLETE
} ig_folder_state;
IG_API IG_MUST_CHECK ig_status ig_folder_inspect(ig_case *c, const char *out,
                                                 ig_folder_state *result);

/* Validates a case and reports mesh statistics, critical step, memory; runs nothing. */
typedef void ig_line_fn(void *user, const char *label, const char *value);
IG_API IG_MUST_CHECK ig_status ig_check(ig_case *c, ig_line_fn *line, void *user);

/* The mesh a case describes, without its physics; free with ig_mesh_free. */
IG_API IG_MUST_CHECK ig_status ig_case_mesh(ig_case *c, ig_mesh **mesh);
/* The unit of length that a mesh file names, m; 0: it names none. STEP, IGES, Ansys' /UNITS,
   dataset 164 of universal files, MED and Ingot's own do. */
IG_API IG_MUST_CHECK ig_status ig_mesh_file_unit(ig_ctx *cx, const char *path, double *unit);
/* Counts, sizes and sets of a mesh, in lines. */
IG_API IG_MUST_CHECK ig_status ig_mesh_describe(ig_ctx *cx, const ig_mesh *mesh, ig_line_fn *line,
                                                void *user);

typedef void ig_text_fn(void *user, const char *text);
/* The case as a case file that reads to the same case again: absolute paths, material files merged
   in, defaults as comments. The case is read first where it was not. */
IG_API IG_MUST_CHECK ig_status ig_case_print(ig_case *c, ig_text_fn *text, void *user);
/* What a case file may say, from the tables that read it, in Markdown. Page NULL: everything in one
   document; "common": what all rooms share (docs/reference/case-reference.md); the name of a room:
   its keys (docs/reference/keys-ROOM.md). */
IG_API IG_MUST_CHECK ig_status ig_reference(ig_ctx *cx, const char *page, ig_text_fn *text,
                                            void *user);
/* The same as a JSON Schema (draft 7), for editors. */
IG_API IG_MUST_CHECK ig_status ig_schema(ig_ctx *cx, ig_text_fn *text, void *user);
/* For completing --set a line a key, "sources[].power", its choices and its help, tabs between
   them. Room NULL: the keys of all rooms. */
IG_API IG_MUST_CHECK ig_status ig_completion(ig_ctx *cx, const char *room, ig_text_fn *text,
                                             void *user);
/* What the tables say about one word: the keys of a room ("thermal"), or every place where a key
   stands ("duration", "beams.radius"), with unit, default, range and help. IG_INPUT: no such word;
   the message has the nearest one. */
IG_API IG_MUST_CHECK ig_status ig_explain(ig_ctx *cx, const char *word, ig_text_fn *text,
                                          void *user);

/* A material file that comes with Ingot, or of $INGOT_MATERIALS. Strings live during the call. */
typedef struct {
  const char *name, *path;
  const char *about, *sources; /* from the comment the file begins with */
  const char *rooms;           /* that find in it what they need: "thermal stress" */
  double range[2];             /* temperatures of its tables, K */
  const char *missing;         /* what other rooms need: "powder: absorptivity; …", or "" */
  const char *left_out;        /* rooms it is not meant for, and why, from the same comment */
  const char *growth;          /* `growth` of a grains case, "{law: in625}", or "" */
  double density, young, fracture_energy, cohesive_strength; /* SI, when cold; NaN: not given */
} ig_material_info;
typedef void ig_material_fn(void *user, const ig_material_info *info);
/* Calls `found` for each of them, by name. */
IG_API IG_MUST_CHECK ig_status ig_materials(ig_ctx *cx, ig_material_fn *found, void *user);

IG_C_END
#endif
