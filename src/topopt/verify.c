/* Verification problems of topology optimisation. */
#include "topopt/topopt.h"

const ig_verify_entry ig_topopt_verify[] = {{.name = NULL}};
