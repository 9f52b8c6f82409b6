/* Partition of a mesh: the owner of each node, and the part of the mesh that each rank needs (own
   nodes, every element that touches one, and the ghost nodes of these elements).

   The owners are computed redundantly by all ranks from the same mesh, with integer keys: no
   messages, and the same answer everywhere. Only METIS runs on rank 0 alone. */
#include "ranks/partition.h"
#include "core/sorted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#include <pthread.h>
#endif

/* A node with its position on the curve; sorting these gives the order along it. Ties are broken by
   node number, so that the order is unique. */
typedef struct {
  uint64_t key;
  ig_lid node;
} keyed;

static int by_key(const void *a, const void *b) {
  const keyed *p = a, *q = b;
  if (p->key != q->key)
    return p->key < q->key ? -1 : 1;
  return (p->node > q->node) - (p->node < q->node);
}

/* Interleaves: the lowest `bits` bits of x, each followed by stride - 1 free positions. */
static uint64_t bits_spread(uint64_t x, int bits, int stride) {
  uint64_t spread = 0;
  for (int b = 0; b < bits; b++)
    spread |= ((x >> b) & 1) << (stride * b);
  return spread;
}

/* Position on a Morton curve (Morton 1966) of a grid with 2^20 cells along the longest side. In the
   plane version the height comes last: nodes of a column stay together and each rank gets a share
   of every layer. */
static uint64_t curve_key(const double *x, const double *low, double size, bool plan) {
  /* 21 bits per axis in space (63 bits in all), because 2^20 itself occurs as a coordinate; in the
     plane 2 x 22 bits, and 20 bits for the height below them. */
  const int dims = plan ? 2 : 3, bits = plan ? 22 : 21;
  uint64_t key = 0;
  for (int d = 0; d < dims; d++) {
    const double place = size > 0 ? (x[d] - low[d]) / size * (double)(1 << 20) : 0;
    key |= bits_spread((uint64_t)(place + 0.5), bits, dims) << d;
  }
  if (plan)
    key = key << 20 | (size > 0 ? (uint64_t)((x[2] - low[2]) / size * (double)((1 << 20) - 1)) : 0);
  return key;
}

/* Well mixed bits of a number (splitmix64, Steele et al. 2014). */
static uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* The curve is cut into pieces with equal numbers of nodes. IG_DIVIDE_UNEVEN gives the first rank
   one node and the last none: a test of code that assumes a non-empty part. */
ig_status ig_divide(ig_ctx *cx, const ig_mesh *mesh, ig_division how, int ranks, int32_t *owner) {
  double low[3], high[3];
  keyed *order;
  const ig_lid n = mesh->nodes;
  if (how == IG_DIVIDE_RANDOM) {
    for (ig_lid i = 0; i < n; i++)
      owner[i] = (int32_t)(mixed((uint64_t)i) % (uint64_t)ranks);
    return IG_OK;
  }
  if (how == IG_DIVIDE_BOXES)
    return ig_divide_boxes(cx, mesh, 3, NULL, ranks, owner);
  ig_mesh_bounds(mesh, low, high);
  double size = 0;
  for (int d = 0; d < 3; d++)
    size = fmax(size, high[d] - low[d]);
  IG_TRY(IG_NEW(cx, &order, n, "division between ranks"));
  for (ig_lid i = 0; i < n; i++)
    order[i] = (keyed){curve_key(&mesh->x[3 * (int64_t)i], low, size, how == IG_DIVIDE_PLAN), i};
  qsort(order, (size_t)n, sizeof *order, by_key);
  for (ig_lid i = 0; i < n; i++) {
    int64_t rank = (int64_t)i * ranks / n;
    if (how == IG_DIVIDE_UNEVEN && ranks > 2)
      rank = i == 0 ? 0 : 1 + (int64_t)(i - 1) * (ranks - 2) / n;
    owner[order[i].node] = (int32_t)rank;
  }
  free(order);
  return IG_OK;
}

/* Chooses the elements that touch an own node and the nodes of all of them. Both lists rise in the
   numbers of the whole mesh; sums over elements at a node then have the same order on any number of
   ranks. */
static ig_status part_choose(ig_ctx *cx, const ig_mesh *mesh, ig_partition *p, ig_lid *in_block) {
  const ig_lid elements = ig_mesh_elements(mesh);
  ig_lid count = 0, number = 0, nodes = 0;
  IG_TRY(IG_NEW(cx, &p->element, (size_t)elements + 1, "part of a rank"));
  IG_TRY(IG_NEW(cx, &p->local, (size_t)mesh->nodes + 1, "part of a rank"));
  /* `local` serves twice: first as a mark of needed nodes, then as their numbers in the part. */
  for (ig_lid n = 0; n < mesh->nodes; n++)
    p->local[n] = p->owner[n] == p->rank;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const int npe = ig_elem_info_get(block->type)->nodes;
    for (ig_lid e = 0; e < block->count; e++, number++) {
      const ig_lid *conn = &block->conn[(int64_t)npe * e];
      bool mine = false;
      for (int a = 0; a < npe; a++)
        mine |= p->owner[conn[a]] == p->rank;
      if (!mine)
        continue;
      for (int a = 0; a < npe; a++)
        p->local[conn[a]] = 1;
      p->element[count++] = number;
      in_block[b]++;
    }
  }
  ig_lid *fits = realloc(p->element, ((size_t)count + 1) * sizeof *fits);
  p->element = fits ? fits : p->element; /* it had room for the whole */
  for (ig_lid n = 0; n < mesh->nodes; n++)
    p->local[n] = p->local[n] ? nodes++ : -1;
  IG_TRY(IG_NEW(cx, &p->node, (size_t)nodes + 1, "part of a rank"));
  IG_TRY(IG_NEW(cx, &p->ghost, (size_t)nodes + 1, "part of a rank"));
  for (ig_lid n = 0; n < mesh->nodes; n++)
    if (p->local[n] >= 0) {
      p->node[p->local[n]] = n;
      p->ghost[p->local[n]] = p->owner[n] != p->rank;
      p->ghosts += p->owner[n] != p->rank;
    }
  return ig_mesh_new(cx, mesh->dim, nodes, &p->mesh);
}

/* Copies coordinates, connectivity in local numbers, and tags. Blocks keep their number and order,
   also if a block is empty on this rank. */
static ig_status part_fill(ig_ctx *cx, const ig_mesh *mesh, ig_partition *p,
                           const ig_lid *in_block) {
  for (ig_lid n = 0; n < p->mesh->nodes; n++)
    memcpy(&p->mesh->x[3 * (int64_t)n], &mesh->x[3 * (int64_t)p->node[n]], 3 * sizeof(double));
  const ig_lid *element = p->element;
  ig_lid first = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *from = &mesh->block[b];
    const int npe = ig_elem_info_get(from->type)->nodes;
    ig_block *to;
    IG_TRY(ig_mesh_add_block(cx, p->mesh, from->type, in_block[b], &to));
    for (ig_lid e = 0; e < in_block[b]; e++, element++) {
      const ig_lid *conn = &from->conn[(int64_t)npe * (*element - first)];
      for (int a = 0; a < npe; a++)
        to->conn[(int64_t)npe * e + a] = p->local[conn[a]];
      if (from->tag && to->tag)
        to->tag[e] = from->tag[*element - first];
    }
    first += from->count;
  }
  return IG_OK;
}

/* METIS runs on rank 0, which broadcasts the result: its random numbers are global in a process, so
   ranks that are threads would disturb each other. */
static ig_status owners_share(ig_ctx *cx, const ig_mesh *mesh, int32_t *owner) {
  ig_status status = IG_OK;
  if (ig_ranks_first(cx))
    status = ig_divide_metis(cx, mesh, ig_ranks_count(cx->ranks), owner);
  IG_TRY(ig_ranks_agree(cx, status));
  return ig_ranks_bcast(cx, 0, owner, (size_t)mesh->nodes * sizeof *owner);
}

ig_status ig_ranks_divide(ig_ranks *ranks, const char *how) {
  static const struct {
    const char *name;
    ig_division how;
  } known[] = {{"auto", IG_DIVIDE_AUTO},
               {"curve", IG_DIVIDE_CURVE},
               {"random", IG_DIVIDE_RANDOM},
               {"metis", IG_DIVIDE_METIS},
               {"boxes", IG_DIVIDE_BOXES}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(how, known[i].name) == 0) {
      if (known[i].how == IG_DIVIDE_METIS && !ig_divide_has_metis())
        return IG_UNSUPPORTED;
      if (ranks)
        ranks->division = (int)known[i].how;
      return IG_OK;
    }
  return IG_ARG;
}

int32_t ig_owner_of(const int32_t *owner, const ig_lid *node, int nodes) {
  ig_lid lowest = node[0];
  for (int a = 1; a < nodes; a++)
    lowest = node[a] < lowest ? node[a] : lowest;
  return owner[lowest];
}

ig_status ig_divide_check(ig_ctx *cx, ig_assembly assembly) {
  if (assembly == IG_GATHER)
    return IG_OK;
  return IG_FAIL(cx, IG_INPUT,
                 "on several ranks (%d here) only assembly 'gather' has the bits of one: choose "
                 "assembly: gather",
                 ig_ranks_count(cx->ranks));
}

ig_status ig_partition_owners(ig_ctx *cx, const ig_mesh *mesh, ig_division how, int32_t **owner) {
  if (cx->ranks && cx->ranks->division)
    how = (ig_division)cx->ranks->division;
  IG_TRY(IG_NEW(cx, owner, (size_t)mesh->nodes + 1, "owners of nodes"));
  const ig_status status = how == IG_DIVIDE_METIS
                               ? owners_share(cx, mesh, *owner)
                               : ig_divide(cx, mesh, how, ig_ranks_count(cx->ranks), *owner);
  if (status != IG_OK)
    free(*owner);
  return status;
}

ig_status ig_partition_of(ig_ctx *cx, const ig_mesh *mesh, int32_t *owner, ig_partition *part) {
  memset(part, 0, sizeof *part);
  part->rank = ig_ranks_rank(cx->ranks);
  part->ranks = ig_ranks_count(cx->ranks);
  part->owner = owner;
  part->whole = ig_mesh_elements(mesh);
  ig_lid *in_block = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &in_block, (size_t)mesh->blocks + 1, "part of a rank"));
  IG_TRY_GOTO(status, done, part_choose(cx, mesh, part, in_block));
  IG_TRY_GOTO(status, done, part_fill(cx, mesh, part, in_block));
done:
  free(in_block);
  if (status != IG_OK)
    ig_partition_free(part);
  return status;
}

ig_status ig_partition_new(ig_ctx *cx, const ig_mesh *mesh, ig_division how, ig_partition *part) {
  int32_t *owner;
  memset(part, 0, sizeof *part);
  IG_TRY(ig_partition_owners(cx, mesh, how, &owner));
  return ig_partition_of(cx, mesh, owner, part);
}

void ig_partition_free(ig_partition *part) {
  ig_mesh_free(part->mesh);
  free(part->owner);
  free(part->node);
  free(part->element);
  free(part->local);
  free(part->ghost);
  memset(part, 0, sizeof *part);
}

ig_lid ig_partition_element(const ig_partition *part, ig_lid element) {
  return part->element ? ig_sorted_find(part->element, ig_mesh_elements(part->mesh), element)
                       : element;
}

ig_lid ig_partition_node(const ig_partition *part, ig_lid node) {
  return part->node ? ig_sorted_find(part->node, part->mesh->nodes, node) : node;
}

void ig_partition_release_global(ig_partition *part) {
  free(part->owner);
  free(part->local);
  part->owner = part->local = NULL;
}

/* Returns freed memory of the set-up to the system, which glibc's allocator would keep. One thread
   at a time: where another allocator replaces glibc's (AddressSanitizer, jemalloc), this is the
   first call that glibc's allocator sees, and its initialisation is not safe for two threads. */
static void heap_trim(void) {
#ifdef __GLIBC__
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one);
  malloc_trim(0);
  pthread_mutex_unlock(&one);
#endif
}

/* Counts of elements and names of sets stay, because output and messages use them. */
void ig_partition_drop_mesh(const ig_ctx *cx, ig_mesh *mesh) {
  if (ig_ranks_count(cx->ranks) == 1)
    return;
  for (int b = 0; b < mesh->blocks; b++) {
    free(mesh->block[b].conn);
    free(mesh->block[b].tag);
    mesh->block[b].conn = mesh->block[b].tag = NULL;
  }
  for (int s = 0; s < mesh->sets; s++) {
    free(mesh->set[s].item);
    free(mesh->set[s].face);
    mesh->set[s].item = NULL;
    mesh->set[s].face = NULL;
    mesh->set[s].count = 0;
  }
  free(mesh->x);
  mesh->x = NULL;
  heap_trim();
}
