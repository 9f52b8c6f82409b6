/* A chain of cases, top to bottom:

     read the stages, their pictures and the report
     for each stage
       make it a case of its own        resolve.c
       run it, unless its result is there and of this very case
       draw it
     gather the figures of all          report.c  */
#include "chain/chain.h"
#include "core/require.h"
#include <ingot/finish.h>
#include "io/picture/picture.h"
#include "io/result/result_folder.h"
#include "io/format/atomic_file.h"
#include "ranks/ranks.h"
#include "run/job.h"
#include "run/plausible.h"
#include "run/rooms.h"
#include <ingot/view.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- reading */

bool ig_case_is_chain(const ig_case *c) {
  return c && ig_node_find(c->root, "stages") != NULL;
}

/* Reads the children of `from` that a table knows, as a map of their own; others are left out, as
   they belong to the case of a stage and are read with it. Works on a copy in the arena, so the
   tree of the file is unchanged. */
static ig_status own_read(ig_ctx *cx, ig_arena *arena, const ig_node *from,
                          const ig_option *options, void *into) {
  ig_node *copy, **slot;
  IG_TRY(ig_node_copy(cx, arena, from, &copy));
  for (slot = &copy->child; *slot;) {
    const ig_option *o = options;
    while (o->key && strcmp(o->key, (*slot)->key) != 0)
      o++;
    if (o->key)
      slot = &(*slot)->next;
    else
      *slot = (*slot)->next;
  }
  return ig_options_read(cx, arena, copy, &(ig_option_table){options, into}, 1);
}

/* Refuses keys beside `stages` that mean nothing there, with the nearest one that does. */
static ig_status top_check(ig_chain *chain) {
  static const char known[] = "title|stages|report|" IG_CHAIN_COMMON;
  for (const ig_node *child = chain->c->root->child; child; child = child->next) {
    if (ig_choices_find(known, child->key) >= 0)
      continue;
    char near[64] = "", list[160];
    const bool found = ig_nearest(child->key, known, near, sizeof near);
    ig_choices_list(known, list, sizeof list);
    return ig_fail_at(chain->cx, &child->key_at,
                      "unknown key '%.60s' beside `stages`: %s%s%sexpected %s%s", child->key,
                      found ? "did you mean '" : "", near, found ? "'? (" : "", list,
                      found ? ")" : "");
  }
  return IG_OK;
}

/* One stage: its name becomes a folder, so only characters that are safe in every file system are
   allowed, and 40 of them, which leaves room for endings within fixed buffers. */
static ig_status stage_read(ig_chain *chain, ig_node *node, ig_stage *s) {
  if (node->kind != IG_NODE_MAP)
    return ig_fail_at(chain->cx, &node->at, "stage '%.60s' must be a map: a case", node->key);
  if (strlen(node->key) > 40 ||
      node->key[strspn(node->key,
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")])
    return ig_fail_at(
        chain->cx, &node->key_at,
        "'%.60s' cannot be a stage's name: expected letters, digits, - and _, at most "
        "40: it becomes a folder",
        node->key);
  s->name = node->key;
  s->node = node;
  s->folder = ig_path_join(chain->out, s->name);
  if (!s->folder)
    return IG_FAIL(chain->cx, IG_MEMORY, "no memory for a path");
  return own_read(chain->cx, chain->c->arena, node, ig_stage_keys, &s->c);
}

/* Reads the whole chain but resolves no stage: a case of its own is made of each later. The chain
   borrows the case `c`, whose arena has all trees, and owns its paths. On failure the caller still
   calls chain_close. */
static ig_status chain_read(ig_case *c, const char *out, ig_chain *chain) {
  *chain = (ig_chain){.cx = c->cx, .c = c, .state_of = ig_chain_state};
  ig_node *stages = ig_node_find(c->root, "stages");
  if (!stages || stages->kind != IG_NODE_MAP || !stages->child)
    return ig_fail_at(c->cx, stages ? &stages->at : &c->root->at,
                      "`stages` must be a map of stages: `name: {physics: …}`");
  IG_TRY(top_check(chain));
  IG_TRY(own_read(c->cx, c->arena, c->root, ig_chain_keys, &chain->top));
  chain->out = strdup(out);
  if (!chain->out)
    return IG_FAIL(c->cx, IG_MEMORY, "no memory for a path");
  int count = 0;
  for (ig_node *node = stages->child; node; node = node->next)
    count++;
  IG_TRY(IG_NEW(c->cx, &chain->stage, count, "stages"));
  for (ig_node *node = stages->child; node; node = node->next)
    IG_TRY(stage_read(chain, node, &chain->stage[chain->stages++]));
  /* What the report asks for must name a stage, and either a figure or a column of it. */
  for (int i = 0; i < chain->top.report.count; i++) {
    const ig_report_case *r = IG_ITEM(const ig_report_case, chain->top.report, i);
    char list[512];
    ig_stage_list(chain, chain->stages, list, sizeof list);
    if (ig_stage_find(chain, chain->stages, r->stage) < 0)
      return ig_fail_at(c->cx, &r->at, "there is no stage '%.60s': expected %s", r->stage, list);
    if (!r->figure == !r->column)
      return ig_fail_at(c->cx, &r->at, "give one of `figure` and `column`");
  }
  return IG_OK;
}

/* The other stage's simulation goes first, since it reads from cases of the stages. */
static void chain_close(ig_chain *chain) {
  ig_live_close(chain);
  for (int i = 0; i < chain->stages; i++) {
    ig_case_close(chain->stage[i].own);
    free(chain->stage[i].folder);
  }
  free(chain->stage);
  free(chain->out);
}

/* --- what earlier stages must have left */

/* For one stage alone (--stage): the results it reads, and those which they in turn were made from,
   must be there, complete, and of the case as the file has it now. */
static ig_status source_check(ig_chain *chain, int stage, int source, const ig_node *where) {
  const ig_stage *s = &chain->stage[source];
  ig_folder_state result;
  IG_TRY(ig_stage_sources(chain, source, source_check));
  IG_TRY(ig_stage_resolve(chain, source, false));
  IG_TRY(ig_folder_inspect(s->own, s->folder, &result));
  if (result == IG_RESULT_COMPLETE)
    return IG_OK;
  const char *what = result == IG_RESULT_NONE   ? "is not there"
                     : result == IG_RESULT_PART ? "is not complete"
                                                : "is of another case than the file's now";
  return ig_fail_at(chain->cx, &where->at,
                    "stage '%s' reads the result of '%s', which %s: run '%s' first (--stage %s, or "
                    "the whole chain without --stage)%s",
                    chain->stage[stage].name, s->name, what, s->name, s->name,
                    result == IG_RESULT_OTHER ? ", or take it as it is with --force" : "");
}

/* --- pictures */

/* The smooth surface of a design, of which nothing was asked that only its elements have; NULL:
   there is none, or it is not wanted. Free it. */
static char *design_surface(const ig_stage *s) {
  const ig_picture_case *p = &s->c.picture;
  const bool asked = p->field || p->threshold || p->warp || p->palette || p->edges ||
                     !isnan(p->range[0]) || p->when != 1;
  char *path = asked ? NULL : ig_path_join(s->folder, "part.stl");
  if (path && access(path, R_OK) == 0)
    return path;
  free(path);
  return NULL;
}

/* Draws the snapshot that `when` names, of a design its surface, into STAGE.png beside the folders
   of the stages. NaN in `range` or `camera` means that the view chooses. A share between two
   snapshots takes the nearer one. Only the first rank draws. */
static ig_status picture_draw(ig_chain *chain, int stage) {
  const ig_stage *s = &chain->stage[stage];
  const ig_picture_case *p = &s->c.picture;
  if (!p->at.given)
    return IG_OK;
  char name[64], title[160];
  snprintf(name, sizeof name, "%s.png", s->name);
  snprintf(title, sizeof title, "%.100s: %s", chain->top.title, s->name);
  ig_series series;
  IG_TRY(ig_series_read(chain->cx, s->folder, &series));
  char *png = ig_path_join(chain->out, name), *surface = design_surface(s);
  const char *drawn = surface ? surface : series.path[(int)lround(p->when * (series.count - 1))];
  const ig_view_options v = {.field = p->field,
                             .palette = p->palette,
                             .fixed_range = !isnan(p->range[0]),
                             .range = {p->range[0], p->range[1]},
                             .fixed_camera = !isnan(p->camera[0]),
                             .azimuth = p->camera[0],
                             .elevation = p->camera[1],
                             .zoom = p->zoom,
                             .edges = p->edges,
                             .outline = p->outline,
                             .threshold = p->threshold,
                             .threshold_range = {p->keep[0], p->keep[1]},
                             .warp = p->warp,
                             .warp_scale = p->scale,
                             .title = *chain->top.title ? title : s->name};
  const ig_status status = png ? ig_view(chain->cx, drawn, &v, png)
                               : IG_FAIL(chain->cx, IG_MEMORY, "no memory for a path");
  free(surface);
  free(png);
  ig_series_free(&series);
  return status;
}

/* --- running
   On several ranks all go through the stages together. The first one has the files; a stage whose
   room cannot be divided it runs alone, and the others wait. */

/* One stage of a chain, for functions that are called rank by rank. */
typedef struct {
  ig_chain *chain;
  int stage;
} which;
/* Called rank by rank, so that files are not read by all of them at the same time. */
static ig_status resolve(ig_ctx *cx, void *user) {
  const which *w = user;
  (void)cx;
  IG_TRY(ig_stage_resolve(w->chain, w->stage, false));
  return ig_case_read(w->chain->stage[w->stage].own);
}

/* Whether a stage is run by the first rank alone because its room cannot be divided. */
static bool runs_on_first(const ig_stage *s) {
  return ig_ranks_count(s->own->cx->ranks) > 1 && !s->own->room->ranks;
}

/* Runs a stage on the first rank as if there were no others: its context has no ranks meanwhile.
   The others return at once and wait at the next agreement. */
static ig_status run_on_first(const ig_stage *s, const ig_run_options *o) {
  ig_ctx *cx = s->own->cx;
  ig_ranks *ranks = cx->ranks;
  if (!ig_ranks_first(cx))
    return IG_OK;
  ig_info(cx, "%s does not run on several ranks: the first does it, the others wait",
          s->own->room->name);
  cx->ranks = NULL;
  const ig_status status = ig_run_for(s->own, o, ig_rooms_of(cx));
  cx->ranks = ranks;
  return status;
}

static ig_status stage_look(ig_chain *chain, int stage);

/* Runs one stage. Collective: all ranks read its case in turn, run it, and agree on the outcome, so
   that none goes on to the next stage alone. An interruption on any rank ends the chain for all. */
static ig_status stage_run(ig_chain *chain, int stage, bool resume) {
  ig_stage *s = &chain->stage[stage];
  ig_ctx *cx = chain->cx;
  ig_run_stats stats = {0};
  const ig_run_options o = {
      .out = s->folder, .resume = resume, .force = chain->force, .stats = &stats};
  IG_TRY(ig_ranks_agree(cx, ig_ranks_in_turn(cx, resolve, &(which){chain, stage})));
  ig_info(cx, "stage %d of %d: %s", stage + 1, chain->stages, s->name);
  const ig_status ran =
      runs_on_first(s) ? run_on_first(s, &o) : ig_run_for(s->own, &o, ig_rooms_of(cx));
  /* An interruption that came during the run is known to every rank after the agreement. */
  bool stop = cx->interrupted;
  IG_TRY(ig_ranks_agree_any(cx, ran, &stop)); /* and the first has written all */
  if (stop)
    return IG_FAIL(cx, IG_INTERRUPTED, "interrupted after stage %s", s->name);
  IG_TRY(ig_finish_after(s->own, &o));
  if (stats.up_to_date)
    ig_info(cx, "%s is up to date", s->name);
  return ig_ranks_agree(cx, ig_ranks_first(cx) ? stage_look(chain, stage) : IG_OK);
}

/* What the report and the picture make of a stage's files. */
static ig_status stage_look(ig_chain *chain, int stage) {
  const ig_stage *s = &chain->stage[stage];
  /* what the report wants of it is missed now, not after hours of later stages */
  IG_TRY(ig_chain_report_check(chain, stage));
  const ig_status drawn = picture_draw(chain, stage);
  /* A picture that cannot be drawn is worth a warning, not the loss of a run that succeeded. Other
     failures than of input, such as of memory, remain failures. */
  if (drawn != IG_INPUT)
    return drawn;
  ig_warn(chain->cx, "no picture of %s: %s", s->name, chain->cx->message);
  chain->cx->status = IG_OK;
  chain->cx->message[0] = '\0';
  return IG_OK;
}

/* All stages, each of which resumes or is passed over when it is up to date; or one, by name, which
   starts anew. */
static ig_status stages_run(ig_chain *chain, const ig_chain_options *o) {
  if (!o->stage) {
    for (int i = 0; i < chain->stages; i++)
      IG_TRY(stage_run(chain, i, true));
    return IG_OK;
  }
  const int stage = ig_stage_find(chain, chain->stages, o->stage);
  if (stage < 0) {
    char list[512];
    ig_stage_list(chain, chain->stages, list, sizeof list);
    return IG_FAIL(chain->cx, IG_INPUT, "there is no stage '%.60s': expected %s", o->stage, list);
  }
  /* Only the first rank has the files; the others learn the outcome from the agreement. */
  const bool looks = !o->force && ig_ranks_first(chain->cx);
  IG_TRY(ig_ranks_agree(chain->cx, looks ? ig_stage_sources(chain, stage, source_check) : IG_OK));
  return stage_run(chain, stage, false);
}

/* A field that a picture names must be one that the stage writes. A component, as in
   displacement.z, counts by its field. Rooms that do not list their fields are not checked. */
static ig_status field_check(ig_chain *chain, const ig_stage *s, const char *key,
                             const char *name) {
  const ig_room *room = s->own->room;
  const ig_texts *written = &s->own->common.output.fields;
  char base[64], near[64] = "", list[512];
  if (!name || !room->fields)
    return IG_OK;
  snprintf(base, sizeof base, "%.*s", (int)strcspn(name, "."), name);
  if (ig_choices_find(room->fields, base) < 0) {
    const bool found = ig_nearest(base, room->fields, near, sizeof near);
    ig_choices_list(room->fields, list, sizeof list);
    return ig_fail_at(chain->cx, &s->c.picture.at,
                      "picture of stage '%s': `%s` is '%.60s', and %s has no such field%s%s%s "
                      "(expected %s)",
                      s->name, key, name, room->name, found ? ": did you mean '" : "", near,
                      found ? "'?" : "", list);
  }
  for (int i = 0; i < written->count; i++)
    if (strcmp(written->value[i], base) == 0)
      return IG_OK;
  return written->count == 0
             ? IG_OK
             : ig_fail_at(chain->cx, &s->c.picture.at,
                          "picture of stage '%s': `%s` is '%.60s', which is not among the stage's "
                          "output.fields: add it there",
                          s->name, key, name);
}

/* Checks a picture before anything runs; its fields are compared with those the stage writes. */
static ig_status picture_check(ig_chain *chain, const ig_stage *s) {
  const ig_picture_case *p = &s->c.picture;
  if (!p->at.given)
    return IG_OK;
  if (p->palette && !ig_palette_known(p->palette))
    return ig_fail_at(
        chain->cx, &p->at,
        "palette '%.60s' is unknown: expected viridis, cividis, inferno, coolwarm, rainbow, "
        "gray, embers, steel or distinct",
        p->palette);
  if (p->field && strcmp(p->field, "none") != 0)
    IG_TRY(field_check(chain, s, "field", p->field));
  IG_TRY(field_check(chain, s, "threshold", p->threshold));
  IG_TRY(field_check(chain, s, "warp", p->warp));
  if (p->warp && strchr(p->warp, '.'))
    return ig_fail_at(chain->cx, &p->at, "`warp` is '%.60s': expected a vector field, whole",
                      p->warp);
  if (!isnan(p->range[0]) && !(p->range[0] < p->range[1]))
    return ig_fail_at(chain->cx, &p->at, "`range` must rise: [lowest, highest]");
  if (p->threshold && !(p->keep[0] <= p->keep[1]))
    return ig_fail_at(chain->cx, &p->at,
                      "`threshold` needs `keep: [lowest, highest]`, the values to draw");
  return IG_OK;
}

/* Every stage must be readable before the first one runs for minutes, and what is drawn and
   reported of it must be there in the end, as far as that can be known. */
static ig_status stages_check(ig_chain *chain) {
  for (int i = 0; i < chain->stages; i++) {
    IG_TRY(ig_stage_resolve(chain, i, true));
    IG_TRY(ig_case_read(chain->stage[i].own));
    IG_TRY(ig_stage_names_check(chain, i));
    IG_TRY(picture_check(chain, &chain->stage[i]));
  }
  for (int i = 0; i < chain->top.report.count; i++) {
    const ig_report_case *r = IG_ITEM(const ig_report_case, chain->top.report, i);
    const ig_stage *s = &chain->stage[ig_stage_find(chain, chain->stages, r->stage)];
    bool of_curve = false;
    for (int k = 0; k < IG_CURVE_FIGURES && r->figure; k++)
      of_curve |= strcmp(ig_curve_keys[k], r->figure) == 0;
    if (of_curve && !s->c.curve.at.given)
      return ig_fail_at(chain->cx, &r->at, "'%s' comes from a curve: stage '%s' has no `curve`",
                        r->figure, s->name);
    if (r->figure && !of_curve)
      IG_TRY(ig_stage_figure_check(chain, (int)(s - chain->stage), &r->at, r->figure));
  }
  return IG_OK;
}

/* Refuses a folder with a summary.json that Ingot did not write, or with a picture of the same name
   where no stage has run yet: it would be overwritten. --force skips this. */
static ig_status folder_check(ig_chain *chain) {
  char *summary = ig_path_join(chain->out, IG_SUMMARY);
  ig_status status = summary ? IG_OK : IG_FAIL(chain->cx, IG_MEMORY, "no memory for a path");
  const bool there = status == IG_OK && access(summary, F_OK) == 0;
  if (there && !ig_result_file_ours(summary))
    status = IG_FAIL(chain->cx, IG_INPUT,
                     "'%s' holds '" IG_SUMMARY "', and nothing says that Ingot wrote it: choose "
                     "another folder (--out), or replace it with --force",
                     chain->out);
  for (int i = 0; i < chain->stages && status == IG_OK && !there; i++) {
    const ig_stage *s = &chain->stage[i];
    char name[64];
    snprintf(name, sizeof name, "%.40s.png", s->name);
    char *png = ig_path_join(chain->out, name);
    if (s->c.picture.at.given && png && access(png, F_OK) == 0 && access(s->folder, F_OK) != 0)
      status =
          IG_FAIL(chain->cx, IG_INPUT,
                  "'%s' is there already, and no result of the chain is: choose another folder "
                  "(--out), or replace it with --force",
                  png);
    free(png);
  }
  free(summary);
  return status;
}

/* The first rank's part of the end: figures of all stages, after a failure of those that ran. The
   message of the first failure is saved, as the report may overwrite it. A folder that was made for
   a chain which then was refused is removed again if it is empty. */
static ig_status conclude(ig_chain *chain, const ig_chain_options *o, bool fresh,
                          ig_status status) {
  ig_ctx *cx = chain->cx;
  char message[sizeof cx->message];
  if (status == IG_INPUT && fresh)
    (void)rmdir(chain->out); /* it goes if nothing was written into it */
  if (status == IG_OK)
    return ig_chain_report(chain, o->line, o->user);
  snprintf(message, sizeof message, "%s", cx->message);
  if (status != IG_INPUT && ig_chain_report(chain, NULL, NULL) != IG_OK)
    ig_warn(cx, "%s", cx->message);
  snprintf(cx->message, sizeof cx->message, "%s", message);
  return status;
}

/* Everything that can be known before the first stage runs. */
static ig_status chain_open(ig_ctx *cx, void *user) {
  (void)cx;
  return stages_check(user);
}
/* Makes the folder of the chain, on the first rank; *fresh: it was not there before. */
static ig_status folder_open(ig_chain *chain, const ig_chain_options *o, bool *fresh) {
  if (!ig_ranks_first(chain->cx))
    return IG_OK;
  if (!o->force)
    IG_TRY(folder_check(chain));
  *fresh = access(chain->out, F_OK) != 0;
  return ig_folder_make(chain->cx, chain->out);
}

/* Collective. Each step is agreed on before the next, so that all ranks leave at the same place;
   chain_close runs on every way out. Results of stages that ran stay when a later one fails: the
   next run starts from there. */
ig_status ig_chain_run(ig_case *c, const ig_chain_options *o) {
  IG_REQUIRE_ARGS(c ? c->cx : NULL, c && o);
  if (!o->out)
    return IG_FAIL(c->cx, IG_ARG,
                   "a chain needs a folder for the results of its stages: give `out`");
  ig_chain chain;
  ig_ctx *cx = c->cx;
  bool fresh = false;
  ig_status status = chain_read(c, o->out, &chain);
  if (cx->ranks)
    cx->ranks->failed = false; /* a new run, for everybody */
  IG_TRY_GOTO(status, done, ig_ranks_agree(cx, status));
  IG_TRY_GOTO(status, done, ig_ranks_agree(cx, ig_ranks_in_turn(cx, chain_open, &chain)));
  chain.force = o->force;
  IG_TRY_GOTO(status, done, ig_ranks_agree(cx, folder_open(&chain, o, &fresh)));
  status = stages_run(&chain, o);
  if (ig_ranks_first(cx))
    status = conclude(&chain, o, fresh, status);
  status = ig_ranks_agree(cx, status);
done:
  chain_close(&chain);
  c->cx->interrupted = 0; /* a request ends one chain */
  return status;
}

static void no_line(void *user, const char *label, const char *text) {
  (void)user, (void)label, (void)text;
}
/* What the room refuses of a stage whose files are not there yet: it is opened on the mesh that an
   earlier stage will make, up to the first file it waits for. */
static ig_status check_ahead(ig_chain *chain, int stage) {
  ig_ctx *cx = chain->cx;
  ig_case *own = chain->stage[stage].own;
  if (!ig_stage_opens(chain, stage))
    return ig_case_plausible(own, NULL);
  const ig_status status = ig_check(own, no_line, NULL);
  if (status == IG_OK || !ig_stage_waits(cx))
    return status;
  cx->status = IG_OK; /* as far as that it was checked */
  cx->message[0] = '\0';
  return IG_OK;
}

/* Says of every stage what a run would find and do, and checks it as far as earlier results allow.
   Nothing is computed or written. */
ig_status ig_chain_check(ig_case *c, const char *out, ig_line_fn *line, void *user) {
  IG_REQUIRE_ARGS(c ? c->cx : NULL, c && line);
  static const char *const says[] = {"nothing there yet", "another case's result",
                                     "interrupted: goes on from its checkpoint", "up to date"};
  ig_chain chain;
  ig_status status;
  if (c->cx->ranks)
    c->cx->ranks->failed = false; /* something new, for everybody */
  IG_TRY_GOTO(status, done, chain_read(c, out, &chain));
  IG_TRY_GOTO(status, done, stages_check(&chain));
  bool known = true; /* an earlier stage's result is what it will be */
  for (int i = 0; i < chain.stages; i++) {
    ig_stage *s = &chain.stage[i];
    ig_folder_state result = IG_RESULT_NONE;
    char label[64];
    snprintf(label, sizeof label, "stage %s", s->name);
    /* A stage that reads what is not computed yet is checked as far as that is not needed. */
    if (!known && ig_stage_reads(&chain, i)) {
      line(user, label, "waits for earlier stages");
      IG_TRY_GOTO(status, done, check_ahead(&chain, i));
      continue;
    }
    IG_TRY_GOTO(status, done, ig_stage_resolve(&chain, i, false));
    IG_TRY_GOTO(status, done, ig_folder_inspect(s->own, s->folder, &result));
    line(user, label, says[result]);
    if (runs_on_first(s))
      line(user, "ranks", "the first runs it, the others wait");
    IG_TRY_GOTO(status, done, ig_check(s->own, line, user));
    known &= result == IG_RESULT_COMPLETE;
  }
done:
  chain_close(&chain);
  return ig_ranks_agree(c->cx, status);
}
