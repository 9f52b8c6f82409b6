/* Parts of an Abaqus file and their instances, shifted and rotated. Node n of instance i (from 1)
   gets the number i << IG_ID_BITS | n, so that numbers of instances do not collide. */
#include "io/mesh/mesh_inp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- names */

static int instance_find(const ig_inp *in, const char *from, const char *stop) {
  return ig_namemap_get(&in->instance_of, 0, from, (size_t)(stop - from));
}

/* name has room for `size` letters with the zero. */
static ig_status name_take(ig_inp *in, const char *key, char *name, size_t size) {
  char *from, *stop;
  if (!ig_inp_parameter(&in->t, key, &from, &stop) || from == stop || stop - from >= (int)size)
    return ig_text_fail(&in->t, in->t.line, "expected %s=, a name of less than %zu letters", key,
                        size);
  snprintf(name, size, "%.*s", (int)(stop - from), from);
  return IG_OK;
}

/* A part collects nodes, elements and sets of its own until it is instantiated. */
ig_status ig_inp_part_begin(ig_inp *in) {
  IG_TRY(IG_MORE(in->t.cx, &in->part, in->parts, "parts"));
  in->part[in->parts] = (ig_inp_part){.g.cx = in->t.cx};
  IG_TRY(name_take(in, "NAME", in->part[in->parts].name, sizeof in->part->name));
  const char *name = in->part[in->parts].name;
  if (ig_namemap_get(&in->part_of, 0, name, strlen(name)) < 0 && /* of two the first counts */
      !ig_namemap_put(&in->part_of, 0, name, strlen(name), in->parts))
    return IG_FAIL(in->t.cx, IG_MEMORY, "no memory for a part");
  in->to = &in->part[in->parts++].g;
  return IG_OK;
}

/* Rotation about the line from a (v[0..2]) to b (v[3..5]) by v[6] degrees (Rodrigues' formula). */
static void turn(double *x, const double *v) {
  double axis[3], length = 0, r[3], dot = 0;
  for (int d = 0; d < 3; d++)
    length += pow(v[3 + d] - v[d], 2);
  length = sqrt(length);
  if (!(length > 0))
    return;
  for (int d = 0; d < 3; d++) {
    axis[d] = (v[3 + d] - v[d]) / length;
    r[d] = x[d] - v[d];
    dot += axis[d] * r[d];
  }
  const double c = cos(v[6] * M_PI / 180), s = sin(v[6] * M_PI / 180);
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    x[d] = v[d] + c * r[d] + s * (axis[e] * r[f] - axis[f] * r[e]) + (1 - c) * dot * axis[d];
  }
}

/* Up to two data lines of *INSTANCE: a shift, then a rotation (applied after the shift). */
static ig_status placing_read(ig_inp *in, double *shift, double *about, bool *turned) {
  char *from, *stop;
  *turned = false;
  for (int row = 0; row < 2 && ig_inp_data_line(in); row++) {
    double *v = row ? about : shift;
    char *p = in->t.line;
    for (int i = 0; i < (row ? 7 : 3) && p; i++) {
      ig_text_field(&in->t, &p, &from, &stop);
      if (from < stop)
        IG_TRY(ig_text_real(&in->t, from, stop, &v[i]));
    }
    *turned = row == 1;
  }
  return IG_OK;
}

static ig_status group_copy(ig_inp *in, const ig_group *from, const char *name, int64_t above) {
  ig_group *to = ig_mesh_build_group(&in->whole, name, strlen(name), from->kind);
  if (!to)
    return IG_FAIL(in->t.cx, IG_MEMORY, "no memory for a set");
  const int number = (int)(to - in->whole.group);
  to->gaps |= from->gaps;
  for (ig_lid k = 0; k < from->count; k++)
    IG_TRY(ig_mesh_build_member(&in->whole, &in->whole.group[number], above | from->id[k],
                                from->face[k]));
  return IG_OK;
}

/* Sets of a part become sets of the assembly; several instances of one part add to the same set. In
   a deck that is computed as it is each instance has its own besides, "Plate-1.Top". */
static ig_status groups_copy(ig_inp *in, const ig_gather *g, int64_t above, const char *instance) {
  for (int i = 0; i < g->groups; i++) {
    const ig_group *from = &g->group[i];
    char own[2 * sizeof from->name];
    IG_TRY(group_copy(in, from, from->name, above));
    const int length = snprintf(own, sizeof own, "%s.%s", instance, from->name);
    if (in->loose && length < (int)sizeof from->name)
      IG_TRY(group_copy(in, from, own, above));
  }
  return IG_OK;
}

/* The file's numbers of the nodes or cells of a gather, in their order: inverts the hash table. */
static ig_status numbers_of(ig_ctx *cx, const ig_idmap *map, int64_t **id) {
  IG_TRY(IG_NEW(cx, id, map->count + 1, "numbers"));
  for (size_t i = 0; map->key && i <= map->mask; i++)
    if (map->key[i])
      (*id)[map->value[i]] = map->key[i];
  return IG_OK;
}

/* Copies a part with shift and rotation; all its elements also form a set of the instance's name.
   Numbers of an instance are those of its part, with the instance's number in the bits above: so
   several instances of one part do not collide. */
static ig_status instance_copy(ig_inp *in, const ig_gather *g, int64_t above, const double *shift,
                               const double *about, bool turned, const char *name) {
  int64_t *node = NULL, *cell = NULL;
  bool twice;
  ig_status status = numbers_of(in->t.cx, &g->node_of, &node);
  if (status == IG_OK)
    status = numbers_of(in->t.cx, &g->cell_of, &cell);
  for (ig_lid n = 0; n < g->nodes && status == IG_OK; n++) {
    double x[3];
    /* First the shift, then the turn, as *INSTANCE has it. */
    for (size_t d = 0; d < 3; d++)
      x[d] = g->x[3 * (size_t)n + d] + shift[d];
    if (turned)
      turn(x, about);
    status = ig_mesh_build_node(&in->whole, above | node[n], x, &twice);
  }
  /* The instance is an element set too, by its name. */
  ig_group *set = ig_mesh_build_group(&in->whole, name, strlen(name), IG_SET_ELEMENTS);
  const int number = set ? (int)(set - in->whole.group) : -1;
  for (ig_lid c = 0; c < g->cells && status == IG_OK && set; c++) {
    int64_t corner[IG_CELL_MOST_NODES];
    for (int64_t i = g->offset[c]; i < g->offset[c + 1]; i++)
      corner[i - g->offset[c]] = above | g->corner[i];
    status =
        ig_mesh_build_cell(&in->whole, above | cell[c], g->type[c], in->instances, corner, &twice);
    if (status == IG_OK)
      status = ig_mesh_build_member(&in->whole, &in->whole.group[number], above | cell[c], 0);
  }
  free(node);
  free(cell);
  return status == IG_OK ? groups_copy(in, g, above, name) : status;
}

/* The set of the instance must be a valid name, so it is shorter than the name of a part. A shift,
   then a turn about an axis given by two points and an angle in degrees (Abaqus, *INSTANCE). */
ig_status ig_inp_instance_read(ig_inp *in) {
  char name[80], of[80];
  double shift[3] = {0, 0, 0}, about[7] = {0, 0, 0, 0, 0, 0, 0};
  bool turned;
  IG_TRY(name_take(in, "NAME", name, 54));
  IG_TRY(name_take(in, "PART", of, sizeof of));
  const int k = ig_namemap_get(&in->part_of, 0, of, strlen(of));
  if (k < 0)
    return ig_text_fail(&in->t, in->t.line, "an instance of part '%s', which is not in the file",
                        of);
  if (in->instances >= 1 << 20 || instance_find(in, name, name + strlen(name)) >= 0)
    return ig_text_fail(&in->t, in->t.line, "instance '%s' comes twice", name);
  IG_TRY(IG_MORE(in->t.cx, &in->instance, in->instances, "instances"));
  if (!ig_namemap_put(&in->instance_of, 0, name, strlen(name), in->instances))
    return IG_FAIL(in->t.cx, IG_MEMORY, "no memory for an instance");
  in->instance[in->instances] = (ig_inp_instance){.part = k};
  memcpy(in->instance[in->instances++].name, name, sizeof name);
  in->to = &in->whole;
  IG_TRY(placing_read(in, shift, about, &turned));
  for (char *c = name; *c; c++)
    *c = *c == '/' ? '_' : *c;
  return instance_copy(in, &in->part[k].g, (int64_t)in->instances << IG_ID_BITS, shift, about,
                       turned, name);
}

/* Several parts without instances have no places. */
ig_status ig_inp_part_alone(ig_inp *in) {
  const double nowhere[7] = {0};
  if (in->parts != 1)
    return IG_FAIL(in->t.cx, IG_INPUT,
                   "%s: it has %d parts, but no *INSTANCE that says where they are", in->t.path,
                   in->parts);
  in->instances = 1;
  return instance_copy(in, &in->part[0].g, INT64_C(1) << IG_ID_BITS, nowhere, nowhere, false,
                       in->part[0].name);
}

/* CalculiX has no parts and ignores the parameter INSTANCE. */
ig_status ig_inp_instance_of_set(ig_inp *in) {
  char *from, *stop;
  in->above = 0;
  if (!ig_inp_parameter(&in->t, "INSTANCE", &from, &stop) || !in->parts)
    return IG_OK; /* CalculiX has no parts and pays no heed to it */
  const int i = instance_find(in, from, stop);
  if (i < 0)
    return ig_text_fail(&in->t, from, "instance '%.*s' is not in the file",
                        (int)(stop - from > 60 ? 60 : stop - from), from);
  in->above = (int64_t)(i + 1) << IG_ID_BITS;
  return IG_OK;
}

/* A name may contain dots itself, so every dot is tried until the part before it is an instance. */
ig_status ig_inp_dotted(ig_inp *in, int number, ig_set_kind kind, char **from, const char *stop,
                        int64_t *above, bool *done) {
  *done = false;
  for (char *dot = *from; dot < stop; dot++) {
    if (*dot != '.')
      continue;
    const int i = instance_find(in, *from, dot);
    if (i < 0)
      continue;
    *above = (int64_t)(i + 1) << IG_ID_BITS;
    *from = dot + 1;
    const ig_group *set =
        ig_mesh_build_find(&in->part[in->instance[i].part].g, *from, (size_t)(stop - *from), kind);
    for (ig_lid k = 0; set && number >= 0 && k < set->count; k++)
      IG_TRY(ig_mesh_build_member(in->to, &in->to->group[number], *above | set->id[k], 0));
    *done = set && number >= 0;
    return IG_OK;
  }
  return IG_OK;
}
