/* Element types of Abaqus and CalculiX by their names. */
#ifndef IG_IO_MESH_INP_H
#define IG_IO_MESH_INP_H

#include "io/cell.h"

enum { IG_INP_PASSED_OVER = 255 }; /* as a code: springs and their like */

typedef struct {
  const char *name;
  int code; /* of io/cell.h */
  bool plane;
} ig_inp_type;
/* The type a name stands for, NULL: it is not known. */
const ig_inp_type *ig_inp_type_find(const char *from, const char *stop);

#endif
