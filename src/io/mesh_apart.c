/* A reader that is not ours runs in a process of its own: if it crashes, that is an error like any
   other. What it logs, its error or its mesh comes back through a pipe. */
#include "io/mesh_io.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- bytes through a pipe */

/* All of it, out of the pipe or into it. */
static bool move(int fd, char *bytes, size_t size, bool out) {
  while (size) {
    const ssize_t n = out ? write(fd, bytes, size) : read(fd, bytes, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes += n;
    size -= (size_t)n;
  }
  return true;
}
static bool send(int fd, const void *bytes, size_t size) {
  return move(fd, (char *)(uintptr_t)bytes, size, true);
}
static bool take(int fd, void *bytes, size_t size) {
  return move(fd, bytes, size, false);
}

/* --- a mesh through it: sizes first, then all arrays */

typedef struct {
  int32_t dim, nodes, blocks, sets;
} mesh_head;
typedef struct {
  int32_t kind, count, name; /* of a block: its type, no name */
} part_head;

static bool mesh_send(int fd, const ig_mesh *m) {
  const mesh_head head = {m->dim, m->nodes, m->blocks, m->sets};
  bool good = send(fd, &head, sizeof head) && send(fd, m->x, (size_t)m->nodes * 3 * sizeof *m->x);
  for (int b = 0; b < m->blocks && good; b++) {
    const ig_block *k = &m->block[b];
    const size_t n = (size_t)k->count, npe = (size_t)ig_elem_info_get(k->type)->nodes;
    const part_head part = {(int32_t)k->type, k->count, 0};
    good = send(fd, &part, sizeof part) && send(fd, k->conn, n * npe * sizeof *k->conn) &&
           send(fd, k->tag, n * sizeof *k->tag);
  }
  for (int i = 0; i < m->sets && good; i++) {
    const ig_set *s = &m->set[i];
    const part_head part = {(int32_t)s->kind, s->count, (int32_t)strlen(s->name)};
    good = send(fd, &part, sizeof part) && send(fd, s->name, (size_t)part.name) &&
           send(fd, s->item, (size_t)s->count * sizeof *s->item) &&
           (s->kind != IG_SET_FACES || send(fd, s->face, (size_t)s->count));
  }
  return good;
}

static ig_status cut_off(ig_ctx *cx, const char *path) {
  return IG_FAIL(cx, IG_IO, "%s: the reader ended before the mesh was whole", path);
}

static ig_status set_take(ig_ctx *cx, int fd, const char *path, ig_mesh *m) {
  part_head part;
  char *name = NULL;
  ig_set *s;
  if (!take(fd, &part, sizeof part) || part.count < 0 || part.name < 0 || part.name > 1 << 20)
    return cut_off(cx, path);
  IG_TRY(IG_NEW(cx, &name, part.name + 1, "name of a set"));
  ig_status status = take(fd, name, (size_t)part.name) ? IG_OK : cut_off(cx, path);
  if (status == IG_OK)
    status = ig_mesh_add_set(cx, m, name, (ig_set_kind)part.kind, part.count, &s);
  free(name);
  if (status == IG_OK && (!take(fd, s->item, (size_t)part.count * sizeof *s->item) ||
                          (s->kind == IG_SET_FACES && !take(fd, s->face, (size_t)part.count))))
    status = cut_off(cx, path);
  return status;
}

static ig_status mesh_take(ig_ctx *cx, int fd, const char *path, ig_mesh **mesh) {
  mesh_head head;
  if (!take(fd, &head, sizeof head))
    return cut_off(cx, path);
  IG_TRY(ig_mesh_new(cx, head.dim, head.nodes, mesh));
  ig_mesh *m = *mesh;
  if (!take(fd, m->x, (size_t)m->nodes * 3 * sizeof *m->x))
    return cut_off(cx, path);
  for (int b = 0; b < head.blocks; b++) {
    part_head part;
    ig_block *k;
    if (!take(fd, &part, sizeof part) || part.kind < 0 || part.kind >= IG_ELEM_TYPES)
      return cut_off(cx, path);
    IG_TRY(ig_mesh_add_block(cx, m, (ig_elem_type)part.kind, part.count, &k));
    const size_t n = (size_t)part.count, npe = (size_t)ig_elem_info_get(k->type)->nodes;
    if (!take(fd, k->conn, n * npe * sizeof *k->conn) || !take(fd, k->tag, n * sizeof *k->tag))
      return cut_off(cx, path);
  }
  for (int i = 0; i < head.sets; i++)
    IG_TRY(set_take(cx, fd, path, m));
  return IG_OK;
}

/* --- the two sides */

typedef struct {
  int32_t status; /* -1: a line of the log, of this level */
  int32_t level, length;
} word_head;

static void log_send(void *user, ig_log_level level, const char *text) {
  const word_head head = {-1, (int32_t)level, (int32_t)strlen(text)};
  const int fd = *(const int *)user;
  (void)!(send(fd, &head, sizeof head) && send(fd, text, (size_t)head.length));
}

static void read_there(ig_ctx *cx, int fd, const char *path, const ig_mesh_read_options *options,
                       ig_mesh_reader *read) {
  ig_mesh *mesh = NULL;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  (void)setlocale(LC_ALL, "C"); /* this process is the reader's alone */
  cx->log = log_send;
  cx->user = &fd;
  cx->progress = NULL;
  cx->message[0] = '\0';
  const ig_status status = read(cx, path, options, &mesh);
  const word_head head = {(int32_t)status, 0, (int32_t)strlen(cx->message)};
  if (send(fd, &head, sizeof head) && send(fd, cx->message, (size_t)head.length) && status == IG_OK)
    (void)!mesh_send(fd, mesh);
}

static ig_status hear(ig_ctx *cx, int fd, const char *path, bool *told, ig_mesh **mesh) {
  word_head head;
  char text[sizeof cx->message];
  *told = false;
  while (take(fd, &head, sizeof head)) {
    if (head.length < 0 || (size_t)head.length >= sizeof text ||
        !take(fd, text, (size_t)head.length))
      break;
    text[head.length] = '\0';
    if (head.status < 0) {
      ig_log(cx, (ig_log_level)head.level, "%s", text);
      continue;
    }
    *told = true;
    cx->status = (ig_status)head.status;
    memcpy(cx->message, text, sizeof text);
    return cx->status == IG_OK ? mesh_take(cx, fd, path, mesh) : cx->status;
  }
  return IG_IO;
}

ig_status ig_mesh_read_apart(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                             const char *whose, ig_mesh_reader *read, ig_mesh **mesh) {
  int ends[2], how = 0;
  bool told;
  *mesh = NULL;
  if (pipe(ends) != 0)
    return IG_FAIL(cx, IG_IO, "%s: no pipe to a reader: %s", path, strerror(errno));
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    read_there(cx, ends[1], path, options, read);
    _exit(0);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return IG_FAIL(cx, IG_IO, "%s: no process for a reader: %s", path, strerror(errno));
  }
  ig_status status = hear(cx, ends[0], path, &told, mesh);
  close(ends[0]);
  while (waitpid(child, &how, 0) < 0 && errno == EINTR)
    ;
  if (!told && cx->interrupted)
    status = IG_FAIL(cx, IG_INTERRUPTED, "%s: interrupted while it was read", path);
  else if (!told)
    status = IG_FAIL(cx, IG_INPUT,
                     "%s: %s ended on this file without a word (%s): it is damaged, or beyond that "
                     "version; open it there and save it anew, or convert it to .inp or .vtk",
                     path, whose, WIFSIGNALED(how) ? strsignal(WTERMSIG(how)) : "exit");
  if (status != IG_OK) {
    ig_mesh_free(*mesh);
    *mesh = NULL;
  }
  return status;
}
