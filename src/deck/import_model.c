/* Materials, sections and constraints of a case from those of a deck.

   One function per key of the case: *_put writes the keys of one entry and leaves braces and
   ig_import_end to its caller where entries are nested. What a case cannot express is refused
   here with the line of the deck: temperature-dependent yield, profiles of beams other than
   four, element types without a counterpart. */
#include "deck/import.h"
#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Equal but for case; false for NULL. */
static bool is(const char *text, const char *word) {
  return text && strcasecmp(text, word) == 0;
}

/* Number or table over temperature, of column `column`; the temperature is in `over`.
   One row is a number, several are pairs [temperature, value]; a deck writes value, temperature. */
static void over_temperature(ig_importer *b, const char *key, const ig_deck_rows *r, int column,
                             int over) {
  ig_import_put(b, ", %s: ", key);
  if (r->rows == 1) {
    ig_import_real(b, r->value[column]);
    return;
  }
  ig_import_put(b, "[");
  for (int i = 0; i < r->rows; i++) {
    const double *row = r->value + i * r->columns;
    if (isnan(row[column]) || isnan(row[over]))
      ig_import_fail(b, &r->at, "row %d: expected values and a temperature in every row", i + 1);
    ig_import_put(b, i ? ", [" : "[");
    ig_import_real(b, row[over]);
    ig_import_put(b, ", ");
    ig_import_real(b, row[column]);
    ig_import_put(b, "]");
  }
  ig_import_put(b, "]");
}

/* Isotropic constants at the first temperature; tables over temperature go under `mechanical`
   (ig_import_materials). ORTHO has 9 constants of the stiffness, ANISO 21, ENGINEERING CONSTANTS
   9 moduli and ratios; the last column is a temperature, which is not used. */
static void elastic_put(ig_importer *b, const ig_deck_rows *r) {
  if (r->columns == 3) {
    if (isnan(r->value[0]) || isnan(r->value[1]))
      ig_import_fail(b, &r->at, "*ELASTIC: expected Young's modulus and Poisson's ratio");
    ig_import_put(b, ", young: ");
    ig_import_real(b, r->value[0]);
    ig_import_put(b, ", poisson: ");
    ig_import_real(b, r->value[1]);
    return;
  }
  const int need = r->columns == 10 ? 9 : 21;
  for (int i = 0; i < need; i++)
    if (isnan(r->value[i]))
      ig_import_fail(b, &r->at, "*ELASTIC, TYPE=%s: expected %d constants", r->type, need);
  const bool engineering =
      is(r->type, "ENGINEERINGCONSTANTS") || is(r->type, "ENGINEERING CONSTANTS");
  ig_import_put(b, ", %s: [", engineering ? "engineering_constants" : "stiffness");
  for (int i = 0; i < need; i++) {
    ig_import_put(b, i ? ", " : "");
    ig_import_real(b, r->value[i]);
  }
  ig_import_put(b, "]");
}

/* A deck gives stress, plastic strain; hardening_curve has plastic strain, stress. Kinematic
   hardening is linear: modulus = (s2 - s1) / (e2 - e1). */
static void plastic_put(ig_importer *b, const ig_deck_material *m) {
  const ig_deck_rows *r = &m->plastic;
  const double *first = r->value, *last = r->value + (r->rows - 1) * r->columns;
  for (int i = 0; i < r->rows; i++) {
    const double *row = r->value + i * r->columns;
    if (isnan(row[0]) || (isnan(row[1]) && r->rows > 1))
      ig_import_fail(b, &r->at, "*PLASTIC: expected a stress and a plastic strain in row %d",
                     i + 1);
    if (!isnan(row[2]) && row[2] != first[2])
      ig_import_fail(b, &r->at, "*PLASTIC: yield that changes with temperature is not translated");
  }
  if (m->kinematic) {
    if (r->rows > 2)
      ig_import_fail(b, &r->at,
                     "*PLASTIC, HARDENING=KINEMATIC: expected two rows, linear hardening");
    ig_import_put(b, ", yield: ");
    ig_import_real(b, first[0]);
    ig_import_put(b, ", kinematic: ");
    ig_import_real(b, r->rows > 1 ? (last[0] - first[0]) / (last[1] - first[1]) : 0);
    return;
  }
  if (r->rows == 1) {
    ig_import_put(b, ", yield: ");
    ig_import_real(b, first[0]);
    return;
  }
  ig_import_put(b, ", hardening_curve: [");
  for (int i = 0; i < r->rows; i++) {
    ig_import_put(b, i ? ", [" : "[");
    ig_import_real(b, r->value[i * r->columns + 1]);
    ig_import_put(b, ", ");
    ig_import_real(b, r->value[i * r->columns]);
    ig_import_put(b, "]");
  }
  ig_import_put(b, "]");
}

static void creep_put(ig_importer *b, const ig_deck_material *m) {
  const double *v = m->creep.value;
  ig_import_put(b, "creep: {factor: ");
  ig_import_real(b, v[0]);
  ig_import_put(b, ", power: ");
  ig_import_real(b, v[1]);
  if (v[2] != 0 && !isnan(v[2])) {
    ig_import_put(b, ", time_power: ");
    ig_import_real(b, v[2]);
    if (m->creep_by_strain)
      ig_import_put(b, ", hardening: strain");
  }
  ig_import_put(b, "}");
}

/* ", key: [v0, v1, ...]". */
static void numbers_put(ig_importer *b, const char *key, int count, const double *value) {
  ig_import_put(b, ", %s: [", key);
  for (int i = 0; i < count; i++) {
    ig_import_put(b, i ? ", " : "");
    ig_import_real(b, value[i]);
  }
  ig_import_put(b, "]");
}

/* Constants of a deck are the moduli, then the D_i, as many as the order N. POLYNOMIAL of order
   1, 2, 3 has 3, 7, 12 numbers, OGDEN 3 per order, those of I1 alone 2 per order. Unused
   positions of the case's nine polynomial factors are 0. */
static void hyper_put(ig_importer *b, const ig_deck_material *m) {
  const double *v = m->hyperelastic.value;
  const int numbers = m->hyperelastic.columns - 1;
  const bool ogden = is(m->energy, "OGDEN"),
             full = is(m->energy, "POLYNOMIAL") || is(m->energy, "MOONEY-RIVLIN");
  const int order = ogden  ? numbers / 3
                    : full ? (numbers > 7   ? 3
                              : numbers > 3 ? 2
                                            : 1)
                           : numbers / 2;
  ig_import_put(b, "{material: ");
  ig_import_name(b, m->name);
  if (ogden || full) {
    numbers_put(b, ogden ? "ogden" : "polynomial", numbers - order, v);
  } else { /* of I1 alone: C10 C20 C30 */
    const double all[9] = {v[0], 0, order > 1 ? v[1] : 0, 0, 0, order > 2 ? v[2] : 0, 0, 0, 0};
    numbers_put(b, "polynomial", 9, all);
  }
  numbers_put(b, "compressibility", order, v + numbers - order);
  ig_import_put(b, "}");
  ig_import_end(b, "hyperelastic", true, m->at);
}

/* A case assigns a material to sets; a deck assigns it by sections. Materials that no section
   uses are noted and left out, since the room would require sets of them. */
void ig_import_materials(ig_importer *b) {
  const ig_deck *d = b->d;
  for (const ig_deck_material *m = d->material; m; m = m->next) {
    int sets = 0;
    for (const ig_deck_section *s = d->section; s; s = s->next)
      sets += is(s->material, m->name) && !ig_import_is_point(d, s->elset);
    if (!sets) {
      if (b->status == IG_OK)
        b->status = ig_deck_note(b->d, &m->at, "*MATERIAL %s is used by no section", m->name);
      continue;
    }
    ig_import_put(b, "{name: ");
    ig_import_name(b, m->name);
    ig_import_put(b, ", set: [");
    sets = 0;
    for (const ig_deck_section *s = d->section; s; s = s->next)
      if (is(s->material, m->name) && !ig_import_is_point(d, s->elset)) {
        const int at = ig_namemap_get(&d->name_of, IG_SET_ELEMENTS, s->elset, strlen(s->elset));
        if (at < 0 && !ig_is_number(s->elset) && !d->parts)
          ig_import_fail(b, &s->at, "no set of elements is named '%.60s'", s->elset);
        ig_import_put(b, sets++ ? ", " : "");
        ig_import_name(b, at < 0 ? s->elset : d->name[at]);
      }
    ig_import_put(b, "]");
    if (m->elastic.rows)
      elastic_put(b, &m->elastic);
    if (m->plastic.rows)
      plastic_put(b, m);
    if (m->density.rows)
      over_temperature(b, "density", &m->density, 0, 1);
    if (m->conductivity.rows)
      over_temperature(b, "conductivity", &m->conductivity, 0, 1);
    if (m->specific_heat.rows)
      over_temperature(b, "specific_heat", &m->specific_heat, 0, 1);
    /* Moduli over temperature: isotropic ones only; `young` and `poisson` above are then those
       of the first row. */
    const bool warm = m->elastic.rows > 1 && m->elastic.columns == 3;
    const bool heats = m->expansion.rows || warm;
    if (heats || m->creep.rows)
      ig_import_put(b, ", mechanical: {");
    if (m->creep.rows) {
      creep_put(b, m);
      ig_import_put(b, heats ? ", " : "}");
    }
    if (heats) {
      ig_import_put(b, "expansion_reference: ");
      ig_import_real(b, m->expansion_zero);
      if (m->expansion.rows)
        over_temperature(b, "expansion_mean", &m->expansion, 0, 1);
      if (warm) {
        over_temperature(b, "young", &m->elastic, 0, 2);
        over_temperature(b, "poisson", &m->elastic, 1, 2);
      }
      ig_import_put(b, "}");
    }
    ig_import_put(b, "}");
    ig_import_end(b, "materials", true, m->at);
    if (m->hyperelastic.rows)
      hyper_put(b, m);
    if (m->damping[0] > 0 || m->damping[1] > 0) {
      ig_import_put(b, "{material: ");
      ig_import_name(b, m->name);
      ig_import_put(b, ", mass: ");
      ig_import_real(b, m->damping[0]);
      ig_import_put(b, ", stiffness: ");
      ig_import_real(b, m->damping[1]);
      ig_import_put(b, "}");
      ig_import_end(b, "damping", true, m->at);
    }
  }
  for (const ig_deck_section *s = d->section; s; s = s->next) {
    const ig_deck_material *m = d->material;
    while (m && !is(s->material, m->name))
      m = m->next;
    if (!m)
      ig_import_fail(b, &s->at, "*%s: no *MATERIAL is named '%.60s'", s->kind, s->material);
  }
}

/* How elements of a type of Abaqus and CalculiX are integrated; NULL: it has one way.
   Names of types in both programs, and the `integration` of sections. S4 and B31 become hex8
   with incompatible modes, as in CalculiX, which expands shells and beams to solids. */
static const char *integration_of(const char *type) {
  static const struct {
    const char *type, *integration;
  } all[] = {{"C3D20R", "reduced"},     {"C3D20", "full"},       {"C3D8I", "incompatible"},
             {"C3D8", "full"},          {"C3D10", "full"},       {"C3D4", "full"},
             {"C3D6", "full"},          {"C3D15", "full"},       {"S3", "full"},
             {"S4", "incompatible"},    {"S6", "full"},          {"S8", "full"},
             {"S8R", "reduced"},        {"B31", "incompatible"}, {"B32", "full"},
             {"B32R", "reduced"},       {"T3D2", "full"},        {"T3D3", "full"},
             {"C3D8R", "incompatible"}, {"S4R", "incompatible"}, {"S3R", "full"},
             {"C3D10M", "full"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (is(type, all[i].type))
      return all[i].integration;
  return NULL;
}

/* The element that stands for one with fewer points and hourglass control; NULL: it is its own.
   S3R is S3 in Abaqus, too. */
static const char *instead_of(const char *type) {
  static const char *const all[][2] = {{"C3D8R", "C3D8I"}, {"S4R", "S4"}, {"C3D10M", "C3D10"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (is(type, all[i][0]))
      return all[i][1];
  return NULL;
}

/* Elements that are replaced need --lenient; each type is a warning once. */
static void replacement_check(ig_importer *b, const ig_deck_elements *e) {
  const char *instead = instead_of(e->type);
  const ig_deck_elements *before = b->d->elements;
  while (before != e && !is(before->type, e->type))
    before = before->next;
  if (!instead || before != e || b->status != IG_OK)
    return;
  if (!b->d->lenient)
    ig_import_fail(b, &e->at,
                   "*ELEMENT: elements of type %.40s are not computed; --lenient takes %s in their "
                   "place",
                   e->type, instead);
  else
    b->status = ig_deck_warn(b->d, &e->at, "*ELEMENT: %.40s is computed as %s", e->type, instead);
}

/* NULL: no *ORIENTATION has this name. *TRANSFORM, in the same list, has sets as names. */
static const ig_deck_axes *axes_named(const ig_deck *d, const char *name) {
  const ig_deck_axes *x = d->axes;
  while (x && !(x->orientation && is(x->name, name)))
    x = x->next;
  return x;
}

/* Two points (cylindrical: on the axis) or two vectors (rectangular), as both programs give
   them. */
static void axes_put(ig_importer *b, const ig_deck_axes *x) {
  ig_import_put(b, "kind: %s, a: [", x->cylindrical ? "cylindrical" : "rectangular");
  for (int i = 0; i < 3; i++) {
    ig_import_put(b, i ? ", " : "");
    ig_import_real(b, x->a[i]);
  }
  ig_import_put(b, "], b: [");
  for (int i = 0; i < 3; i++) {
    ig_import_put(b, i ? ", " : "");
    ig_import_real(b, x->b[i]);
  }
  ig_import_put(b, "]");
}

/* As numbers_put, with the arguments in the other order. */
static void reals_put(ig_importer *b, const char *key, const double *value, int count) {
  ig_import_put(b, ", %s: [", key);
  for (int i = 0; i < count; i++) {
    ig_import_put(b, i ? ", " : "");
    ig_import_real(b, value[i]);
  }
  ig_import_put(b, "]");
}

/* SECTION= of a beam without the endings of RECTANGULAR and CIRCULAR. */
static const char *profile_word(const ig_deck_section *s) {
  return is(s->profile, "RECTANGULAR") || is(s->profile, "RECT") ? "RECT"
         : is(s->profile, "CIRCULAR") || is(s->profile, "CIRC")  ? "CIRC"
         : is(s->profile, "PIPE")                                ? "PIPE"
         : is(s->profile, "BOX")                                 ? "BOX"
                                                                 : "";
}

/* Thickness of shells, sections of beams, their sizes and directions at nodes.
   PIPE gives outer radius and wall, a case the outer diameters; BOX two sizes and four walls. */
static void shapes_put(ig_importer *b) {
  const ig_deck *d = b->d;
  for (const ig_deck_section *s = d->section; s && b->status == IG_OK; s = s->next) {
    const bool beam = strcmp(s->kind, "BEAMSECTION") == 0;
    if (strcmp(s->kind, "SOLIDSECTION") == 0)
      continue;
    if (s->sizes < 1 || !(s->size[0] > 0) || (s->sizes > 1 && beam && !(s->size[1] > 0)))
      ig_import_fail(b, &s->at, "*%s: expected a line with %s", s->kind,
                     beam ? "the sizes of the section" : "the thickness");
    /* Place in RECT, CIRC, PIPE, BOX, which is also that of the profiles below; 0 for shells. */
    const int shape = !beam        ? 0
                      : s->profile ? ig_choices_find("RECT|CIRC|PIPE|BOX", profile_word(s))
                                   : -1;
    if (shape < 0) {
      ig_import_fail(b, &s->at,
                     "*BEAM SECTION: SECTION=%.40s is not computed: expected RECT, CIRC, PIPE or "
                     "BOX",
                     s->profile ? s->profile : "");
      return;
    }
    if (shape > 1 && s->sizes != (shape == 2 ? 2 : 6))
      ig_import_fail(b, &s->at, "*BEAM SECTION: expected %s",
                     shape == 2 ? "the outer radius and the thickness of the pipe"
                                : "two sizes and four thicknesses of the box");
    for (const ig_deck_elements *e = d->elements; e && shape > 1; e = e->next)
      if (is(e->type, "B31") || is(e->type, "B32"))
        ig_import_fail(b, &s->at, "*BEAM SECTION: SECTION=%.40s is for B32R, not for %.40s",
                       s->profile, e->type);
    for (const ig_deck_elements *e = d->elements; e && shape == 1; e = e->next)
      if (is(e->type, "B32R"))
        ig_import_fail(b, &s->at,
                       "*BEAM SECTION: SECTION=CIRC is computed for B32, not for B32R, which "
                       "CalculiX integrates at points of its own");
    const char *set = ig_import_named(b, &s->at, s->elset, IG_SET_ELEMENTS);
    ig_import_put(b, "{set: ");
    ig_import_name(b, set ? set : "");
    if (beam) {
      static const char *const profiles[] = {"rectangle", "ellipse", "pipe", "box"};
      const double size[2] = {s->size[0], s->sizes > 1 ? s->size[1] : s->size[0]};
      const double round[2] = {2 * s->size[0], 2 * s->size[0]}; /* of a radius */
      ig_import_put(b, ", profile: %s", profiles[shape]);
      reals_put(b, "size", shape == 2 ? round : size, 2);
      if (shape > 1)
        reals_put(b, "wall", s->size + (shape == 2 ? 1 : 2), shape == 2 ? 1 : 4);
      reals_put(b, "direction", s->direction, 3);
      if (s->offset[0] != 0 || s->offset[1] != 0)
        reals_put(b, "offset", s->offset, 2);
    } else {
      ig_import_put(b, ", thickness: ");
      ig_import_real(b, s->size[0]);
      if (s->offset[0] != 0) {
        ig_import_put(b, ", offset: ");
        ig_import_real(b, s->offset[0]);
      }
    }
    ig_import_put(b, s->nodal ? ", nodal: true}" : "}");
    ig_import_end(b, beam ? "beams" : "shells", true, s->at);
  }
  for (const ig_deck_value *v = d->thickness; v && b->status == IG_OK; v = v->next) {
    const char *set = ig_import_set(b, &v->at, v->target, IG_SET_NODES);
    ig_import_put(b, "{set: ");
    ig_import_name(b, set ? set : "");
    reals_put(b, "thickness", v->value, 2);
    ig_import_put(b, "}");
    ig_import_end(b, "thicknesses", true, v->at);
  }
  for (const ig_deck_value *v = d->normal; v && b->status == IG_OK; v = v->next) {
    ig_import_put(b, "{element: %s, node: %d", v->target, v->component);
    reals_put(b, "normal", v->value, 3);
    ig_import_put(b, "}");
    ig_import_end(b, "normals", true, v->at);
  }
}

/* Areas of trusses: what a *SOLID SECTION gives where a deck has some; other elements of its set
   are no lines and not concerned. */
static void trusses_put(ig_importer *b) {
  bool bars = false;
  for (const ig_deck_elements *e = b->d->elements; e; e = e->next)
    bars |= is(e->type, "T3D2") || is(e->type, "T3D3");
  for (const ig_deck_section *s = b->d->section; s && b->status == IG_OK; s = s->next) {
    if (!s->sizes || strcmp(s->kind, "SOLIDSECTION") != 0)
      continue;
    if (!bars && s->size[0] != 1 && s->size[0] != 0)
      ig_import_fail(b, &s->at,
                     "*SOLID SECTION: a thickness or an area is for elements in the plane and "
                     "trusses");
    if (!bars || !(s->size[0] > 0))
      continue;
    const char *set = ig_import_named(b, &s->at, s->elset, IG_SET_ELEMENTS);
    ig_import_put(b, "{set: ");
    ig_import_name(b, set ? set : "");
    ig_import_put(b, ", area: ");
    ig_import_real(b, s->size[0]);
    ig_import_put(b, "}");
    ig_import_end(b, "trusses", true, s->at);
  }
}

/* One entry for all where the deck has one type of element, else one per *ELEMENT card, which
   then needs a set. Sections end with the axes of orthotropic materials. */
void ig_import_sections(ig_importer *b) {
  const ig_deck *d = b->d;
  const ig_deck_elements *first = d->elements;
  bool mixed = false;
  while (first && ig_deck_is_point(first->type))
    first = first->next;
  for (const ig_deck_elements *e = d->elements; e; e = e->next) {
    if (ig_deck_is_point(e->type))
      continue;
    if (!integration_of(e->type)) {
      ig_import_fail(b, &e->at,
                     "*ELEMENT: elements of type %.40s are not computed: expected C3D4, "
                     "C3D6, C3D8, C3D8I, C3D10, C3D15, C3D20, C3D20R, S3, S4, S6, S8, S8R, B31, "
                     "B32, B32R, T3D2 or T3D3",
                     e->type);
      return;
    }
    replacement_check(b, e);
    mixed |= !is(e->type, first->type);
  }
  if (!first)
    return;
  trusses_put(b);
  if (!mixed) {
    ig_import_put(b, "{integration: %s}", integration_of(first->type));
    ig_import_end(b, "sections", true, first->at);
  } else {
    for (const ig_deck_elements *e = d->elements; e; e = e->next) {
      if (ig_deck_is_point(e->type))
        continue;
      if (!e->elset) {
        ig_import_fail(b, &e->at, "*ELEMENT: types differ in this deck: give each an ELSET=");
        return;
      }
      ig_import_put(b, "{set: ");
      ig_import_name(b, ig_import_named(b, &e->at, e->elset, IG_SET_ELEMENTS));
      ig_import_put(b, ", integration: %s}", integration_of(e->type));
      ig_import_end(b, "sections", true, e->at);
    }
  }
  shapes_put(b);
  for (const ig_deck_section *s = d->section; s; s = s->next) {
    if (!s->orientation)
      continue;
    const ig_deck_axes *x = axes_named(d, s->orientation);
    if (!x) {
      ig_import_fail(b, &s->at, "no *ORIENTATION is named '%.60s'", s->orientation);
      return;
    }
    ig_import_put(b, "{set: ");
    const char *set = ig_import_named(b, &s->at, s->elset, IG_SET_ELEMENTS);
    ig_import_name(b, set ? set : "");
    ig_import_put(b, ", ");
    axes_put(b, x);
    ig_import_put(b, "}");
    ig_import_end(b, "material_axes", true, x->at);
  }
}

/* *RIGID BODY and *COUPLING both become `couplings`. j->master is the reference node, j->slave
   the coupled surface or set. */
static void coupling_put(ig_importer *b, const ig_deck_join *j) {
  static const char *const letters[] = {"x", "y", "z", "rx", "ry", "rz"};
  const bool rigid = strcmp(j->kind, "RIGIDBODY") == 0;
  if (!rigid && !j->type)
    ig_import_fail(b, &j->at, "*COUPLING: expected *KINEMATIC or *DISTRIBUTING after it");
  const ig_deck_axes *axes = j->orientation ? axes_named(b->d, j->orientation) : NULL;
  if (j->orientation && !axes)
    ig_import_fail(b, &j->at, "no *ORIENTATION is named '%.60s'", j->orientation);
  const ig_set_kind kind = IG_SET_NODES;
  const char *node = ig_import_set(b, &j->at, j->master, IG_SET_NODES);
  const char *turn = j->rotation ? ig_import_set(b, &j->at, j->rotation, IG_SET_NODES) : NULL;
  const char *set = ig_import_set(b, &j->at, j->slave, kind);
  if (!node || !set)
    return;
  ig_import_put(b, "{node: ");
  ig_import_name(b, node);
  ig_import_put(b, ", set: ");
  ig_import_name(b, set);
  if (turn) {
    ig_import_put(b, ", rotation_node: ");
    ig_import_name(b, turn);
  }
  ig_import_put(b, ", kind: %s",
                rigid                               ? "rigid"
                : strcmp(j->type, "KINEMATIC") == 0 ? "kinematic"
                                                    : "distributing");
  if (!rigid && strcmp(j->type, "KINEMATIC") == 0) {
    ig_import_put(b, ", components: '");
    for (int c = 0; c < 6; c++)
      if (j->component[c])
        ig_import_put(b, "%s ", letters[c]);
    ig_import_put(b, "'");
  }
  if (axes) {
    ig_import_put(b, ", axes: %s", axes->cylindrical ? "cylindrical" : "rectangular");
    reals_put(b, "a", axes->a, 3);
    reals_put(b, "b", axes->b, 3);
  }
  ig_import_put(b, "}");
  ig_import_end(b, "couplings", true, j->at);
}

/* A slave name that is a node set and no surface is node-to-face contact. LINEAR then has a
   second number, the tension of CalculiX's regularised law. EXPONENTIAL gives distance,
   pressure; `decay` has pressure, distance. */
static void contact_put(ig_importer *b, const ig_deck_join *j) {
  const ig_deck_interaction *i = b->d->interaction;
  while (i && !is(i->name, j->interaction))
    i = i->next;
  if (!i) {
    ig_import_fail(b, &j->at, "no *SURFACE INTERACTION is named '%.60s'", j->interaction);
    return;
  }
  const size_t length = strlen(j->slave);
  /* A name may be both; the surface counts then. */
  const bool nodes = ig_namemap_get(&b->d->name_of, IG_SET_FACES, j->slave, length) < 0 &&
                     ig_namemap_get(&b->d->name_of, IG_SET_NODES, j->slave, length) >= 0;
  const char *slave = ig_import_set(b, &j->at, j->slave, nodes ? IG_SET_NODES : IG_SET_FACES);
  const char *master = ig_import_set(b, &j->at, j->master, IG_SET_FACES);
  if (!slave || !master)
    return;
  ig_import_put(b, "{set: ");
  ig_import_name(b, slave);
  if (nodes)
    ig_import_put(b, ", of: nodes");
  if (nodes && is(i->overclosure, "LINEAR") && i->values > 1) {
    ig_import_put(b, ", tension: ");
    ig_import_real(b, i->value[1]);
  }
  ig_import_put(b, ", to: ");
  ig_import_name(b, master);
  if (is(i->overclosure, "EXPONENTIAL")) {
    /* CalculiX: c0 is the clearance at which the pressure is 1 % of p0, p0 that at no clearance. */
    ig_import_put(b, ", decay: [");
    ig_import_real(b, i->value[1]);
    ig_import_put(b, ", ");
    ig_import_real(b, i->value[0]);
    ig_import_put(b, "], length: 1");
  } else if (is(i->overclosure, "HARD")) {
    ig_import_put(b, ", length: 1"); /* CalculiX: 50 times Young's modulus, in the deck's units */
  } else {
    ig_import_put(b, ", stiffness: ");
    ig_import_real(b, i->value[0]);
  }
  if (is(i->overclosure, "TIED")) {
    ig_import_put(b, ", tied: true");
  } else if (i->friction > 0) {
    ig_import_put(b, ", friction: ");
    ig_import_real(b, i->friction);
    if (!isnan(i->stick)) {
      ig_import_put(b, ", stick: ");
      ig_import_real(b, i->stick);
    }
  }
  if (j->small)
    ig_import_put(b, ", sliding: small");
  if (!isnan(j->clearance)) {
    ig_import_put(b, ", clearance: ");
    ig_import_real(b, j->clearance);
  }
  /* Tangential damping is a fraction of the normal one (TANGENT FRACTION). */
  if (i->damping > 0) {
    ig_import_put(b, ", damping: ");
    ig_import_real(b, i->damping);
    ig_import_put(b, ", tangential: ");
    ig_import_real(b, i->tangential);
  }
  if (j->onto) {
    /* ADJUST= is a distance if it reads as a number, else the name of a node set. */
    char *end;
    const double distance = ig_decimal_read(j->onto, &end);
    if (*end || end == j->onto) {
      const char *moved = ig_import_set(b, &j->at, j->onto, IG_SET_NODES);
      ig_import_put(b, ", adjust_nodes: ");
      ig_import_name(b, moved ? moved : "");
    } else {
      ig_import_put(b, ", adjust: ");
      ig_import_real(b, distance);
    }
  }
  /* `without`: steps in which *MODEL CHANGE has switched the pair off; 63 at most (a bit each). */
  int steps = 0, put = 0;
  for (const ig_deck_step *t = b->d->step; t; t = t->next)
    steps++;
  for (int k = 1; k <= steps && k < 64; k++)
    if (j->without >> k & 1)
      ig_import_put(b, put++ ? ", %d" : ", without: [%d", k);
  ig_import_put(b, put ? "]}" : "}");
  ig_import_end(b, "contacts", true, j->at);
}

/* *TRANSFORM, *EQUATION, *TIE, *CONTACT PAIR, *RIGID BODY and *COUPLING, in this order of keys. */
void ig_import_joins(ig_importer *b) {
  static const char *const letters[] = {"x", "y", "z", "rx", "ry", "rz"};
  const ig_deck *d = b->d;
  for (const ig_deck_axes *x = d->axes; x; x = x->next) {
    if (x->orientation)
      continue;
    const char *set = ig_import_named(b, &x->at, x->name, IG_SET_NODES);
    ig_import_put(b, "{set: ");
    ig_import_name(b, set ? set : "");
    ig_import_put(b, ", ");
    axes_put(b, x);
    ig_import_put(b, "}");
    ig_import_end(b, "axes", true, x->at);
  }
  for (const ig_deck_equation *e = d->equation; e && b->status == IG_OK; e = e->next) {
    ig_import_put(b, "{nodes: [");
    for (int i = 0; i < e->terms; i++)
      ig_import_put(b, "%s'%s'", i ? ", " : "", e->node[i]);
    ig_import_put(b, "], components: [");
    for (int i = 0; i < e->terms; i++)
      ig_import_put(b, "%s%s", i ? ", " : "", letters[e->component[i] - 1]);
    ig_import_put(b, "], factors: [");
    for (int i = 0; i < e->terms; i++) {
      ig_import_put(b, i ? ", " : "");
      ig_import_real(b, e->factor[i]);
    }
    ig_import_put(b, "]");
    if (e->first > 1)
      ig_import_put(b, ", first: %d", e->first);
    if (e->last)
      ig_import_put(b, ", last: %d", e->last);
    ig_import_put(b, "}");
    ig_import_end(b, "equations", true, e->at);
  }
  for (const ig_deck_join *j = d->join; j && b->status == IG_OK; j = j->next) {
    if (strcmp(j->kind, "TIE") == 0) {
      const char *slave = ig_import_set(b, &j->at, j->slave, IG_SET_NODES);
      const char *master = ig_import_set(b, &j->at, j->master, IG_SET_FACES);
      if (!slave || !master)
        return;
      ig_import_put(b, "{set: ");
      ig_import_name(b, slave);
      ig_import_put(b, ", to: ");
      ig_import_name(b, master);
      if (!isnan(j->tolerance)) {
        ig_import_put(b, ", distance: ");
        ig_import_real(b, j->tolerance);
      }
      ig_import_put(b, "%s}", j->adjust ? ", adjust: true" : "");
      ig_import_end(b, "ties", true, j->at);
    } else if (strcmp(j->kind, "CONTACTPAIR") == 0) {
      contact_put(b, j);
    } else {
      coupling_put(b, j);
    }
  }
}
