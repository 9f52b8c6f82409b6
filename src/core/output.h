/* Output: what a run leaves behind. Rooms fill snapshots and rows; a sink takes them. The sink in
   io/ writes files; an embedding program can bring its own. The numerical core knows no file
   format. */
#ifndef IG_CORE_OUTPUT_H
#define IG_CORE_OUTPUT_H

#include "core/array.h"
#include <ingot/mesh.h>

/* A field at IG_AT_ELEMENTS has one item for each element of the mesh a snapshot was made of, alive
   or not; once settled, it is at cells and holds those of the elements alive. */
size_t ig_dtype_size(ig_dtype dtype);

/* Arrays that are not in memory all at once: `pass` brings the rows of one, in their order, to
   `take`, a piece at a time. */
typedef ig_status ig_stream_take(void *user, const void *rows, int64_t count);
typedef struct {
  void *self;
  ig_status (*pass)(void *self, int array, ig_stream_take *take, void *user);
} ig_stream;
/* Of a snapshot: coordinates (3 x float64), connectivity (int64), VTK types (uint8), the elements
   that cells are (int32); then its fields. */
enum { IG_STREAM_POINTS, IG_STREAM_CORNERS, IG_STREAM_TYPES, IG_STREAM_ELEMENTS, IG_STREAM_FIELDS };

/* One field of a snapshot. Data is owned by the snapshot, in memory from the backend's host_alloc.
 */
typedef struct {
  char name[64], unit[24];
  ig_location where;
  ig_dtype dtype;
  int components; /* values per point or cell: 1 scalar, 3 vector, 6 symmetric xx yy zz xy yz zx */
  void *data;
  struct ig_ticket *ticket; /* of a copy still on its way */
} ig_field;

/* A regular grid of hexahedra: nodes along each axis, the first one's place, distances. Points and
   cells are numbered along x, then y, then z. */
typedef struct {
  int64_t nodes[3];
  double origin[3], spacing[3];
} ig_image_grid;

/* A picture of the state at one instant, whole in itself: cells with their points and fields. */
typedef struct ig_snapshot {
  ig_ctx *cx;
  double time;
  bool iterations; /* time counts iterations, not seconds */
  char state[64];  /* shown beside the time: "analysis 2 of 3: static"; "": nothing */
  int64_t step;
  int64_t points, cells, corners; /* corners: entries of connectivity */
  double *point;                  /* points x 3 */
  int64_t *corner;                /* connectivity, cell after cell */
  int64_t *offset;                /* cells + 1 */
  uint8_t *type;                  /* VTK cell types */
  int64_t elements;               /* of the mesh it was made of; cells if there is none */
  ig_lid *element;                /* the element a cell is, NULL: cell i is element i */
  int fields;
  ig_field *field;
  const ig_stream *rows; /* not NULL: no array is in memory */
  bool regular;          /* points and cells are those of `image`; their arrays may be missing */
  ig_image_grid image;
} ig_snapshot;

/* A snapshot of a mesh; `alive` (one byte per element, NULL for all) leaves out elements that are
   not there yet. Points are kept, so that point fields are the room's arrays as they are. */
IG_MUST_CHECK ig_status ig_snapshot_of_mesh(ig_ctx *cx, const ig_mesh *mesh, const uint8_t *alive,
                                            double time, int64_t step, ig_snapshot **snap);
/* An empty one of given sizes, for rooms whose cells are their own: fill point, corner, offset,
   type yourself. */
IG_MUST_CHECK ig_status ig_snapshot_new(ig_ctx *cx, int64_t points, int64_t cells, int64_t corners,
                                        double time, int64_t step, ig_snapshot **snap);
/* One of a regular grid, without arrays of points and cells: ig_snapshot_load makes them. */
IG_MUST_CHECK ig_status ig_snapshot_of_image(ig_ctx *cx, const ig_image_grid *image, double time,
                                             int64_t step, ig_snapshot **snap);
/* Points and cells of its grid: arrays that are missing are made. */
IG_MUST_CHECK ig_status ig_snapshot_fill(ig_snapshot *snap);
/* Adds a field. `from_host` is copied; NULL leaves *data to be filled by the caller. */
IG_MUST_CHECK ig_status ig_snapshot_add(ig_snapshot *snap, const char *name, const char *unit,
                                        ig_location where, ig_dtype dtype, int components,
                                        const void *from_host, void **data);
/* Adds a field straight from device memory: the copy overlaps with what is launched next. */
IG_MUST_CHECK ig_status ig_snapshot_add_device(ig_snapshot *snap, const char *name,
                                               const char *unit, ig_location where, ig_dtype dtype,
                                               int components, const void *from_device);
/* One whose arrays come from `rows`, of a mesh of so many elements; its fields, at points or cells,
   have no data. */
IG_MUST_CHECK ig_status ig_snapshot_of_rows(ig_ctx *cx, const ig_stream *rows, int64_t points,
                                            int64_t cells, int64_t corners, int64_t elements,
                                            ig_snapshot **snap);
IG_MUST_CHECK ig_status ig_snapshot_declare(ig_snapshot *snap, const char *name, const char *unit,
                                            ig_location where, ig_dtype dtype, int components);
/* All of its arrays into memory, for who needs them there. */
IG_MUST_CHECK ig_status ig_snapshot_load(ig_snapshot *snap);
/* Points of a cell of VTK type `type`; 0: not known. */
int ig_vtk_corners(uint8_t type);
/* The field of that name with one number per point or cell, NULL if there is none; and its numbers.
 */
const ig_field *ig_snapshot_find(const ig_snapshot *snap, ig_location where, const char *name);
double ig_field_number(const ig_field *field, int64_t item);
/* The mean of a cell's corners; those of all cells, 3 each; and which points belong to a cell: the
   others were not born yet. Free *centre, *used. */
void ig_snapshot_centre(const ig_snapshot *snap, int64_t cell, double centre[3]);
IG_MUST_CHECK ig_status ig_snapshot_centres(ig_ctx *cx, const ig_snapshot *snap, double **centre);
IG_MUST_CHECK ig_status ig_snapshot_used(ig_ctx *cx, const ig_snapshot *snap, uint8_t **used);
/* Waits for the copies under way. Touches no context, so that a writer's thread may call it: on
   failure (IG_DEVICE, IG_MEMORY) the caller finds the words. */
IG_MUST_CHECK ig_status ig_snapshot_settle(ig_snapshot *snap);
void ig_snapshot_free(ig_snapshot *snap); /* from any thread */
/* Snapshots leave their fields' memory to the next ones: what is still kept when a context ends. */
void ig_spares_free(ig_ctx *cx);

/* How the case that a result folder keeps begins. */
#define IG_CASE_HEAD "# The case as it was run by Ingot "

/* A named array in a checkpoint. */
typedef struct {
  const char *name;
  ig_dtype dtype;
  int64_t count;
  void *data; /* host */
} ig_saved;

/* Where a run's output goes. Calls return before the disk has the data; `flush` waits and tells. */
typedef struct ig_sink {
  void *self;
  ig_status (*snapshot)(struct ig_sink *sink, ig_snapshot *snap); /* takes ownership */
  /* the first call fixes the columns: names with units, "T_max [K]" */
  ig_status (*history)(struct ig_sink *sink, int columns, const char *const *names,
                       const double *values);
  ig_status (*checkpoint)(struct ig_sink *sink, double time, int64_t step, const ig_saved *saved,
                          int count); /* copied before it returns; NULL: not kept */
  /* figures of the `result` object in summary.json; their units, "" for a bare number, of `units`
   */
  ig_status (*result)(struct ig_sink *sink, const char *key, const char *unit, double value);
  ig_status (*result_text)(struct ig_sink *sink, const char *key, const char *value);
  /* a file of the room's own beside the others (an STL surface): open beside, renamed at close */
  ig_status (*file)(struct ig_sink *sink, const char *name, const void *bytes, size_t size);
  bool no_files; /* what goes to `file` is not kept: it need not be made */
  ig_status (*flush)(struct ig_sink *sink);
  /* the same as `snapshot` and `checkpoint` of arrays that come in pieces, all of it before they
     return. saved: those without data are arrays of `rows`, by their place in the list. NULL: see
     ig_sink_snapshot */
  ig_status (*snapshot_rows)(struct ig_sink *sink, ig_snapshot *snap);
  ig_status (*checkpoint_rows)(struct ig_sink *sink, double time, int64_t step,
                               const ig_saved *saved, int count, const ig_stream *rows);
} ig_sink;
/* To a sink that takes no pieces, from memory. */
IG_MUST_CHECK ig_status ig_sink_snapshot(ig_sink *sink, ig_snapshot *snap);
IG_MUST_CHECK ig_status ig_sink_checkpoint(ig_ctx *cx, ig_sink *sink, double time, int64_t step,
                                           const ig_saved *saved, int count, const ig_stream *rows);

/* A checkpoint as read back or kept in memory. `find` fails if an array is missing or has another
   type or size than expected; what it finds lives as long as the restart. */
typedef struct ig_restart {
  double time;
  int64_t step;
  int count;
  ig_saved *saved;
  /* Arrays may be without data, which then come from a file: `read` brings `count` items of one,
     from `begin` on. NULL: data that is not there is another rank's (ranks/restart.h). */
  ig_status (*read)(ig_ctx *cx, const struct ig_restart *from, const ig_saved *saved, int64_t begin,
                    int64_t count, void *to);
  char *path;
} ig_restart;
/* The array itself, with or without data; checked as `find` does. */
IG_MUST_CHECK ig_status ig_restart_look(ig_ctx *cx, const ig_restart *restart, const char *name,
                                        ig_dtype dtype, int64_t count, ig_saved **saved);
IG_MUST_CHECK ig_status ig_restart_find(ig_ctx *cx, const ig_restart *restart, const char *name,
                                        ig_dtype dtype, int64_t count, const void **data);
/* A copy of what a room saves, owned; and the sink that makes one of what is saved to it: it takes
   checkpoints only. The kept one is freed with the next or by ig_restart_free. */
IG_MUST_CHECK ig_status ig_restart_new(ig_ctx *cx, double time, int64_t step, const ig_saved *saved,
                                       int count, ig_restart **restart);
void ig_restart_free(ig_restart *restart);
typedef struct {
  ig_sink sink;
  ig_ctx *cx;
  ig_restart *kept;
} ig_keeper;
void ig_keeper_open(ig_ctx *cx, ig_keeper *keeper);
/* The same where the count is the file's to say. */
IG_MUST_CHECK ig_status ig_restart_find_any(ig_ctx *cx, const ig_restart *restart, const char *name,
                                            ig_dtype dtype, int64_t *count, const void **data);

#endif
