/* What the readers of Abaqus and CalculiX files share: element types by their names, lines, parts
   and their instances. */
#ifndef IG_IO_MESH_MESH_INP_H
#define IG_IO_MESH_MESH_INP_H

#include "io/mesh/mesh_passed.h"
#include "io/mesh/cell_types.h"

enum { IG_INP_PASSED_OVER = 255 }; /* as a code: springs and their like */

typedef struct {
  const char *name;
  int code; /* of io/mesh/cell_types.h */
  bool plane;
} ig_inp_type;
/* The type a name stands for, NULL: it is not known. */
const ig_inp_type *ig_inp_type_find(const char *from, const char *stop);

typedef struct {
  char name[80];
  ig_gather g;
} ig_inp_part;

typedef struct {
  char name[80];
  int part;
} ig_inp_instance;

typedef struct {
  ig_mesh_text t;
  ig_gather *to; /* the part in work, or `whole` */
  ig_gather whole;
  int parts, instances, depth; /* depth: of included files */
  ig_inp_part *part;
  ig_inp_instance *instance;
  ig_namemap part_of, instance_of;
  int64_t above; /* of numbers in sets that name an instance */
  bool space;    /* an element that is not plane was seen */
  bool loose;    /* the mesh of a deck that is computed as it is */
  int passed;    /* how many types of elements were passed over */
  const ig_inp_type *passed_type[16];
  ig_passed model; /* keywords that are not read */
} ig_inp;

/* The value of a keyword's parameter: *KEY, NAME=value. False if it is not there; a bare NAME has
   an empty value. */
bool ig_inp_parameter(const ig_mesh_text *t, const char *name, char **from, char **stop);
/* True if the next line belongs to the keyword; comments are skipped. */
bool ig_inp_data_line(ig_inp *in);
/* The next keyword line, from its star on, with the lines it goes on in: it ends with a comma. */
bool ig_inp_keyword_line(ig_inp *in);

IG_MUST_CHECK ig_status ig_inp_part_begin(ig_inp *in);
IG_MUST_CHECK ig_status ig_inp_instance_read(ig_inp *in);
/* *NSET, INSTANCE=…: its numbers are that instance's. */
IG_MUST_CHECK ig_status ig_inp_instance_of_set(ig_inp *in);
/* "Plate-1.7" or "Plate-1.Top": a number or a set of an instance. A set is added to group `number`
   and *done; of a number *from and *above are moved on. */
IG_MUST_CHECK ig_status ig_inp_dotted(ig_inp *in, int number, ig_set_kind kind, char **from,
                                      const char *stop, int64_t *above, bool *done);
/* The part of a file that has one and no instance, as it is. */
IG_MUST_CHECK ig_status ig_inp_part_alone(ig_inp *in);

#endif
