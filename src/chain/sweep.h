/* What other files of this folder need to know of a sweep. */
#ifndef IG_CHAIN_SWEEP_H
#define IG_CHAIN_SWEEP_H

#include <ingot/sweep.h>

/* Keys that differ between runs: columns 2 … of the table of results, after name and status. */
int ig_sweep_keys(const ig_sweep *sweep);

#endif
