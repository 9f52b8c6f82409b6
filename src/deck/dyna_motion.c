/* What holds, moves and touches: constraints, prescribed motions, loads, initial velocities, walls
   and contact of an LS-DYNA deck as entries of a case. */
#include "deck/dyna.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of a list of components, x y z rx ry rz. */
static const char *const component[6] = {"x", "y", "z", "rx", "ry", "rz"};

static const ig_dyna_line *after(const ig_dyna_line *row) {
  return row ? row->next : NULL;
}

static bool ends(const ig_dyna_card *c, const char *tail) {
  const size_t n = strlen(c->word), t = strlen(tail);
  return n >= t && strcmp(c->word + n - t, tail) == 0;
}

const char *ig_dyna_set(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                        ig_dyna_kind kind, int64_t id) {
  static const char *const words[] = {"NODE", "SEGMENT", "SOLID", "SHELL", "BEAM", "PART"};
  for (int i = 0; i < k->found.sets; i++)
    if (k->found.set[i].kind == kind && k->found.set[i].id == id)
      return k->found.set[i].name;
  ig_dyna_fail(k, c, row, "there is no *SET_%s_LIST %lld", words[kind], (long long)id);
  return NULL;
}

/* The nodes that a field names: a set of them, or one. */
static const char *nodes_of(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int64_t id,
                            bool set) {
  char number[32];
  const ig_src at = ig_dyna_at(c, row);
  if (k->b.status != IG_OK)
    return NULL;
  if (set)
    return ig_dyna_set(k, c, row, IG_DYNA_NODES, id);
  if (id < 1) {
    ig_dyna_fail(k, c, row, "node %lld: expected a number from 1", (long long)id);
    return NULL;
  }
  snprintf(number, sizeof number, "%lld", (long long)id);
  return ig_import_set(&k->b, &at, number, IG_SET_NODES);
}

/* --- supports */

/* An entry that fixes components; rotations where nodes have them. */
static void fix_put(ig_dyna *k, ig_src at, const char *set, const bool on[6]) {
  int count = 0;
  if (!set)
    return;
  for (int i = 0; i < (k->turns ? 6 : 3); i++)
    count += on[i];
  if (count == 0)
    return;
  ig_import_put(&k->b, "{set: ");
  ig_import_name(&k->b, set);
  ig_import_put(&k->b, ", fix: '");
  for (int i = 0, n = 0; i < (k->turns ? 6 : 3); i++)
    if (on[i])
      ig_import_put(&k->b, "%s%s", n++ ? " " : "", component[i]);
  ig_import_put(&k->b, "'}");
  ig_import_end(&k->b, "supports", true, at);
}

void ig_dyna_spc(ig_dyna *k, const ig_dyna_card *c) {
  for (const ig_dyna_line *row = c->line; row && k->b.status == IG_OK; row = row->next) {
    row = c->titled && row->next ? row->next : row;
    const char *set = nodes_of(k, c, row, ig_dyna_int(k, c, row, 0), ends(c, "_SET"));
    bool on[6];
    ig_dyna_empty(k, c, row, 1, 2, "local axes are not part of a case");
    for (int i = 0; i < 6; i++)
      on[i] = ig_dyna_int(k, c, row, 2 + i) != 0;
    fix_put(k, ig_dyna_at(c, row), set, on);
  }
}

/* Constraints in the lines of *NODE, by code: a set for each pair of codes. */
void ig_dyna_fixed_put(ig_dyna *k) {
  static const int code[8] = {0, 1, 2, 4, 3, 6, 5, 7}; /* bits x y z */
  const ig_src at = {k->b.d->path, 1, 1, true};
  for (int moves = 0; moves < 8; moves++)
    for (int turns = 0; turns < 8; turns++) {
      int64_t count = 0;
      bool on[6];
      char name[40];
      snprintf(name, sizeof name, "constraint %d %d of nodes", moves, turns);
      for (int i = 0; i < 6; i++)
        on[i] = (i < 3 ? code[moves] : code[turns]) >> (i % 3) & 1;
      if (!moves && (!turns || !k->turns))
        continue;
      for (int64_t i = 0; i < k->found.fixed; i++) {
        if (k->found.fix[i].moves != moves || k->found.fix[i].turns != turns)
          continue;
        if (count++ == 0)
          ig_import_put(&k->b, "{name: '%s', of: nodes, numbers: [", name);
        ig_import_put(&k->b, "%s%lld", count > 1 ? ", " : "", (long long)k->found.fix[i].node);
      }
      if (count == 0)
        continue;
      ig_import_put(&k->b, "]}");
      ig_import_end(&k->b, "mesh.sets", true, at);
      fix_put(k, at, name, on);
    }
}

/* Fields 2 and on of a prescribed motion: component, kind, curve, factor. */
typedef struct {
  int64_t dof, kind;
  const ig_dyna_curve *curve;
  double factor;
} moved;

static moved moved_read(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row) {
  moved m = {.dof = ig_dyna_int(k, c, row, 1),
             .kind = ig_dyna_int(k, c, row, 2),
             .factor = ig_dyna_real(k, c, row, 4, 1)};
  const double death = ig_dyna_real(k, c, row, 6, 0);
  if (m.dof < 1 || m.dof > 3)
    ig_dyna_fail(k, c, row, "DOF %lld: expected 1, 2 or 3", (long long)m.dof);
  if (m.kind < 0 || m.kind > 2)
    ig_dyna_fail(k, c, row, "VAD %lld: expected 0 (velocity), 1 or 2", (long long)m.kind);
  if (death > 0 && death < k->end)
    ig_dyna_fail(k, c, row, "the motion ends at %g: a case has no end of a support", death);
  ig_dyna_empty(k, c, row, 7, 8, "a motion that begins later is not part of a case");
  m.curve = ig_dyna_curve_find(k, c, row, ig_dyna_int(k, c, row, 3));
  return m;
}

static const char *const motions[] = {"velocity", "acceleration", "displacement"};

void ig_dyna_motion(ig_dyna *k, const ig_dyna_card *c) {
  for (const ig_dyna_line *row = c->line; row && k->b.status == IG_OK; row = row->next) {
    row = c->titled && row->next ? row->next : row;
    const char *set = nodes_of(k, c, row, ig_dyna_int(k, c, row, 0), ends(c, "_SET"));
    const moved m = moved_read(k, c, row);
    if (k->b.status != IG_OK)
      return;
    ig_import_put(&k->b, "{set: ");
    ig_import_name(&k->b, set);
    ig_import_put(&k->b, ", components: %s, %s: [", component[m.dof - 1], motions[m.kind]);
    for (int i = 0; i < 3; i++) {
      ig_import_put(&k->b, i ? ", " : "");
      ig_dyna_put(k, i == m.dof - 1 ? m.factor : 0, 1, 0, m.kind == 2 ? 0 : (int)(-1 - m.kind));
    }
    ig_import_put(&k->b, "]");
    ig_dyna_history(k, c, row, m.curve);
    ig_import_put(&k->b, "}");
    ig_import_end(&k->b, "supports", true, ig_dyna_at(c, row));
  }
}

/* Components of one body share the kind of motion and the curve: a body has one history. */
void ig_dyna_drive_read(ig_dyna *k, const ig_dyna_card *c) {
  for (const ig_dyna_line *row = c->line; row && k->b.status == IG_OK; row = row->next) {
    row = c->titled && row->next ? row->next : row;
    const int64_t part = ig_dyna_int(k, c, row, 0);
    const moved m = moved_read(k, c, row);
    ig_dyna_drive *drive = k->drive;
    if (k->b.status != IG_OK)
      return;
    while (drive && drive->part != part)
      drive = drive->next;
    if (!drive) {
      k->b.status = IG_DECK_ADD(k->b.d, &k->drive, &drive);
      if (k->b.status != IG_OK)
        return;
      drive->at = ig_dyna_at(c, row);
      drive->part = part;
      drive->kind = (int)m.kind;
      drive->curve = m.curve;
      drive->value[0] = drive->value[1] = drive->value[2] = NAN;
    }
    if (drive->kind != m.kind || drive->curve != m.curve)
      ig_dyna_fail(k, c, row, "part %lld moves by two curves or kinds of motion: expected one",
                   (long long)part);
    drive->value[m.dof - 1] = m.factor;
  }
}

void ig_dyna_rigid_nodes(ig_dyna *k, const ig_dyna_card *c) {
  for (const ig_dyna_line *row = c->line; row && k->b.status == IG_OK; row = row->next) {
    row = c->titled && row->next ? row->next : row;
    const char *set = nodes_of(k, c, row, ig_dyna_int(k, c, row, 2), true);
    ig_dyna_empty(k, c, row, 1, 2, "local axes are not part of a case");
    ig_dyna_empty(k, c, row, 3, 4, "a node of reference is not part of a case");
    if (!set)
      return;
    ig_import_put(&k->b, "{set: ");
    ig_import_name(&k->b, set);
    ig_import_put(&k->b, "}");
    ig_import_end(&k->b, "bodies", true, ig_dyna_at(c, row));
  }
}

/* --- loads */

void ig_dyna_load_node(ig_dyna *k, const ig_dyna_card *c) {
  for (const ig_dyna_line *row = c->line; row && k->b.status == IG_OK; row = row->next) {
    row = c->titled && row->next ? row->next : row;
    const char *set = nodes_of(k, c, row, ig_dyna_int(k, c, row, 0), ends(c, "_SET"));
    const int64_t dof = ig_dyna_int(k, c, row, 1);
    const bool moment = dof >= 5;
    if (dof < 1 || dof > 7 || dof == 4)
      ig_dyna_fail(k, c, row, "DOF %lld: expected 1 to 3 (force) or 5 to 7 (moment)",
                   (long long)dof);
    ig_dyna_empty(k, c, row, 4, 5, "local axes are not part of a case");
    const ig_dyna_curve *curve = ig_dyna_curve_find(k, c, row, ig_dyna_int(k, c, row, 2));
    if (k->b.status != IG_OK)
      return;
    ig_import_put(&k->b, "{set: ");
    ig_import_name(&k->b, set);
    ig_import_put(&k->b, ", %s: [", moment ? "moment" : "force");
    for (int i = 0; i < 3; i++) {
      ig_import_put(&k->b, i ? ", " : "");
      ig_dyna_put(k, (dof - 1) % 4 == i ? ig_dyna_real(k, c, row, 3, 1) : 0, moment ? 2 : 1, 1, -2);
    }
    ig_import_put(&k->b, "]");
    ig_dyna_history(k, c, row, curve);
    ig_import_put(&k->b, "}");
    ig_import_end(&k->b, "loads", true, ig_dyna_at(c, row));
  }
}

/* *LOAD_SEGMENT_SET: set, curve, factor, arrival; *LOAD_SEGMENT: curve, factor, arrival, nodes. */
void ig_dyna_load_segment(ig_dyna *k, const ig_dyna_card *c) {
  const bool set = ends(c, "_SET");
  for (const ig_dyna_line *row = c->line; row && k->b.status == IG_OK; row = row->next) {
    row = c->titled && row->next ? row->next : row;
    const int first = set ? 1 : 0;
    const ig_dyna_curve *curve = ig_dyna_curve_find(k, c, row, ig_dyna_int(k, c, row, first));
    const double factor = ig_dyna_real(k, c, row, first + 1, 1);
    ig_dyna_empty(k, c, row, first + 2, first + 3, "a load that arrives later is not understood");
    if (set) {
      const int64_t id = ig_dyna_int(k, c, row, 0);
      const char *name = ig_dyna_set(k, c, row, IG_DYNA_SEGMENTS, id);
      int64_t begin = 0, end;
      if (!name)
        return;
      while (begin < k->found.segments &&
             strcmp(k->found.set[k->found.segment[begin].set].name, name) != 0)
        begin++;
      end = begin;
      while (end < k->found.segments && k->found.segment[end].set == k->found.segment[begin].set)
        end++;
      ig_dyna_segments_press(k, c, row, k->found.segment + begin, end - begin, name, factor, curve);
    } else {
      struct ig_dyna_segment one = {0};
      char name[48];
      for (int i = 0; i < 4; i++)
        one.node[i] = ig_dyna_int(k, c, row, 3 + i);
      snprintf(name, sizeof name, "segment of line %d", row->line);
      ig_dyna_segments_press(k, c, row, &one, 1, name, factor, curve);
    }
  }
}

void ig_dyna_load_shell(ig_dyna *k, const ig_dyna_card *c) {
  for (const ig_dyna_line *row = c->line; row && k->b.status == IG_OK; row = row->next) {
    row = c->titled && row->next ? row->next : row;
    const char *set = ig_dyna_set(k, c, row, IG_DYNA_SHELLS, ig_dyna_int(k, c, row, 0));
    const ig_dyna_curve *curve = ig_dyna_curve_find(k, c, row, ig_dyna_int(k, c, row, 1));
    ig_dyna_empty(k, c, row, 3, 4, "a load that arrives later is not understood");
    if (k->b.status != IG_OK)
      return;
    ig_import_put(&k->b, "{set: ");
    ig_import_name(&k->b, set);
    ig_import_put(&k->b, ", pressure: ");
    ig_dyna_put(k, ig_dyna_real(k, c, row, 2, 1), -1, 1, -2);
    ig_dyna_history(k, c, row, curve);
    ig_import_put(&k->b, "}");
    ig_import_end(&k->b, "loads", true, ig_dyna_at(c, row));
  }
}

/* The acceleration of the base: bodies feel the opposite one. */
void ig_dyna_load_body(ig_dyna *k, const ig_dyna_card *c) {
  const int axis = c->word[strlen(c->word) - 1] - 'X';
  const ig_dyna_line *row = ig_dyna_data(c);
  const ig_dyna_curve *curve = ig_dyna_curve_find(k, c, row, ig_dyna_int(k, c, row, 0));
  ig_dyna_empty(k, c, row, 6, 7, "local axes are not part of a case");
  if (k->gravity_curve && k->gravity_curve != curve)
    ig_dyna_fail(k, c, row, "body loads follow two curves: a case has one history of gravity");
  k->gravity[axis] -= ig_dyna_real(k, c, row, 1, 1);
  k->gravity_curve = curve;
  k->gravity_at = ig_dyna_at(c, row);
}

/* --- velocities at the start */

static void vector_put(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int first, int m,
                       int s) {
  for (int i = 0; i < 3; i++) {
    ig_import_put(&k->b, i ? ", " : "[");
    ig_dyna_put(k, ig_dyna_real(k, c, row, first + i, 0), m, 0, s);
  }
  ig_import_put(&k->b, "]");
}

static void initial_begin(ig_dyna *k, const char *set) {
  ig_import_put(&k->b, "{");
  if (set) {
    ig_import_put(&k->b, "set: ");
    ig_import_name(&k->b, set);
    ig_import_put(&k->b, ", ");
  }
  ig_import_put(&k->b, "velocity: ");
}

static const char *part_name(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                             int64_t id) {
  for (const ig_dyna_part *p = k->part; p; p = p->next)
    if (p->id == id && p->set)
      return p->name;
  ig_dyna_fail(k, c, row, "there is no part %lld with elements", (long long)id);
  return NULL;
}

static void generation(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row) {
  const int64_t id = ig_dyna_int(k, c, row, 0), type = ig_dyna_int(k, c, row, 1);
  const double omega = ig_dyna_real(k, c, row, 2, 0);
  const ig_dyna_line *second = after(row);
  const char *set = id == 0     ? NULL
                    : type == 1 ? ig_dyna_set(k, c, row, IG_DYNA_PARTS, id)
                    : type == 2 ? part_name(k, c, row, id)
                                : ig_dyna_set(k, c, row, IG_DYNA_NODES, id);
  if (type < 1 || type > 3)
    ig_dyna_fail(k, c, row, "STYP %lld: expected 1, 2 or 3", (long long)type);
  ig_dyna_empty(k, c, row, 6, 8, "stress and local axes are not understood");
  ig_dyna_empty(k, c, second, 6, 7, "velocities after the relaxation are not understood");
  initial_begin(k, set);
  vector_put(k, c, row, 3, 1, -1);
  if (omega != 0) {
    double n[3], size = 0;
    for (int i = 0; i < 3; i++)
      n[i] = ig_dyna_real(k, c, second, 3 + i, 0);
    size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(size > 0))
      ig_dyna_fail(k, c, second ? second : row, "expected the axis of the rotation, NX NY NZ");
    ig_import_put(&k->b, ", spin: ");
    for (int i = 0; i < 3; i++) {
      ig_import_put(&k->b, i ? ", " : "[");
      ig_dyna_put(k, omega * n[i] / size, 0, 0, -1);
    }
    ig_import_put(&k->b, "], about: ");
    vector_put(k, c, second, 0, 1, 0);
  }
  ig_import_put(&k->b, "}");
  ig_import_end(&k->b, "initial", true, ig_dyna_at(c, row));
}

/* *INITIAL_VELOCITY_NODE: rows of the same velocity become one entry. */
static void node_velocities(ig_dyna *k, const ig_dyna_card *c) {
  for (const ig_dyna_line *row = c->line, *next; row && k->b.status == IG_OK; row = next) {
    const ig_src at = ig_dyna_at(c, row);
    char name[48];
    double v[3];
    int64_t count = 0;
    for (int i = 0; i < 3; i++)
      v[i] = ig_dyna_real(k, c, row, 1 + i, 0);
    snprintf(name, sizeof name, "velocity of line %d", row->line);
    ig_import_put(&k->b, "{name: '%s', of: nodes, numbers: [", name);
    for (next = row; next && k->b.status == IG_OK; next = next->next) {
      const int64_t id = ig_dyna_int(k, c, next, 0);
      bool same = true;
      for (int i = 0; i < 3; i++)
        same = same && ig_dyna_real(k, c, next, 1 + i, 0) == v[i];
      if (!same)
        break;
      ig_dyna_empty(k, c, next, 4, 7, "rotations of single nodes are not understood");
      if (id < 1)
        ig_dyna_fail(k, c, next, "node %lld: expected a number from 1", (long long)id);
      ig_import_put(&k->b, "%s%lld", count++ ? ", " : "", (long long)id);
    }
    ig_import_put(&k->b, "]}");
    ig_import_end(&k->b, "mesh.sets", true, at);
    initial_begin(k, name);
    vector_put(k, c, row, 1, 1, -1);
    ig_import_put(&k->b, "}");
    ig_import_end(&k->b, "initial", true, at);
  }
}

/* Forms: two lines each of *INITIAL_VELOCITY and _GENERATION, one of _RIGID_BODY. */
void ig_dyna_initial(ig_dyna *k, const ig_dyna_card *c) {
  const bool plain = ends(c, "_VELOCITY"), generated = ends(c, "_GENERATION");
  if (ends(c, "_NODE")) {
    node_velocities(k, c);
    return;
  }
  for (const ig_dyna_line *row = c->line; row && k->b.status == IG_OK; row = after(row)) {
    const int64_t id = ig_dyna_int(k, c, row, 0);
    const ig_dyna_line *values = plain ? after(row) : row;
    if (generated) {
      generation(k, c, row);
      row = after(row);
      continue;
    }
    const char *set = !plain ? part_name(k, c, row, id)
                      : id   ? ig_dyna_set(k, c, row, IG_DYNA_NODES, id)
                             : NULL;
    if (plain) {
      ig_dyna_empty(k, c, row, 1, 4, "excluded nodes, boxes and rigid options are not understood");
      ig_dyna_empty(k, c, row, 4, 5, "local axes are not part of a case");
    }
    const int first = plain ? 0 : 1;
    ig_dyna_empty(k, c, values, first + 3, first + 6,
                  "rotations of single nodes are not understood");
    initial_begin(k, set);
    vector_put(k, c, values, first, 1, -1);
    ig_import_put(&k->b, "}");
    ig_import_end(&k->b, "initial", true, ig_dyna_at(c, row));
    row = values;
  }
}

/* --- walls and contact */

void ig_dyna_wall(ig_dyna *k, const ig_dyna_card *c) {
  for (const ig_dyna_line *row = c->line; row && k->b.status == IG_OK; row = after(row)) {
    row = c->titled && row->next ? row->next : row;
    const ig_dyna_line *second = after(row);
    const int64_t id = ig_dyna_int(k, c, row, 0);
    const double friction = ig_dyna_real(k, c, second, 6, 0), death = ig_dyna_real(k, c, row, 5, 0);
    if (id) {
      const char *name = ig_dyna_set(k, c, row, IG_DYNA_NODES, id);
      const ig_set *set = name ? ig_mesh_find_set(k->mesh, name, IG_SET_NODES) : NULL;
      if (set && set->count < k->mesh->nodes)
        ig_dyna_unanswered(k, c, row, "the wall is for %d of %d nodes; a tool is for all",
                           set->count, k->mesh->nodes);
    }
    ig_dyna_empty(k, c, row, 1, 5, "excluded nodes, boxes, offsets and births are not understood");
    if (death > 0 && death < k->end)
      ig_dyna_fail(k, c, row, "the wall ends at %g: a tool is there all the time", death);
    if (!second)
      ig_dyna_fail(k, c, row, "expected a second line with the wall's normal");
    if (friction < 0 || friction >= 1)
      ig_dyna_fail(k, c, second,
                   "FRIC %g: expected Coulomb friction below 1; nodes that stick are not part of a "
                   "case",
                   friction);
    ig_import_put(&k->b, "{shape: plane, point: ");
    vector_put(k, c, second, 0, 1, 0);
    ig_import_put(&k->b, ", axis: ");
    for (int i = 0; i < 3; i++) {
      ig_import_put(&k->b, i ? ", " : "[");
      ig_import_real(&k->b,
                     ig_dyna_real(k, c, second, 3 + i, 0) - ig_dyna_real(k, c, second, i, 0));
    }
    ig_import_put(&k->b, "]");
    if (friction > 0) {
      ig_import_put(&k->b, ", friction: ");
      ig_import_real(&k->b, friction);
    }
    ig_import_put(&k->b, "}");
    ig_import_end(&k->b, "tools", true, ig_dyna_at(c, row));
    row = second;
  }
}

/* Marks the parts that a side of a contact names. */
static void touches(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int64_t id,
                    int64_t type) {
  const bool all = type == 5 || (id == 0 && type != 3);
  const ig_set *set = NULL;
  if (!all && type == 2) {
    const char *name = ig_dyna_set(k, c, row, IG_DYNA_PARTS, id);
    set = name ? ig_mesh_find_set(k->mesh, name, IG_SET_ELEMENTS) : NULL;
  } else if (!all && type != 3) {
    ig_dyna_unanswered(k, c, row, "a set of type %lld: contact of a case is between all surfaces",
                       (long long)type);
    return;
  }
  for (ig_dyna_part *p = k->part; p; p = p->next) {
    bool in = all || (type == 3 && p->id == id);
    for (ig_lid i = 0; set && p->set && !in && i < set->count; i++)
      in = set->item[i] == p->set->item[0];
    p->touches |= in;
  }
}

/* Contact of a case is that of all surfaces with all, with one friction. */
void ig_dyna_contact(ig_dyna *k, const ig_dyna_card *c) {
  const ig_dyna_line *row = ig_dyna_data(c), *second = after(row), *third = after(second);
  const ig_dyna_line *optional[3] = {after(third)};
  const bool single = ends(c, "_SINGLE_SURFACE") || ends(c, "_GENERAL");
  if (!row) {
    ig_dyna_fail(k, c, NULL, "expected a line with the surfaces");
    return;
  }
  for (int i = 1; i < 3; i++)
    optional[i] = after(optional[i - 1]);
  touches(k, c, row, ig_dyna_int(k, c, row, 0), ig_dyna_int(k, c, row, 2));
  if (!single) {
    touches(k, c, row, ig_dyna_int(k, c, row, 1), ig_dyna_int(k, c, row, 3));
    ig_dyna_note(k, c, row, "contact is between all surfaces, of a part with itself, too");
  }
  ig_dyna_empty(k, c, row, 4, 6, "contact within boxes is not part of a case");
  const double fs = ig_dyna_real(k, c, second, 0, 0), fd = ig_dyna_real(k, c, second, 1, 0),
               decay = ig_dyna_real(k, c, second, 2, 0), birth = ig_dyna_real(k, c, second, 6, 0),
               death = ig_dyna_real(k, c, second, 7, 0);
  if (fs < 0)
    ig_dyna_fail(k, c, second, "FS %g: friction by parts or tables is not understood", fs);
  if (decay != 0 && fd != fs)
    ig_dyna_fail(k, c, second, "friction that falls with the velocity is not part of a case");
  if (birth > 0 || (death > 0 && death < k->end))
    ig_dyna_fail(k, c, second, "contact that begins or ends within the run is not understood");
  if (k->contact && k->friction != fs)
    ig_dyna_fail(k, c, second, "friction %g and %g: a case has one of all contacts", k->friction,
                 fs);
  if (ig_dyna_real(k, c, second, 3, 0) != 0)
    ig_dyna_fail(k, c, second, "viscous friction is not part of a case");
  if (ig_dyna_real(k, c, second, 4, 0) != 0)
    ig_dyna_note(k, c, second, "VDC: the damping of contact is Ingot's");
  for (int i = 2; i < 6; i++) {
    const double scale = ig_dyna_real(k, c, third, i, 0);
    if (scale != 0 && !(i >= 4 && scale == 1))
      ig_dyna_unanswered(k, c, third, "thicknesses of contact are those of the shells");
  }
  for (int i = 6; i < 8; i++) {
    const double scale = ig_dyna_real(k, c, third, i, 0);
    if (scale != 0 && scale != 1)
      ig_dyna_fail(k, c, third, "factors of friction are not understood: scale FS");
  }
  for (int i = 0; i < 2; i++) {
    const double scale = ig_dyna_real(k, c, third, i, 0);
    if (scale != 0 && scale != 1)
      ig_dyna_note(k, c, third, "the stiffness of contact is Ingot's");
  }
  if (ig_dyna_int(k, c, optional[2], 1) > 0)
    k->overlap = true;
  k->contact = true;
  k->contact_at = ig_dyna_at(c, row);
  k->friction = fs;
}

/* --- output */

/* Displacements and velocities of nodes as columns of the history. */
void ig_dyna_probes(ig_dyna *k, const ig_dyna_card *c) {
  static const char *const quantity[6] = {"ux", "uy", "uz", "vx", "vy", "vz"};
  const bool sets = ends(c, "_SET");
  for (const ig_dyna_line *row = c->line; row && k->b.status == IG_OK; row = row->next) {
    row = c->titled && row->next ? row->next : row;
    for (int i = 0; i < (c->titled ? 1 : 8); i++) {
      const int64_t id = ig_dyna_int(k, c, row, i);
      if (id == 0)
        continue;
      const char *set = nodes_of(k, c, row, id, sets);
      for (int q = 0; q < 6 && k->b.status == IG_OK; q++) {
        ig_import_put(&k->b, "{name: '%s %lld %s', set: ", sets ? "set" : "node", (long long)id,
                      quantity[q]);
        ig_import_name(&k->b, set);
        ig_import_put(&k->b, ", quantity: %s}", quantity[q]);
        ig_import_end(&k->b, "probes", true, ig_dyna_at(c, row));
      }
    }
  }
}
