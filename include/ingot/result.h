/* Results on disk: snapshots of a run, looked at after it. `folder` is an output folder. */
#ifndef INGOT_RESULT_H
#define INGOT_RESULT_H

#include <ingot/run.h>

IG_C_BEGIN

/* A table, row after row: headings with units first ("T [K]"). Cells are texts. */
typedef void ig_row_fn(void *user, int columns, const char *const *cell);

/* Fields over time at the node or cell nearest to a point; fields NULL: all with one number a
   place. One row a snapshot. */
IG_API IG_MUST_CHECK ig_status ig_result_probe(ig_ctx *cx, const char *folder,
                                               const double point[3], const char *field,
                                               ig_row_fn *row, void *user);
/* Least and greatest value of each field over all snapshots, with time and place; `set` (NULL: all)
   names a set of the run's mesh. */
IG_API IG_MUST_CHECK ig_status ig_result_extremes(ig_ctx *cx, const char *folder, const char *set,
                                                  ig_row_fn *row, void *user);
/* All snapshots as one VTKHDF 2 file with steps; a mesh that stays the same is stored once.
   ParaView 5.12 and VTK 9.3 read such files, older ones do not. */
IG_API IG_MUST_CHECK ig_status ig_result_join(ig_ctx *cx, const char *folder, const char *file);

/* One figure, history column or field of two results. */
typedef struct {
  const char *part; /* "figure", "history", "snapshot" */
  const char *name; /* "warp/u_max": of a stage of a chain; "displacement_x": of a component */
  const char *unit;
  const char *text[2]; /* of a figure that is a text, or is missing on one side; NULL: a number */
  double value[2];     /* the figure; of columns and fields the two values that differ most */
  double difference;   /* the largest; NaN where there are no numbers to compare */
  double scale;        /* largest magnitude of the figure, column or field on both sides */
  double allowed;      /* absolute + relative * scale */
  int64_t item;        /* row, node or cell of the first result with the largest difference; -1 */
  double place[3];     /* of that node or cell; NaN: none */
  bool same;           /* difference <= allowed */
} ig_compared;
typedef void ig_compared_fn(void *user, const ig_compared *row);

typedef enum { IG_COMPARE_LAST, IG_COMPARE_ALL, IG_COMPARE_NONE } ig_compare_snapshots;
typedef struct {
  double relative, absolute; /* allowed, of everything that `tolerance` does not name */
  /* "NAME=REL" or "NAME=REL,ABS": of the figures, columns and fields of that name, in SI; * and ?
     stand for any letters. The last that fits counts. */
  const char *const *tolerance;
  int tolerances;
  ig_compare_snapshots snapshots;
  bool by_position; /* nodes and cells are matched by their places, not by their numbers */
  double distance;  /* within which places are the same; 0: 1e-6 of the size of the mesh */
} ig_compare_options;
/* Compares two results: output folders of runs or chains, two files summary.json, or two snapshots.
   Left out is what depends on the clock and the machine. Fails with IG_INPUT if one cannot be
   read. options NULL: all zero, so that values must be equal. */
IG_API IG_MUST_CHECK ig_status ig_result_compare(ig_ctx *cx, const char *a, const char *b,
                                                 const ig_compare_options *options,
                                                 ig_compared_fn *row, void *user);

IG_C_END
#endif
