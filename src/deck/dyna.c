/* Decks of LS-DYNA as cases of `dynamics`: the keywords, and the order of the keys of the case.

   Cards are read once for each stage, in the order below: what other cards refer to first (curves,
   materials, sections), then parts, then what becomes entries of the case. Entries of a list keep
   the order of the deck. */
#include "deck/dyna.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum {
  MESH,   /* read by the reader of meshes */
  DEFINE, /* found by number */
  PART,   /* needs what was defined */
  SUPPORT,
  BODY,
  LOAD,
  START,
  WALL,
  CONTACT,
  PROBE,
  IDLE,   /* does not change the mechanics: a note */
  REFUSED /* changes the mechanics; text is the remedy */
} stage;

static const ig_dyna_line *data_of(ig_dyna *k, const ig_dyna_card *c) {
  const ig_dyna_line *row = ig_dyna_data(c);
  if (!row)
    ig_dyna_fail(k, c, NULL, "expected a line of data");
  return row;
}

/* --- cards of one line */

static void title_read(ig_dyna *k, const ig_dyna_card *c) {
  ig_deck *d = k->b.d;
  const char *text = c->line ? c->line->text : "";
  text += strspn(text, " ");
  size_t length = strlen(text);
  while (length && text[length - 1] == ' ')
    length--;
  if (k->b.status == IG_OK)
    k->b.status = ig_arena_text(d->cx, d->arena, &d->title, text, length);
}

static void termination_read(ig_dyna *k, const ig_dyna_card *c) {
  const ig_dyna_line *row = data_of(k, c);
  const double before = k->end;
  k->end_at = ig_dyna_at(c, row);
  k->end = ig_dyna_real(k, c, row, 0, 0);
  if (before > 0 && before != k->end)
    ig_dyna_fail(k, c, row, "ENDTIM %g: the deck gave %g before; leave one of both", k->end,
                 before);
  if (!(k->end > 0))
    ig_dyna_fail(k, c, row, "ENDTIM is %g: expected the time at which the run ends", k->end);
  for (int i = 1; i < 5; i++)
    if (ig_dyna_real(k, c, row, i, 0) != 0)
      ig_dyna_note(k, c, row, "the run ends at ENDTIM only");
}

/* DT2MS below 0: elements are made heavier until their step is TSSFAC times that. */
static void timestep_read(ig_dyna *k, const ig_dyna_card *c) {
  const ig_dyna_line *row = data_of(k, c);
  const double factor = ig_dyna_real(k, c, row, 1, 0), scaling = ig_dyna_real(k, c, row, 4, 0);
  if (factor < 0 || factor > 1)
    ig_dyna_fail(k, c, row, "TSSFAC is %g: expected 0 to 1", factor);
  if (scaling > 0)
    ig_dyna_fail(k, c, row, "DT2MS is %g: expected a negative number, or 0", scaling);
  if (factor > 0)
    k->safety = factor;
  if (scaling < 0)
    k->scaling = -scaling;
  if (ig_dyna_real(k, c, row, 3, 0) != 0 || ig_dyna_real(k, c, row, 5, 0) != 0)
    ig_dyna_note(k, c, row, "TSLIMT and LCTM have no effect");
}

static void viscosity_read(ig_dyna *k, const ig_dyna_card *c) {
  const ig_dyna_line *row = data_of(k, c);
  const double quadratic = ig_dyna_real(k, c, row, 0, 0), linear = ig_dyna_real(k, c, row, 1, 0);
  if (quadratic < 0 || linear < 0)
    ig_dyna_fail(k, c, row, "expected numbers from 0");
  k->bulk[1] = quadratic != 0 ? quadratic : k->bulk[1];
  k->bulk[0] = linear != 0 ? linear : k->bulk[0];
}

static void control_hourglass_read(ig_dyna *k, const ig_dyna_card *c) {
  const double value = ig_dyna_real(k, c, data_of(k, c), 1, 0);
  k->hour = value > 0 ? value : k->hour;
}

static void control_shell_read(ig_dyna *k, const ig_dyna_card *c) {
  const ig_dyna_line *row = data_of(k, c);
  k->thinning = ig_dyna_int(k, c, row, 3) != 0;
  ig_dyna_note(k, c, row, "only ISTUPD (thinning) has an effect");
}

/* IGNORE, the first field of the fourth line: overlaps at the start are left as they are. */
static void control_contact_read(ig_dyna *k, const ig_dyna_card *c) {
  const ig_dyna_line *row = data_of(k, c);
  for (int i = 0; row && i < 3; i++)
    row = row->next;
  k->overlap |= ig_dyna_int(k, c, row, 0) > 0;
  ig_dyna_note(k, c, NULL, "only IGNORE has an effect");
}

static void damping_read(ig_dyna *k, const ig_dyna_card *c) {
  const ig_dyna_line *row = data_of(k, c);
  ig_dyna_empty(k, c, row, 0, 1, "damping over time is not part of a case");
  for (int i = 2; i < 8; i++)
    if (ig_dyna_real(k, c, row, i, 1) != 1 && ig_dyna_real(k, c, row, i, 1) != 0)
      ig_dyna_fail(k, c, row, "damping that differs from axis to axis is not part of a case");
  k->damping = ig_dyna_real(k, c, row, 1, 0);
}

static void plot_read(ig_dyna *k, const ig_dyna_card *c) {
  const ig_dyna_line *row = data_of(k, c);
  const double interval = ig_dyna_real(k, c, row, 0, 0);
  k->interval_at = ig_dyna_at(c, row);
  if (interval > 0)
    k->interval = interval;
  else
    ig_dyna_note(k, c, row, "DT is not given: ten snapshots are written");
}

static void material_read(ig_dyna *k, const ig_dyna_card *c) {
  ig_dyna_item_read(k, c, &k->material, 0);
}
static void section_read(ig_dyna *k, const ig_dyna_card *c) {
  ig_dyna_item_read(k, c, &k->section, strcmp(c->word, "SECTION_SOLID") == 0 ? 1 : 2);
}
static void hourglass_read(ig_dyna *k, const ig_dyna_card *c) {
  ig_dyna_item_read(k, c, &k->hourglass, 1);
}
static void state_read(ig_dyna *k, const ig_dyna_card *c) {
  ig_dyna_item_read(k, c, &k->state, 0);
}

/* --- the keywords */

/* word, stage, reader; of idle and refused ones what to say. A word that ends in a star stands for
   all that begin so; the first row that fits counts. */
static const struct keyword {
  const char *word;
  stage stage;
  ig_dyna_reader *read;
  const char *text;
} keywords[] = {
    {"KEYWORD", MESH, NULL, NULL},
    {"END", MESH, NULL, NULL},
    {"COMMENT", MESH, NULL, NULL},
    {"NODE", MESH, NULL, NULL},
    {"PARAMETER", MESH, NULL, NULL},
    {"PARAMETER_LOCAL", MESH, NULL, NULL},
    {"TITLE", DEFINE, title_read, NULL},
    {"ELEMENT_SOLID", MESH, NULL, NULL},
    {"ELEMENT_SHELL", MESH, NULL, NULL},
    {"ELEMENT_BEAM", MESH, NULL, NULL},
    {"ELEMENT_SOLID_ORTHO", IDLE, NULL, "materials have no directions"},
    {"ELEMENT_SHELL_BETA", IDLE, NULL, "materials have no directions"},
    {"ELEMENT_SHELL_MCID", IDLE, NULL, "materials have no directions"},
    {"ELEMENT_PLOTEL", IDLE, NULL, "elements for pictures only"},
    {"SET_NODE", MESH, NULL, NULL},
    {"SET_NODE_LIST", MESH, NULL, NULL},
    {"SET_NODE_LIST_GENERATE", MESH, NULL, NULL},
    {"SET_SOLID", MESH, NULL, NULL},
    {"SET_SOLID_GENERATE", MESH, NULL, NULL},
    {"SET_SHELL", MESH, NULL, NULL},
    {"SET_SHELL_LIST", MESH, NULL, NULL},
    {"SET_SHELL_LIST_GENERATE", MESH, NULL, NULL},
    {"SET_BEAM", MESH, NULL, NULL},
    {"SET_BEAM_LIST", MESH, NULL, NULL},
    {"SET_BEAM_GENERATE", MESH, NULL, NULL},
    {"SET_PART", MESH, NULL, NULL},
    {"SET_PART_LIST", MESH, NULL, NULL},
    {"SET_SEGMENT", MESH, NULL, NULL},
    {"DEFINE_CURVE", DEFINE, ig_dyna_curve_read, NULL},
    {"MAT_ELASTIC", DEFINE, material_read, NULL},
    {"MAT_PLASTIC_KINEMATIC", DEFINE, material_read, NULL},
    {"MAT_PIECEWISE_LINEAR_PLASTICITY", DEFINE, material_read, NULL},
    {"MAT_JOHNSON_COOK", DEFINE, material_read, NULL},
    {"MAT_SIMPLIFIED_JOHNSON_COOK", DEFINE, material_read, NULL},
    {"MAT_RIGID", DEFINE, material_read, NULL},
    {"EOS_LINEAR_POLYNOMIAL", DEFINE, state_read, NULL},
    {"SECTION_SOLID", DEFINE, section_read, NULL},
    {"SECTION_SHELL", DEFINE, section_read, NULL},
    {"SECTION_BEAM", DEFINE, section_read, NULL},
    {"HOURGLASS", DEFINE, hourglass_read, NULL},
    {"CONTROL_TERMINATION", DEFINE, termination_read, NULL},
    {"CONTROL_TIMESTEP", DEFINE, timestep_read, NULL},
    {"CONTROL_BULK_VISCOSITY", DEFINE, viscosity_read, NULL},
    {"CONTROL_HOURGLASS", DEFINE, control_hourglass_read, NULL},
    {"CONTROL_SHELL", DEFINE, control_shell_read, NULL},
    {"CONTROL_CONTACT", DEFINE, control_contact_read, NULL},
    {"DAMPING_GLOBAL", DEFINE, damping_read, NULL},
    {"DATABASE_BINARY_D3PLOT", DEFINE, plot_read, NULL},
    {"PART", PART, ig_dyna_parts_read, NULL},
    {"BOUNDARY_SPC_SET", SUPPORT, ig_dyna_spc, NULL},
    {"BOUNDARY_SPC_NODE", SUPPORT, ig_dyna_spc, NULL},
    {"BOUNDARY_PRESCRIBED_MOTION_SET", SUPPORT, ig_dyna_motion, NULL},
    {"BOUNDARY_PRESCRIBED_MOTION_NODE", SUPPORT, ig_dyna_motion, NULL},
    {"BOUNDARY_PRESCRIBED_MOTION_RIGID", PART, ig_dyna_drive_read, NULL},
    {"CONSTRAINED_NODAL_RIGID_BODY", BODY, ig_dyna_rigid_nodes, NULL},
    {"LOAD_NODE_SET", LOAD, ig_dyna_load_node, NULL},
    {"LOAD_NODE_POINT", LOAD, ig_dyna_load_node, NULL},
    {"LOAD_SEGMENT", LOAD, ig_dyna_load_segment, NULL},
    {"LOAD_SEGMENT_SET", LOAD, ig_dyna_load_segment, NULL},
    {"LOAD_SHELL_SET", LOAD, ig_dyna_load_shell, NULL},
    {"LOAD_BODY_X", LOAD, ig_dyna_load_body, NULL},
    {"LOAD_BODY_Y", LOAD, ig_dyna_load_body, NULL},
    {"LOAD_BODY_Z", LOAD, ig_dyna_load_body, NULL},
    {"INITIAL_VELOCITY", START, ig_dyna_initial, NULL},
    {"INITIAL_VELOCITY_GENERATION", START, ig_dyna_initial, NULL},
    {"INITIAL_VELOCITY_NODE", START, ig_dyna_initial, NULL},
    {"INITIAL_VELOCITY_RIGID_BODY", START, ig_dyna_initial, NULL},
    {"RIGIDWALL_PLANAR", WALL, ig_dyna_wall, NULL},
    {"CONTACT_AUTOMATIC_SINGLE_SURFACE", CONTACT, ig_dyna_contact, NULL},
    {"CONTACT_AUTOMATIC_GENERAL", CONTACT, ig_dyna_contact, NULL},
    {"CONTACT_AUTOMATIC_SURFACE_TO_SURFACE", CONTACT, ig_dyna_contact, NULL},
    {"CONTACT_AUTOMATIC_NODES_TO_SURFACE", CONTACT, ig_dyna_contact, NULL},
    {"DATABASE_HISTORY_NODE", PROBE, ig_dyna_probes, NULL},
    {"DATABASE_HISTORY_NODE_SET", PROBE, ig_dyna_probes, NULL},
    {"DATABASE_*", IDLE, NULL, "output: a run writes snapshots, history.csv and summary.json"},
    {"CONTROL_ENERGY", IDLE, NULL, "energies are those of Ingot"},
    {"CONTROL_OUTPUT", IDLE, NULL, "output is that of Ingot"},
    {"CONTROL_ACCURACY", IDLE, NULL, "elements are those of Ingot"},
    {"CONTROL_SOLID", IDLE, NULL, "elements are those of Ingot"},
    {"CONTROL_CPU", IDLE, NULL, "limits of time are not read"},
    {"CONTROL_PARALLEL", IDLE, NULL, "threads are those of the command line"},
    {"CONTROL_MPP_*", IDLE, NULL, "ranks are those of the command line"},
    {"CONTROL_IMPLICIT_*", REFUSED, NULL, "analyses are explicit; a case has `analysis: static`"},
    {"PARAMETER_*", REFUSED, NULL, "expressions are not computed: give numbers"},
    {"INCLUDE_*", REFUSED, NULL, "only plain *INCLUDE is followed"},
    {"CONTACT_FORCE_TRANSDUCER*", IDLE, NULL, "output: snapshots have forces of contact"},
    {"CONTACT_TIED_*", REFUSED, NULL, "a case has `ties`, with a distance"},
    {"CONTACT_*", REFUSED, NULL, "expected *CONTACT_AUTOMATIC_SINGLE_SURFACE and its like"},
    {"RIGIDWALL_*", REFUSED, NULL, "expected *RIGIDWALL_PLANAR; a case has `tools`"},
    {"MAT_*", REFUSED, NULL, "the material is not understood; docs/reference/decks.md lists them"},
    {"EOS_*", REFUSED, NULL, "expected *EOS_LINEAR_POLYNOMIAL with C1 alone"},
    {"SET_*", REFUSED, NULL, "expected a set by lists or ranges"},
    {"SECTION_*", REFUSED, NULL, "expected *SECTION_SOLID, _SHELL or _BEAM"},
    {"PART_*", REFUSED, NULL, "expected *PART"},
    {"ELEMENT_*", REFUSED, NULL, "expected *ELEMENT_SOLID, _SHELL or _BEAM without options"},
};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

/* Materials by their numbers. */
static const struct {
  const char *number, *word;
} numbered_laws[] = {{"MAT_001", "MAT_ELASTIC"},
                     {"MAT_003", "MAT_PLASTIC_KINEMATIC"},
                     {"MAT_015", "MAT_JOHNSON_COOK"},
                     {"MAT_020", "MAT_RIGID"},
                     {"MAT_024", "MAT_PIECEWISE_LINEAR_PLASTICITY"},
                     {"MAT_098", "MAT_SIMPLIFIED_JOHNSON_COOK"},
                     {"EOS_001", "EOS_LINEAR_POLYNOMIAL"},
                     {"DATABASE_HISTORY_NODE_LOCAL", "DATABASE_HISTORY_LOCAL"}};

static const struct keyword *keyword_find(const char *word) {
  for (int i = 0; i < KEYWORDS; i++) {
    const size_t n = strlen(keywords[i].word);
    if (keywords[i].word[n - 1] == '*' ? strncmp(word, keywords[i].word, n - 1) == 0
                                       : strcmp(word, keywords[i].word) == 0)
      return &keywords[i];
  }
  return NULL;
}

/* Notes of idle keywords, refusals of others. */
static void keywords_check(ig_dyna *k) {
  for (ig_dyna_card *c = k->card; c && k->b.status == IG_OK; c = c->next) {
    for (size_t i = 0; i < sizeof numbered_laws / sizeof *numbered_laws; i++)
      if (strcmp(c->word, numbered_laws[i].number) == 0)
        c->word = numbered_laws[i].word;
    const struct keyword *known = keyword_find(c->word);
    if (!known)
      ig_dyna_unanswered(k, c, NULL,
                         "not understood: docs/reference/decks.md lists the keywords that are");
    else if (known->stage == REFUSED)
      ig_dyna_unanswered(k, c, NULL, "%s", known->text);
    else if (known->stage == IDLE)
      ig_dyna_note(k, c, NULL, "%s", known->text);
  }
}

static void stage_read(ig_dyna *k, stage s) {
  for (const ig_dyna_card *c = k->card; c && k->b.status == IG_OK; c = c->next) {
    const struct keyword *known = keyword_find(c->word);
    if (known && known->stage == s)
      known->read(k, c);
  }
}

/* --- units */

/* The size of a unit, by name; 0: unknown. */
static double unit_size(const char *name, size_t length, int which) {
  static const struct {
    const char *name;
    int which;
    double size;
  } units[] = {{"m", 0, 1},       {"cm", 0, 1e-2},   {"mm", 0, 1e-3}, {"um", 0, 1e-6},
               {"in", 0, 0.0254}, {"ft", 0, 0.3048}, {"kg", 1, 1},    {"g", 1, 1e-3},
               {"mg", 1, 1e-6},   {"t", 1, 1e3},     {"s", 2, 1},     {"ms", 2, 1e-3},
               {"us", 2, 1e-6}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (units[i].which == which && strlen(units[i].name) == length &&
        strncmp(units[i].name, name, length) == 0)
      return units[i].size;
  return 0;
}

/* LENGTH-MASS-TIME, as in mm-t-s. */
static ig_status units_read(ig_dyna *k, const char *text) {
  double *const size[3] = {&k->length, &k->mass, &k->time};
  const char *p = text;
  for (int i = 0; i < 3; i++)
    *size[i] = 1;
  if (!text)
    return IG_OK;
  k->units = true;
  for (int i = 0; i < 3; i++) {
    const size_t length = strcspn(p, "-");
    *size[i] = unit_size(p, length, i);
    p += length;
    if (*size[i] == 0 || (*p == '-') != (i < 2))
      return IG_FAIL(k->b.d->cx, IG_INPUT,
                     "unit '%.40s': expected LENGTH-MASS-TIME, as in mm-t-s, mm-kg-ms or m-kg-s",
                     text);
    p += *p == '-';
  }
  return IG_OK;
}

/* --- the case */

/* Keys of one value each. */
static void head_put(ig_dyna *k, ig_src at) {
  const char *slash = strrchr(k->b.d->path, '/');
  ig_import_put(&k->b, "dynamics");
  ig_import_end(&k->b, "physics", false, at);
  if (k->b.d->title && *k->b.d->title) {
    ig_import_name(&k->b, k->b.d->title);
    ig_import_end(&k->b, "title", false, at);
  }
  ig_import_name(&k->b, slash ? slash + 1 : k->b.d->path);
  ig_import_end(&k->b, "mesh.file", false, at);
  if (k->units) {
    ig_import_real(&k->b, k->length);
    ig_import_end(&k->b, "mesh.unit", false, at);
  }
  /* Third nodes of beams belong to no element. */
  ig_import_put(&k->b, "true");
  ig_import_end(&k->b, "mesh.loose_nodes", false, at);
}

static void optional_put(ig_dyna *k, const char *key, double value, int s) {
  if (isnan(value))
    return;
  ig_import_put(&k->b, ", %s: ", key);
  ig_dyna_put(k, value, 0, 0, s);
}

/* Contact of all parts, or none: parts that no contact names would touch as well. */
static void contact_put(ig_dyna *k) {
  if (!k->contact)
    return;
  for (const ig_dyna_part *p = k->part; p && k->b.status == IG_OK; p = p->next)
    if (p->set && !p->touches) {
      const ig_dyna_card card = {.at = p->at, .word = "PART"};
      ig_dyna_unanswered(k, &card, NULL,
                         "part %lld is in no contact of the deck; that of a case is between all",
                         (long long)p->id);
    }
  ig_import_put(&k->b, "{friction: ");
  ig_import_real(&k->b, k->friction);
  ig_import_put(&k->b, k->overlap ? ", overlap: keep}" : "}");
  ig_import_end(&k->b, "contact", false, k->contact_at);
}

static void analysis_put(ig_dyna *k) {
  ig_import_put(&k->b, "{duration: ");
  ig_dyna_put(k, k->end, 0, 0, 1);
  optional_put(k, "safety", k->safety, 0);
  optional_put(k, "mass_scaling_step", k->scaling, 1);
  optional_put(k, "damping", k->damping, -1);
  ig_import_put(&k->b, "}");
  ig_import_end(&k->b, "analysis", true, k->end_at);
  stage_read(k, PROBE);
  if (!isnan(k->interval)) {
    ig_dyna_put(k, k->interval, 0, 0, 1);
    ig_import_end(&k->b, "output.interval", false, k->interval_at);
  }
}

static void case_put(ig_dyna *k, ig_src at) {
  ig_dyna_mesh_read(k);
  stage_read(k, DEFINE);
  head_put(k, at);
  if (k->b.status == IG_OK && isnan(k->end))
    ig_import_fail(&k->b, &at, "the deck has no *CONTROL_TERMINATION: give it one with ENDTIM");
  stage_read(k, PART);
  if (k->b.status == IG_OK)
    ig_dyna_parts_resolve(k);
  ig_dyna_materials_put(k);
  ig_dyna_sections_put(k);
  ig_dyna_bodies_put(k);
  stage_read(k, BODY);
  if (k->b.status == IG_OK)
    ig_dyna_fixed_put(k);
  stage_read(k, SUPPORT);
  stage_read(k, LOAD);
  stage_read(k, START);
  stage_read(k, WALL);
  if (k->gravity_curve && k->b.status == IG_OK) {
    const ig_dyna_card card = {.at = k->gravity_curve->at, .word = "DEFINE_CURVE"};
    ig_import_put(&k->b, "{acceleration: ");
    for (int i = 0; i < 3; i++) {
      ig_import_put(&k->b, i ? ", " : "[");
      ig_dyna_put(k, k->gravity[i], 1, 0, -2);
    }
    ig_import_put(&k->b, "]");
    ig_dyna_history(k, &card, NULL, k->gravity_curve);
    ig_import_put(&k->b, "}");
    ig_import_end(&k->b, "gravity", false, k->gravity_at);
  }
  stage_read(k, CONTACT);
  contact_put(k);
  analysis_put(k);
}

bool ig_dyna_is(const char *path) {
  const char *dot = path ? strrchr(path, '.') : NULL;
  return dot && (strcasecmp(dot, ".k") == 0 || strcasecmp(dot, ".key") == 0);
}

ig_status ig_dyna_build(ig_deck *d, const char *unit, ig_node **root) {
  const ig_src at = {.file = d->path, .line = 1, .column = 1, .given = true};
  ig_dyna k = {.b = {.d = d},
               .bulk = {0.06, 1.5}, /* what LS-DYNA has if nothing else is given */
               .hour = 0.1,
               .end = NAN,
               .safety = NAN,
               .scaling = NAN,
               .damping = NAN,
               .interval = NAN};
  IG_TRY(units_read(&k, unit));
  IG_TRY(ig_arena_take(d->cx, d->arena, (void **)&k.b.root, 1, sizeof *k.b.root));
  k.b.root->kind = IG_NODE_MAP;
  k.b.root->at = at;
  k.b.status = ig_dyna_cards(&k);
  keywords_check(&k);
  if (k.b.status == IG_OK)
    case_put(&k, at);
  free(k.b.text);
  ig_mesh_free(k.mesh);
  ig_dyna_found_free(&k.found);
  *root = k.b.root;
  return k.b.status;
}
