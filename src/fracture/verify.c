/* The room's verification problems. */
#include "fracture/fracture.h"

const ig_verify_entry frac_verify[] = {{.name = NULL}};
