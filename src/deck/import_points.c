/* Springs, masses and distributing couplings of a case from elements of a deck that are no part of
   the mesh.

   Such elements have types SPRINGA, SPRING1, SPRING2, MASS, DCOUP3D. A deck names their elements
   by *ELEMENT with an ELSET, their properties by *SPRING, *MASS or *DISTRIBUTING COUPLING with
   the same ELSET: the two are brought together here. *MPC is here as well. */
#include "deck/import.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* Equal but for case; false for NULL. */
static bool is(const char *text, const char *word) {
  return text && strcasecmp(text, word) == 0;
}

/* False for a set with some elements of the mesh: it then has to be one of the mesh. */
bool ig_import_is_point(const ig_deck *d, const char *elset) {
  bool point = false;
  for (const ig_deck_elements *e = d->elements; e; e = e->next) {
    if (!is(e->elset, elset))
      continue;
    if (!ig_deck_is_point(e->type))
      return false;
    point = true;
  }
  return point;
}

/* A number of a data line; 0 after a failure, which is in b->status. */
static double field(ig_importer *b, const ig_card *card, const ig_card_line *l, int at,
                    double fallback) {
  double value = 0;
  if (b->status == IG_OK)
    b->status = ig_card_real(b->d, card, l, at, fallback, &value);
  return value;
}

/* *SPRING: a line with components (blank of SPRINGA), then the stiffness, or with NONLINEAR lines
   of force and elongation.
   A deck writes force, elongation; a case has the curve over elongation. */
static void spring_law(ig_importer *b, const ig_deck_point *p, const ig_card_line *l) {
  const ig_card *card = p->card;
  if (!ig_card_get(card, "NONLINEAR")) {
    ig_import_put(b, ", stiffness: ");
    ig_import_real(b, field(b, card, l, 0, NAN));
    if (l->next)
      ig_import_fail(b, &p->at, "*SPRING: a stiffness over temperature is not computed");
    return;
  }
  ig_import_put(b, ", curve: [");
  for (const ig_card_line *row = l; row; row = row->next) {
    ig_import_put(b, row == l ? "[" : ", [");
    ig_import_real(b, field(b, card, row, 1, NAN));
    ig_import_put(b, ", ");
    ig_import_real(b, field(b, card, row, 0, NAN));
    ig_import_put(b, "]");
  }
  ig_import_put(b, "]");
}

/* One spring per data line of the *ELEMENT card: number, node, node. SPRINGA acts along its
   line, SPRING1 on one component of a node, SPRING2 between components of two nodes. */
static void spring_put(ig_importer *b, const ig_deck_point *p, const ig_deck_elements *e) {
  static const char *const letters[] = {"x", "y", "z", "rx", "ry", "rz"};
  /* Nodes of the spring. A data line of the element has its number first. */
  const int ends = is(e->type, "SPRING1") ? 1 : 2;
  const bool along = is(e->type, "SPRINGA");
  const ig_card_line *law = p->card->line;
  int64_t component[2] = {1, 1};
  if (!along && !is(e->type, "SPRING1") && !is(e->type, "SPRING2"))
    ig_import_fail(b, &e->at, "*ELEMENT: %.40s: expected SPRINGA, SPRING1 or SPRING2", e->type);
  for (int i = 0; i < ends && !along && law && b->status == IG_OK; i++) {
    b->status = ig_card_int(b->d, p->card, law, i, i ? component[0] : 0, &component[i]);
    if (component[i] < 1 || component[i] > 6)
      ig_import_fail(b, &p->at, "*SPRING: expected components from 1 to 6");
  }
  law = law && !along ? law->next : law;
  if (!law) {
    ig_import_fail(b, &p->at, "*SPRING: expected a line with the stiffness");
    return;
  }
  for (const ig_card_line *l = e->card->line; l && b->status == IG_OK; l = l->next) {
    if (l->count < 1 + ends) {
      const ig_src at = ig_card_line_at(e->card, l);
      ig_import_fail(b, &at, "*ELEMENT: expected %d nodes of a spring", ends);
      return;
    }
    ig_import_put(b, "{nodes: ['%s'", ig_card_text(l, 1));
    ig_import_put(b, ends > 1 ? ", '%s']" : "]", ig_card_text(l, 2));
    if (!along) {
      ig_import_put(b, ", components: [%s", letters[component[0] - 1]);
      ig_import_put(b, ends > 1 ? ", %s]" : "]", letters[component[1] - 1]);
    }
    spring_law(b, p, law);
    ig_import_put(b, "}");
    ig_import_end(b, "springs", true, ig_card_line_at(e->card, l));
  }
}

/* The elements of the set become a set of nodes of the same name, so that *DLOAD, GRAV on the
   set finds it (import_steps.c, load_put). */
static void mass_put(ig_importer *b, const ig_deck_point *p, const ig_deck_elements *e) {
  const ig_src at = p->at;
  if (!p->card->line) {
    ig_import_fail(b, &at, "*MASS: expected a line with the mass");
    return;
  }
  const double mass = field(b, p->card, p->card->line, 0, NAN);
  ig_import_put(b, "{name: ");
  ig_import_name(b, p->elset);
  ig_import_put(b, ", of: nodes, numbers: [");
  for (const ig_card_line *l = e->card->line; l; l = l->next)
    ig_import_put(b, l == e->card->line ? "%s" : ", %s", ig_card_text(l, 1));
  ig_import_put(b, "]}");
  ig_import_end(b, "mesh.sets", true, at);
  ig_import_put(b, "{set: ");
  ig_import_name(b, p->elset);
  ig_import_put(b, ", mass: ");
  ig_import_real(b, mass);
  ig_import_put(b, "}");
  ig_import_end(b, "masses", true, at);
}

/* *DISTRIBUTING COUPLING of the node of an element DCOUP3D: nodes with equal weights.
   `kind: mean` has no rotations: a DCOUP3D element in CalculiX couples displacements alone. */
static void distribute_put(ig_importer *b, const ig_deck_point *p, const ig_deck_elements *e) {
  const ig_card_line *l = p->card->line, *of = e->card->line;
  if (!l || l->next || !of || of->next) {
    ig_import_fail(b, &p->at,
                   "*DISTRIBUTING COUPLING: expected one element DCOUP3D, and one line "
                   "with a set of nodes and their weight");
    return;
  }
  const char *node = ig_import_set(b, &p->at, ig_card_text(of, 1), IG_SET_NODES);
  const char *set = ig_import_set(b, &p->at, ig_card_text(l, 0), IG_SET_NODES);
  if (!node || !set)
    return;
  ig_import_put(b, "{node: ");
  ig_import_name(b, node);
  ig_import_put(b, ", set: ");
  ig_import_name(b, set);
  ig_import_put(b, ", kind: mean}");
  ig_import_end(b, "couplings", true, p->at);
}

/* *MPC: a type and nodes; lines that begin with a number go on.
   CalculiX lists each node of MEANROT three times: repetitions in a row are dropped here. The last
   node is the one whose first component is the angle; it becomes `node`. Other types have their
   nodes in order. A *MPC of a type but MEANROT is nonlinear, which turns on large displacements in
   all steps, as CalculiX does. */
static void joints_put(ig_importer *b, const ig_card *card) {
  static const struct {
    const char *type, *kind;
  } all[] = {{"BEAM", "distance"},
             {"STRAIGHT", "straight"},
             {"PLANE", "plane"},
             {"MEANROT", "mean_rotation"}};
  for (const ig_card_line *l = card->line; l && b->status == IG_OK;) {
    const ig_src at = ig_card_line_at(card, l);
    const char *kind = NULL, *last = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
      kind = is(ig_card_text(l, 0), all[i].type) ? all[i].kind : kind;
    if (!kind) {
      ig_import_fail(b, &at,
                     "*MPC: %.40s is not computed: expected BEAM, STRAIGHT, PLANE or MEANROT",
                     ig_card_text(l, 0));
      return;
    }
    /* MEANROT is linearised in small displacements, the other types are not. */
    const bool turns = strcmp(kind, "mean_rotation") == 0;
    for (ig_deck_step *t = b->d->step; t && !turns && b->status == IG_OK; t = t->next) {
      if (!t->nlgeom) /* as in CalculiX */
        b->status = ig_deck_note(b->d, &t->at,
                                 "*STEP: with *MPC %s displacements are large, as with NLGEOM",
                                 ig_card_text(l, 0));
      t->nlgeom = true;
    }
    int put = 0;
    ig_import_put(b, "{kind: %s, nodes: [", kind);
    for (const ig_card_line *row = l; row; row = row->next) {
      if (row != l && !ig_is_number(ig_card_text(row, 0)))
        break;
      for (int f = row == l; f < row->count; f++) {
        if (last && (put == 0 || !turns || !is(last, ig_card_text(row, f)))) /* the last is kept */
          ig_import_put(b, put++ ? ", '%s'" : "'%s'", last);
        last = ig_card_text(row, f);
      }
    }
    if (last && !turns)
      ig_import_put(b, put ? ", '%s'" : "'%s'", last);
    ig_import_put(b, "]");
    if (turns && last)
      ig_import_put(b, ", node: '%s'", last);
    ig_import_put(b, "}");
    ig_import_end(b, "joints", true, at);
    do
      l = l->next;
    while (l && ig_is_number(ig_card_text(l, 0)));
  }
}

/* Checks both ways: every property card finds elements, and every element a property card. */
void ig_import_points(ig_importer *b) {
  for (const ig_deck_point *p = b->d->mpc; p && b->status == IG_OK; p = p->next)
    joints_put(b, p->card);
  for (const ig_deck_point *p = b->d->point; p && b->status == IG_OK; p = p->next) {
    bool found = false;
    for (const ig_deck_elements *e = b->d->elements; e && b->status == IG_OK; e = e->next) {
      if (!is(e->elset, p->elset))
        continue;
      const bool fits = strcmp(p->card->word, "SPRING") == 0
                            ? strncasecmp(e->type, "SPRING", 6) == 0
                        : strcmp(p->card->word, "MASS") == 0 ? is(e->type, "MASS")
                                                             : is(e->type, "DCOUP3D");
      if (!fits)
        ig_import_fail(b, &p->at, "*%s: elements of set %.60s are of type %.40s", p->card->word,
                       p->elset, e->type);
      else if (strcmp(p->card->word, "SPRING") == 0)
        spring_put(b, p, e);
      else if (strcmp(p->card->word, "MASS") == 0)
        mass_put(b, p, e);
      else
        distribute_put(b, p, e);
      found = true;
    }
    if (!found)
      ig_import_fail(b, &p->at, "*%s: no *ELEMENT card makes the set %.60s", p->card->word,
                     p->elset);
  }
  for (const ig_deck_elements *e = b->d->elements; e && b->status == IG_OK; e = e->next) {
    bool used = !ig_deck_is_point(e->type);
    for (const ig_deck_point *p = b->d->point; p; p = p->next)
      used |= is(e->elset, p->elset);
    if (!used)
      ig_import_fail(b, &e->at,
                     "*ELEMENT: elements %.40s have no *SPRING, *MASS or *DISTRIBUTING "
                     "COUPLING with their ELSET=",
                     e->type);
  }
}
