/* Verification problems of the dynamics room. */
#include "dynamics/problem.h"

const ig_verify_entry ig_dyn_verify[] = {{.name = NULL}};
