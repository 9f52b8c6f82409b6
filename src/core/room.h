/* A room: one kind of analysis. It declares its options, runs a job, checks one, and brings its
   verification problems and benchmarks. Listed once, in run/room_list.h. */
#ifndef IG_CORE_ROOM_H
#define IG_CORE_ROOM_H

#include "core/option.h"
#include "core/output.h"

/* The `output` section, common to all rooms; core/schedule.h makes moments of it. */
typedef struct {
  ig_src at;
  int64_t every;           /* snapshot every so many steps, 0: by interval */
  double interval;         /* snapshot every so many seconds of simulated time, NaN: none */
  int64_t count;           /* or this many over the whole run */
  int64_t history_every;   /* history row every so many steps, 0: a thousand over the whole run */
  double checkpoint_every; /* seconds of wall time between checkpoints, 0: only at the end */
  int64_t compression;     /* 0 to 9 */
  ig_texts fields;         /* empty: the room's default fields */
} ig_output_case;

/* A job: one case, ready to run. */
typedef struct ig_job {
  ig_ctx *cx;
  const char *title;
  ig_precision precision;
  ig_assembly assembly; /* a room that may choose says here what it took */
  bool assembly_free;   /* the case leaves it open: `assembly` is gather unless the room chooses */
  const ig_output_case *output;
  const ig_list *materials;  /* of ig_material_case (material/material.h) */
  ig_mesh *mesh;             /* NULL if the room makes its own grid */
  const void *room_case;     /* the struct the room's options fill */
  const ig_node *tree;       /* the case as it was written, for ig_key_at; NULL: made by a program */
  ig_sink *sink;             /* NULL: nobody wants output (benchmarks, verification) */
  const ig_restart *restart; /* NULL: from the start */

  /* filled by the room for summary.json */
  int64_t elements, nodes, dofs, steps;
  double seconds_setup, seconds_solve, seconds_output;
  double element_steps; /* work done: element-steps, or DOF-iterations for implicit rooms */
  double bytes_moved;   /* the bytes that work must move, counted once each */
} ig_job;

/* What `ingot check` prints: lines of "label: value". */
typedef void ig_check_line(void *user, const char *label, const char *value);

/* One row of `ingot verify`. */
typedef struct {
  const char *quantity, *source; /* what; where the expected value comes from */
  double expected, computed, tolerance;
  bool relative; /* tolerance is relative to expected */
} ig_verify_row;
typedef struct ig_verify_sink {
  void *user;
  void (*row)(void *user, const ig_verify_row *row);
} ig_verify_sink;
typedef struct {
  const char *name, *about;
  bool quick; /* runs in the test suite too */
  ig_status (*run)(ig_ctx *cx, const ig_verify_sink *sink);
} ig_verify_entry;

/* One row of `ingot bench`: how fast, and against what limit. */
typedef struct {
  const char *name;       /* "bricks 10M single gather" */
  double elements, steps; /* size of the work */
  double seconds;
  double rate;           /* in `rate_unit` per second */
  const char *rate_unit; /* "element-steps", "DOF-products" */
  double bytes;          /* bytes that must move in all */
  double memory;         /* device bytes held */
  const char *note;      /* may be NULL */
} ig_bench_row;
typedef struct ig_bench_sink {
  void *user;
  void (*row)(void *user, const ig_bench_row *row);
} ig_bench_sink;
typedef struct {
  const char *name, *about;
  ig_status (*run)(ig_ctx *cx, const ig_bench_sink *sink);
} ig_bench_entry;

typedef struct ig_room {
  const char *name, *about; /* `physics: name` in a case */
  bool needs_mesh;
  size_t case_size;
  const ig_option *options;
  ig_status (*run)(ig_job *job);
  ig_status (*check)(ig_job *job, ig_check_line *line, void *user);
  const ig_verify_entry *verify; /* ended by a NULL name */
  const ig_bench_entry *bench;   /* ended by a NULL name */
  const char *elements;          /* types of mesh it takes, "tet4|hex8"; NULL: any */
  const char *fields;            /* all it can write into snapshots, "T|T_peak" */
  const char *precisions;        /* those it computes in, "single|double"; NULL: all */
  /* Keys of every case that this room does not look at, "precision|output.fields"; NULL: none. Who
     gives one is warned. */
  const char *unused;
} ig_room;

#endif
