/* The arrays of a model, registered once.

   A room declares each array of its state in a list of ig_array_def: its name, the place that it
   has values for (nodes, elements, ... numbered by the room), the values per item, and what happens
   to it (flags). ig_arrays_add makes its memory, or takes over an array that the room has made.
   Everything else is derived from the register, the same on one rank and on several:

     memory        ig_arrays_grow, ig_arrays_bytes, ig_arrays_push, ig_arrays_free
     checkpoints   ig_arrays_save, ig_arrays_restore
     global order  ig_arrays_rows, ig_arrays_pass: items of all ranks, as the whole has them
     ghosts        ig_arrays_ghosts: what an exchange (ig_halo_refresh_all) sends
     programs      ig_arrays_get, ig_arrays_set: the values of all items as doubles

   A model on one rank is a partition with one part: all items are its own, their numbers are those
   of the whole, there are no ghosts and nothing is copied. On several ranks each has the arrays of
   its part (ranks/partition.h); the room says by three functions (ig_arrays_room) how many items a
   place has, which of them are the rank's own, and how arrays are sent that hold numbers of items.
 */
#ifndef IG_MODEL_ARRAYS_H
#define IG_MODEL_ARRAYS_H

#include "core/array.h"
#include "core/output.h"
#include "ranks/partition.h"

enum {
  IG_ARRAY_SAVED = 1,     /* part of a checkpoint */
  IG_ARRAY_FIXED = 2,     /* has values from the start that never change: no part of a checkpoint */
  IG_ARRAY_GHOSTED = 4,   /* ghosts take their owners' values after a step */
  IG_ARRAY_NUMBERS = 8,   /* holds numbers of items, which are others in a part than in the whole */
  IG_ARRAY_DEVICE = 16,   /* work space of kernels without a host side */
  IG_ARRAY_ONE_RANK = 32, /* used on one rank alone: empty in a part of several */
  IG_ARRAY_HOST = 64      /* memory of the host alone, which kernels do not see */
};
/* The place of an array that has nothing to do with items: every rank has it whole. */
enum { IG_PLACE_NONE = -1 };

/* An array as a room declares it. */
typedef struct {
  const char *name; /* unique; a checkpoint has it by this name */
  void *at;         /* pointer in the state that kernels see: follows the memory; NULL: none */
  int place;
  int64_t width; /* values per item; of no place: all of them */
  size_t size;   /* bytes per value */
  int flags;
  int columns;     /* above 1: values lie in so many columns, each with some of all items */
  ig_dtype dtype;  /* of values in a checkpoint; smaller than `size`: several of these each */
  ig_array *array; /* memory that the room has made and frees; NULL: the register's own */
  int block;       /* above 1: items lie in blocks of so many, value by value within a block */
} ig_array_def;

typedef struct {
  ig_array_def def;
  ig_array own;
} ig_arrays_entry;

/* The items of a place now. */
typedef struct {
  int64_t rows;          /* items there is memory for; in blocks: the last ones fill a block up */
  int64_t used;          /* items there are */
  int64_t whole;         /* items of all parts; on one rank: used, of arrays in blocks: rows */
  const int32_t *number; /* on several ranks: of each item its number in the whole, -1: not known */
} ig_arrays_place;

/* What a register asks its room for. The last two are called on several ranks alone. */
typedef struct {
  ig_arrays_place (*place)(const void *room, int place);
  /* The rank's own items (ranks/partition.h, collect.c); belongs to the room. */
  ig_status (*own)(void *room, int place, const ig_collect **own);
  /* As ig_arrays_pass, of an array of numbers: as the whole has them. */
  ig_status (*pass)(void *room, const ig_arrays_entry *entry, ig_stream_take *take, void *user);
} ig_arrays_room;

enum { IG_ARRAYS = 64 }; /* most arrays with ghosts */
typedef struct {
  ig_ctx *cx;
  void *room;
  const ig_arrays_room *of;
  int count;
  ig_arrays_entry **entry; /* each stays where it is */
} ig_arrays;

static inline void ig_arrays_open(ig_arrays *r, ig_ctx *cx, const ig_arrays_room *of, void *room) {
  *r = (ig_arrays){.cx = cx, .of = of, .room = room};
}
/* Memory of entry `e`. */
static inline ig_array *ig_arrays_memory(ig_arrays_entry *e) {
  return e->def.array ? e->def.array : &e->own;
}

/* --- memory */

/* Registers `count` arrays. Those whose memory the room has not made (host and device NULL) are not
   saved until it does. Those the register makes are zero on the host; on the device too where
   they belong to no place. */
IG_MUST_CHECK ig_status ig_arrays_add(ig_arrays *r, const ig_array_def *def, int count);
/* The entry of that name, NULL: there is none; its memory, which must exist. */
ig_arrays_entry *ig_arrays_find(const ig_arrays *r, const char *name);
ig_array *ig_arrays_at(const ig_arrays *r, const char *name);
/* Memory for the rows that `place` has now; contents stay. Not of the host's alone. */
IG_MUST_CHECK ig_status ig_arrays_grow(ig_arrays *r, int place);
/* Host sides to the device: all arrays that have one. */
IG_MUST_CHECK ig_status ig_arrays_push(ig_arrays *r);
/* The device's values on the host. */
IG_MUST_CHECK ig_status ig_arrays_pull(const ig_arrays *r, const char *name, void **host);
/* Bytes on the device; and with so many rows of `place`. */
double ig_arrays_bytes(const ig_arrays *r);
double ig_arrays_bytes_of(const ig_arrays *r, int place, int64_t rows);
void ig_arrays_free(ig_arrays *r);

/* --- items of all ranks, in the order of the whole */

/* Rows of all items of a place, `size` bytes each: `row` writes that of an item of this rank, `put`
   sees them on the first rank, in pieces. All ranks call it, also one that has failed (`status`).
   Returns `status`, or what went wrong here on any rank. */
IG_MUST_CHECK ig_status ig_arrays_rows(const ig_arrays *r, int place, size_t size,
                                       ig_collect_row *row, ig_collect_put *put, void *user,
                                       ig_status status);
/* The values of an array as a checkpoint has them, in pieces, to `take` on the first rank. All
   ranks call it; on the others `take` is not called. */
IG_MUST_CHECK ig_status ig_arrays_pass(ig_arrays *r, ig_arrays_entry *e, ig_stream_take *take,
                                       void *user);
/* The reverse: the items of this rank's part, ghosts too, from memory of the host that has those of
   the whole. Not of numbers, on several ranks. */
IG_MUST_CHECK ig_status ig_arrays_take(ig_arrays *r, ig_arrays_entry *e, const void *whole);
/* Values that a checkpoint has of an array. */
int64_t ig_arrays_saved(const ig_arrays *r, const ig_arrays_entry *e);

/* --- checkpoints */

/* All saved arrays, after those of `own`, which all ranks have alike. */
IG_MUST_CHECK ig_status ig_arrays_save(ig_arrays *r, double time, int64_t step, const ig_saved *own,
                                       int count, ig_sink *to);
/* All saved arrays; on several ranks those of numbers are left to the room. */
IG_MUST_CHECK ig_status ig_arrays_restore(ig_arrays *r, const ig_restart *from);

/* --- ghosts: which arrays of a place an exchange sends; how many. list: IG_ARRAYS. */
int ig_arrays_ghosts(const ig_arrays *r, int place, ig_halo_array *list);

/* --- programs: values of all items, width per item, in the order of the whole, on all ranks; the
   same to the items of this rank, ghosts too. Of arrays of float or double. */
IG_MUST_CHECK ig_status ig_arrays_get(ig_arrays *r, const char *name, double *values);
IG_MUST_CHECK ig_status ig_arrays_set(ig_arrays *r, const char *name, const double *values);

#endif
