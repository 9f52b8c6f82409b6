/* The table of ranks printed at the start of a run: nodes, elements, ghosts and memory of each
   rank, transport, and the parallel efficiency that the partition allows. */
#include "ranks/partition.h"
#include "backend/backend.h"
#include "ranks/allgather.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Message sizes (bytes) and repetitions of the timing. The long message is far above the eager
   limit of MPI libraries, so its time is dominated by the transfer; the minimum over rounds removes
   disturbances. */
enum { SHORT = 8, LONG = 1 << 20, ROUNDS = 12, LONG_ROUNDS = 3 };

/* Shortest time of some exchanges of `size` bytes with the neighbour (rank with the last bit
   flipped), in ns. The last of an odd number of ranks has no neighbour and sends nothing. */
static ig_status rounds_time(ig_ctx *cx, char *buffer, size_t size, int rounds, double *least) {
  const int other = cx->ranks->rank ^ 1, count = other < cx->ranks->count;
  const ig_message message = {.rank = other,
                              .send = buffer,
                              .send_size = size,
                              .receive = buffer + LONG,
                              .receive_size = size};
  *least = INFINITY;
  for (int i = 0; i < rounds; i++) {
    const double start = ig_now();
    IG_TRY(ig_ranks_exchange(cx, &message, count));
    *least = fmin(*least, 1e9 * (ig_now() - start));
  }
  return IG_OK;
}

/* Two points of the linear model t = latency + bytes/rate, worst pair. Nanoseconds as integers
   because the maximum over ranks is of integers. */
ig_status ig_ranks_time(ig_ctx *cx, double *latency, double *rate) {
  char *buffer = NULL;
  double quick, slow;
  *latency = 0;
  *rate = INFINITY;
  if (ig_ranks_count(cx->ranks) == 1)
    return IG_OK;
  const ig_status made = IG_NEW(cx, &buffer, 2 * (size_t)LONG, "exchange between ranks");
  ig_status status = ig_ranks_agree(cx, made);
  if (status == IG_OK)
    status = rounds_time(cx, buffer, SHORT, ROUNDS, &quick);
  if (status == IG_OK)
    status = rounds_time(cx, buffer, LONG, LONG_ROUNDS, &slow);
  free(buffer);
  int64_t worst[2] = {0, 0}; /* an odd rank out waits for no partner */
  if (status == IG_OK && (cx->ranks->rank ^ 1) < cx->ranks->count) {
    worst[0] = (int64_t)quick;
    worst[1] = (int64_t)fmax(slow - quick, 1);
  }
  IG_TRY(ig_ranks_max(cx, status, worst, 2));
  *latency = 1e-9 * (double)worst[0];
  *rate = LONG / (1e-9 * fmax((double)worst[1], 1));
  return IG_OK;
}

/* Efficiency by element counts: all elements / (ranks x elements of the busiest rank). Elements on
   borders are computed by several ranks; messages are not included. */
ig_status ig_ranks_tell(ig_ctx *cx, const ig_ranks_work *work, ig_partition_line *line,
                        void *user) {
  const int ranks = ig_ranks_count(cx->ranks);
  double latency, rate;
  char text[640];
  if (ranks == 1)
    return IG_OK;
  IG_TRY(ig_ranks_time(cx, &latency, &rate));
  if (!ig_ranks_first(cx))
    return IG_OK;
  snprintf(text, sizeof text,
           "%s%s: %.3g us per message, %.3g GB/s between two ranks, measured in host memory",
           ig_ranks_transport(cx->ranks), ig_ranks_memory(cx), 1e6 * latency, 1e-9 * rate);
  line(user, "transport", text);
  if (!(work->most > 0))
    return IG_OK;
  const double efficiency = work->all / (ranks * work->most);
  const int used =
      snprintf(text, sizeof text,
               "%.3g %% predicted by elements: %.3g %% are computed more than once, the largest "
               "part has %.3g of the mean",
               100 * efficiency, 100 * (work->sum / work->all - 1), ranks * work->most / work->sum);
  if (work->bytes > 0)
    snprintf(text + used, sizeof text - (size_t)used,
             "; messages not counted: up to %.3g kB to a rank per step, about %.3g us",
             1e-3 * work->bytes, 1e6 * (latency + work->bytes / rate));
  line(user, "efficiency", text);
  return IG_OK;
}

/* Resident host memory of this process, bytes, from /proc/self/statm (second field, in pages); 0:
   not known. */
static int64_t resident_now(void) {
  long long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (f && fscanf(f, "%*s %lld", &pages) != 1)
    pages = 0;
  if (f)
    fclose(f);
  return pages * sysconf(_SC_PAGESIZE);
}

/* Text about host memory; empty if ranks are threads of one process, where a figure per rank has no
   meaning. */
static void process_tell(const ig_partition_facts *f, char *text, size_t size) {
  *text = '\0';
  if (f->resident > 0)
    snprintf(text, size, ", process %.4g MB (%.4g in set-up)", 1e-6 * (double)f->resident,
             1e-6 * (double)f->peak);
}

ig_status ig_partition_facts_tell(ig_ctx *cx, const ig_partition_facts *facts,
                                  ig_partition_line *line, void *user) {
  const int ranks = ig_ranks_count(cx->ranks);
  ig_partition_facts mine = *facts, *all;
  ig_ranks_work work = {.all = (double)facts->whole};
  mine.bytes = (int64_t)cx->device_bytes;
  if (cx->ranks && !cx->ranks->one_process) {
    mine.resident = resident_now();
    mine.peak = (int64_t)ig_host_peak();
  }
  snprintf(mine.host, sizeof mine.host, "%s", cx->ranks ? cx->ranks->host : "");
  snprintf(mine.device, sizeof mine.device, "%.60s", ig_ctx_device(cx));
  const ig_status told = ig_ranks_gather(cx, IG_OK, &mine, sizeof mine, (void **)&all);
  for (int r = 0; r < ranks && told == IG_OK && ig_ranks_first(cx); r++) {
    char label[32], text[320], process[64];
    snprintf(label, sizeof label, "rank %d", r);
    process_tell(&all[r], process, sizeof process);
    snprintf(text, sizeof text,
             "%s, %s: %lld elements, %lld own nodes, %lld ghosts, %lld neighbours, %.4g MB%s",
             all[r].host, all[r].device, (long long)all[r].elements, (long long)all[r].nodes,
             (long long)all[r].ghosts, (long long)all[r].peers, 1e-6 * (double)all[r].bytes,
             process);
    line(user, label, text);
    work.sum += (double)all[r].elements;
    work.most = fmax(work.most, (double)all[r].elements);
    work.bytes = fmax(work.bytes, (double)(all[r].ghosts * all[r].item));
  }
  free(all);
  IG_TRY(told);
  return ig_ranks_tell(cx, &work, line, user);
}

ig_status ig_partition_describe(ig_ctx *cx, const ig_partition *part, const ig_halo *halo,
                                ig_partition_line *line, void *user) {
  const int64_t bytes = (int64_t)halo->item * halo->received[halo->peers];
  const ig_partition_facts mine = {.nodes = part->mesh->nodes - part->ghosts,
                                   .elements = ig_mesh_elements(part->mesh),
                                   .ghosts = part->ghosts,
                                   .peers = halo->peers,
                                   .whole = part->whole,
                                   .item = part->ghosts ? bytes / part->ghosts : 0};
  return ig_partition_facts_tell(cx, &mine, line, user);
}
