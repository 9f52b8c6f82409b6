/* From a case to a job a room can run. */
#include "run/job.h"

#include <stdio.h>
#include <string.h>

ig_status ig_job_open(ig_case *c, const ig_room *const *rooms, ig_job *job) {
  ig_ctx *cx = c->cx;
  memset(job, 0, sizeof *job);
  IG_TRY(ig_case_read_for(c, rooms));
  IG_TRY(ig_ctx_follow(cx, c->common.backend, (int)c->common.threads));
  job->cx = cx;
  job->title = c->common.title;
  job->precision = (ig_precision)c->common.precision;
  job->assembly = (ig_assembly)c->common.assembly;
  job->output = &c->common.output;
  job->materials = &c->common.materials;
  job->room_case = c->room_case;
  if (c->common.mesh.at.given)
    return ig_mesh_generate(cx, &c->common.mesh, &job->mesh);
  if (c->room->needs_mesh)
    return ig_fail_at(cx, &c->common.at, "physics: %s needs a mesh: add a section 'mesh'",
                      c->room->name);
  return IG_OK;
}

void ig_job_close(ig_job *job) {
  ig_mesh_free(job->mesh);
  job->mesh = NULL;
}

/* FNV-1a on eight bytes at a time: it need not withstand malice, only mistakes. */
static uint64_t mix(uint64_t h, const void *data, size_t bytes) {
  const unsigned char *p = data;
  for (; bytes; bytes -= bytes < 8 ? bytes : 8, p += 8) {
    uint64_t word = 0;
    memcpy(&word, p, bytes < 8 ? bytes : 8);
    h = (h ^ word) * 0x100000001b3u;
    h ^= h >> 29;
  }
  return h;
}

uint64_t ig_job_fingerprint(const ig_case *c, const ig_job *job) {
  uint64_t h = mix(0xcbf29ce484222325u, c->room->name, strlen(c->room->name));
  const ig_mesh *m = job->mesh;
  if (!m)
    return h;
  h = mix(h, m->x, sizeof *m->x * 3 * (size_t)m->nodes);
  for (int b = 0; b < m->blocks; b++) {
    const ig_block *block = &m->block[b];
    const size_t corners = (size_t)block->count * (size_t)ig_elem_info_get(block->type)->nodes;
    h = mix(h, &block->type, sizeof block->type);
    h = mix(h, block->conn, sizeof *block->conn * corners);
  }
  return h;
}

const char *ig_choice_text(const char *choices, int place, char *text, size_t size) {
  for (; place > 0 && strchr(choices, '|'); place--)
    choices = strchr(choices, '|') + 1;
  snprintf(text, size, "%.*s", (int)strcspn(choices, "|"), choices);
  return text;
}
