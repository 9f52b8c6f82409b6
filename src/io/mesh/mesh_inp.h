/* Shared by the readers of Abaqus and CalculiX files: element types by name, lines, parts and
   instances. */
#ifndef IG_IO_MESH_MESH_INP_H
#define IG_IO_MESH_MESH_INP_H

#include "io/mesh/mesh_passed.h"
#include "io/mesh/cell_types.h"

enum { IG_INP_PASSED_OVER = 255 }; /* as a code: springs and their like */

/* An element type of Abaqus by the beginning of its name. */
typedef struct {
  const char *name;
  int code; /* of io/mesh/cell_types.h */
  bool plane;
} ig_inp_type;
/* The type of a name, NULL: unknown. */
const ig_inp_type *ig_inp_type_find(const char *from, const char *stop);

/* A part: a mesh of its own, with its own numbering. */
typedef struct {
  char name[80];
  ig_gather g;
} ig_inp_part;

/* An instance: a part placed in the assembly. */
typedef struct {
  char name[80];
  int part;
} ig_inp_instance;

/* State of the reader. */
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

/* Value of a parameter of the current keyword line (*KEY, NAME=value); a bare NAME has an empty
   value. false: not given. Quotes around the value are removed. */
bool ig_inp_parameter(const ig_mesh_text *t, const char *name, char **from, char **stop);
/* Advances to the next data line of the keyword; false: the next keyword begins. Comments are
   skipped. */
bool ig_inp_data_line(ig_inp *in);
/* The next keyword line, from its star on, joined with its continuation lines (a line that ends in
   a comma continues). */
bool ig_inp_keyword_line(ig_inp *in);

IG_MUST_CHECK ig_status ig_inp_part_begin(ig_inp *in);
IG_MUST_CHECK ig_status ig_inp_instance_read(ig_inp *in);
/* *NSET, INSTANCE=: the numbers of the set are those of that instance. */
IG_MUST_CHECK ig_status ig_inp_instance_of_set(ig_inp *in);
/* "Plate-1.7" or "Plate-1.Top": number or set of an instance. The members of a set are added to
   group `number`, *done is set. For a number *from is advanced behind the dot and *above set to the
   instance. */
IG_MUST_CHECK ig_status ig_inp_dotted(ig_inp *in, int number, ig_set_kind kind, char **from,
                                      const char *stop, int64_t *above, bool *done);
/* The only part of a file without instances, taken as it is. */
IG_MUST_CHECK ig_status ig_inp_part_alone(ig_inp *in);

#endif
