/* The inside of a chain: its keys, its stages, and what the files of this folder offer each
   other. A chain lives on one thread of each rank; the first rank alone reads and writes result
   folders. */
#ifndef IG_CHAIN_CHAIN_H
#define IG_CHAIN_CHAIN_H

#include <ingot/chain.h>
#include "run/case.h"

/* How a stage's result is drawn, beside the rest of `ingot view`'s defaults. Texts may be NULL and
   pairs NaN where the key was left out; they live in the arena of the chain's case. */
typedef struct {
  ig_src at;
  const char *field, *palette, *threshold, *warp;
  double range[2], keep[2], camera[2]; /* camera: azimuth, elevation in degrees */
  double scale, zoom;
  double when; /* share of the snapshots: 0 the first, 1 the last */
  bool edges, outline;
} ig_picture_case;

/* Loads read from a curve of force over displacement; length in m, offset a share of it, usually
   0.002 as for the yield strength Rp0.2 (ISO 6892-1). */
typedef struct {
  ig_src at;
  const char *force, *displacement; /* columns of history.csv */
  const char *plastic;              /* cell field that is 0 until the material yields */
  double length, offset;
} ig_curve_case;

/* One figure of the report: of a stage's summary, or of a column of its history. */
typedef struct {
  ig_src at;
  const char *name, *stage, *figure, *column;
  int take; /* IG_TAKE_* */
} ig_report_case;
enum { IG_TAKE_LAST, IG_TAKE_MAX, IG_TAKE_MIN };

/* What stands beside `stages`; and in a stage beside its case. */
typedef struct {
  ig_src at;
  const char *title;
  ig_list report; /* of ig_report_case */
} ig_chain_case;
typedef struct {
  ig_src at;
  ig_picture_case picture;
  ig_curve_case curve;
} ig_stage_case;
extern const ig_option ig_chain_keys[], ig_stage_keys[];
/* Keys beside `stages` that hold for every stage which does not say otherwise. */
#define IG_CHAIN_COMMON "backend|threads|precision|assembly|materials|output"

/* One stage. `name` and `node` belong to the chain's case, `own` and `folder` to the stage. */
typedef struct {
  const char *name;
  ig_node *node; /* as the file says it */
  ig_case *own;  /* made on demand: the stage as a case of its own */
  char *folder;
  ig_stage_case c;
} ig_stage;

/* A chain from chain_read to chain_close. */
typedef struct {
  ig_ctx *cx;
  ig_case *c; /* the file */
  ig_chain_case top;
  char *out;
  int stages;
  ig_stage *stage;
  bool force;            /* replace files that are not ours */
  struct ig_live *live;  /* a stage that runs beside another, NULL: none */
  ig_state_fn *state_of; /* its states, for the stage that runs: ig_chain_state */
} ig_chain;

/* Among the first `count` stages: the place of one, -1 if there is none; and "a, b or c". */
int ig_stage_find(const ig_chain *chain, int count, const char *name);
void ig_stage_list(const ig_chain *chain, int count, char *list, size_t size);

/* names.c: sets and phases that a stage names and, as far as the case says, will not have. */
IG_MUST_CHECK ig_status ig_stage_names_check(ig_chain *chain, int stage);
/* A figure of a stage's summary that no run of it can give. */
IG_MUST_CHECK ig_status ig_stage_figure_check(ig_chain *chain, int stage, const ig_src *at,
                                              const char *figure);

/* --- resolve.c */
/* The stage as a case: the chain's common keys added where it has none, and every `from: STAGE`
   replaced by what that stage left, or, in a trial, by something that reads alike. Kept in the
   stage. */
IG_MUST_CHECK ig_status ig_stage_resolve(ig_chain *chain, int stage, bool trial);
/* A trial can be opened by its room, up to the first file that an earlier stage has yet to write:
   no number stands for a figure. Whether the context's error is about such a file. */
bool ig_stage_opens(ig_chain *chain, int stage);
bool ig_stage_waits(const ig_ctx *cx);
/* Whether it reads from any stage. */
bool ig_stage_reads(const ig_chain *chain, int stage);
/* Calls `each` with every stage that this one reads from. */
typedef ig_status ig_source_fn(ig_chain *chain, int stage, int source, const ig_node *where);
IG_MUST_CHECK ig_status ig_stage_sources(ig_chain *chain, int stage, ig_source_fn *each);

/* The stage as a case in a context of its own choice, for the caller to close. */
IG_MUST_CHECK ig_status ig_stage_as_case(ig_chain *chain, int stage, bool trial, ig_ctx *cx,
                                         ig_case **out);

/* --- live.c */
/* A stage that runs in step with another, in this process; user is the chain. *end becomes
   the end of its time, s. snap may be NULL when only that is wanted; otherwise *snap is the
   caller's. Going back in time starts the other stage anew. */
IG_MUST_CHECK ig_status ig_chain_state(void *user, const char *source, double time, double *end,
                                       ig_snapshot **snap);
void ig_live_close(ig_chain *chain);

/* --- results.c: what stages left in their folders */
/* summary.json of a stage as a tree, NULL if there is none. */
IG_MUST_CHECK ig_status ig_stage_summary(ig_chain *chain, int stage, ig_node **summary);
/* A figure of its `result`; false: there is none of that name, or it is no number. `unit` may be
   NULL. */
enum { IG_UNIT_TEXT = 24 };
bool ig_summary_figure(const ig_node *summary, const char *key, double *value,
                       char unit[IG_UNIT_TEXT]);
/* Snapshots in order: their files and times; free with ig_series_free. */
typedef struct {
  int count;
  char **path;
  double *time;
} ig_series;
IG_MUST_CHECK ig_status ig_series_read(ig_ctx *cx, const char *folder, ig_series *series);
void ig_series_free(ig_series *series);
/* A column of history.csv, by its name with or without the unit; free the values. */
typedef struct {
  int count;
  double *value;
  char unit[IG_UNIT_TEXT];
} ig_column;
IG_MUST_CHECK ig_status ig_column_read(ig_ctx *cx, const char *folder, const char *name,
                                       ig_column *column);
/* The most by which a cell field of a snapshot has grown since another one of the same run. */
IG_MUST_CHECK ig_status ig_snapshot_most(ig_ctx *cx, const char *path, const char *since,
                                         const char *field, double *most);

/* --- report.c */
/* Whether the report finds what it wants of a stage that has just run. */
IG_MUST_CHECK ig_status ig_chain_report_check(ig_chain *chain, int stage);

/* --- curve.c */
/* Stiffness; loads at first yield and at the offset, and the highest. NaN: not reached. Order of
   the figures in ig_curve.value and of their keys. */
enum { IG_CURVE_STIFFNESS, IG_CURVE_FIRST, IG_CURVE_OFFSET, IG_CURVE_HIGHEST, IG_CURVE_FIGURES };
extern const char *const ig_curve_keys[IG_CURVE_FIGURES];
typedef struct {
  double value[IG_CURVE_FIGURES];
  char unit[IG_CURVE_FIGURES][IG_UNIT_TEXT];
} ig_curve;
IG_MUST_CHECK ig_status ig_curve_read(ig_ctx *cx, const char *folder, const ig_curve_case *c,
                                      ig_curve *curve);

/* --- report.c */
/* Writes summary.json of the chain and passes the report's lines to `line`, which may be NULL.
   Figures of stages that are not complete are NaN, in words "not reached". */
IG_MUST_CHECK ig_status ig_chain_report(ig_chain *chain, ig_line_fn *line, void *user);

#endif
