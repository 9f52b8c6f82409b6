/* The inside of an assimilation: its file, its members, its analyses. Members are advanced by
   threads of this process, each in a context of its own; everything else happens on the caller's
   thread. */
#ifndef IG_CHAIN_ASSIMILATE_H
#define IG_CHAIN_ASSIMILATE_H

#include <ingot/assimilate.h>
#include <ingot/sim.h>
#include <ingot/sweep.h>
#include "core/option.h"
#include "core/unit.h"

enum { IG_ASM_MEMBERS = 1000, IG_ASM_FACTORS = 16, IG_ASM_DATA = 100000, IG_ASM_AT_ONCE = 4096 };

/* A measurement; value and uncertainty in the unit that the file gives them until the field's is
   known. */
typedef struct {
  double time, at[3], value, uncertainty;
  int row; /* of the file, from 1, that of the headings */
} ig_asm_datum;

/* A load or support whose strength is uncertain; 1 is what the case says. */
typedef struct {
  ig_src at;
  bool support;
  int number;
  double deviation;
} ig_asm_factor;

typedef struct {
  ig_ctx *cx;
  ig_arena *arena;
  const ig_assimilate_options *o;
  const char *file, *title, *field;
  ig_src at, data_at; /* of the file, of `data` */
  const char *data_file;
  ig_sweep *ensemble;
  int data;
  ig_asm_datum *datum; /* by time */
  char unit[32];       /* of their values, as their heading says; "": that of the field */
  char error_unit[32]; /* of their uncertainties */
  int factors;
  ig_asm_factor factor[IG_ASM_FACTORS];
  double inflation, reach; /* reach NAN: no localisation */
  uint64_t seed;
} ig_asm;

/* The file, its data and its ensemble; close the ensemble after a failure too. */
IG_MUST_CHECK ig_status ig_asm_read(ig_asm *a, const char *path);
/* Values and uncertainties in the field's unit. */
IG_MUST_CHECK ig_status ig_asm_units(ig_asm *a, const char *unit);

#endif
