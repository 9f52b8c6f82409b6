/* Runs a reader of another project (Gmsh) in a confined process (io/mesh/sandbox.h): a crash in it
   is an error like any other, and a file from a stranger does no harm. Log lines, the error or the
   mesh come back through a pipe and are checked like any input.

   parent                                child (fork, no exec)
   scratch folder, links to the file
   fork -------------------------------> close descriptors, sandbox, load library
   poll the pipe, check time, signals,   read the file
     size of the scratch folder
   log lines, status, mesh <------------ write to the pipe
   kill, wait, remove the folder

   Fork without exec, because a program that uses the library has no helper program beside it. The
   child of a program with threads has only the thread that forked. It uses memory, stdio and the
   dynamic loader, whose locks glibc resets in a child, and none of the locks of this library, of
   CUDA, MPI, HDF5 or OpenMP; descriptors of all of them are closed first. Should another library
   leave a lock behind, the time limit ends the child.

   The child sees the file through a link with a lower-case ending in a folder of its own. A script
   finds the files beside it there by links too, and what it saves goes into that folder, which is
   removed at the end. */
#include "io/mesh/mesh_io.h"
#include "core/inputs.h"
#include "core/memory.h"
#include "io/mesh/sandbox.h"
#include "io/format/atomic_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Default limits. SHARE is a share of the free memory. */
#define SECONDS 600.    /* unless the caller says so */
#define SHARE 0.75      /* of the memory that is left, likewise */
#define SCRATCH 1e9     /* bytes that it may write, in all */
#define LIBRARIES 256e6 /* bytes that loading them takes */
#define LOOK_AGAIN .1   /* s, for signals and the end of the time */
/* Links to files beside a script, and files that it may create. */
enum { LINKS = 10000, OWN_FILES = 1000 };

/* --- a folder of its own */

/* Name and mark of scratch folders; the mark is a dangling link, which no other program creates by
   chance. */
#define PREFIX "ingot-mesh-"
#define MARK ".ingot-scratch" /* a link that leads nowhere: the folder is one of these */

/* A scratch folder. */
typedef struct {
  char folder[PATH_MAX]; /* "": there is none */
  char file[PATH_MAX];   /* the link in it that the reader opens */
  char home[PATH_MAX];   /* the folder of the user's file */
  int lock;              /* locked as long as the folder is in use; -1: none */
  int links;
} scratch;

/* Removes a folder that contains no folders. Errors are ignored: nothing can be done about them. */
static void folder_remove(const char *folder) {
  DIR *all = opendir(folder);
  for (struct dirent *e; all && (e = readdir(all));)
    (void)!unlinkat(dirfd(all), e->d_name, 0);
  if (all)
    closedir(all);
  (void)!rmdir(folder);
}

/* Removes folders of runs that were killed: own, marked, older than a minute, and not locked. */
static void folders_sweep(const char *parent) {
  DIR *all = opendir(parent);
  const time_t now = time(NULL);
  for (struct dirent *e; all && (e = readdir(all));) {
    char path[PATH_MAX];
    struct stat info;
    if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) != 0 ||
        snprintf(path, sizeof path, "%s/%s", parent, e->d_name) >= (int)sizeof path)
      continue;
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
      continue;
    const bool old = fstat(fd, &info) == 0 && info.st_uid == geteuid() && info.st_mtime < now - 60;
    if (old && fstatat(fd, MARK, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode) &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
      folder_remove(path);
    close(fd);
  }
  if (all)
    closedir(all);
}

/* A link in the scratch folder to a file in the user's folder. */
static bool link_make(scratch *s, const char *from, const char *name) {
  char target[PATH_MAX], place[PATH_MAX];
  if (snprintf(target, sizeof target, "%s/%s", s->home, from) >= (int)sizeof target ||
      snprintf(place, sizeof place, "%s/%s", s->folder, name) >= (int)sizeof place)
    return false;
  const bool good = symlink(target, place) == 0 || errno == EEXIST;
  s->links += good;
  return good;
}

/* A .geo script may merge or include files beside it. */
static void siblings_link(scratch *s) {
  DIR *all = opendir(s->home);
  for (struct dirent *e; all && s->links < LINKS && (e = readdir(all));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      (void)link_make(s, e->d_name, e->d_name);
  if (all)
    closedir(all);
}

/* Blanks the statements `Save …;` and `Print …;` of a Gmsh script, outside comments and texts, with
   lines as they were. Returns how many; *line: of the first. */
static int saves_blank(char *text, int *line) {
  int count = 0, number = 1;
  for (char *c = text, before = ';'; *c; c++) {
    number += *c == '\n';
    if (c[0] == '/' && (c[1] == '/' || c[1] == '*')) {
      const bool long_one = c[1] == '*';
      for (c += 2; *c && (long_one ? c[0] != '*' || c[1] != '/' : *c != '\n' && *c != '\r'); c++)
        number += *c == '\n';
      c -= !*c || !long_one;
    } else if (*c == '"') {
      for (c++; *c && *c != '"'; c++)
        number += *c == '\n';
      c -= !*c;
      before = '"';
    } else if (isalnum((unsigned char)*c) || *c == '_') {
      char *const word = c;
      while (isalnum((unsigned char)*c) || *c == '_')
        c++;
      const size_t length = (size_t)(c - word);
      const bool save = (length == 4 && strncmp(word, "Save", 4) == 0) ||
                        (length == 5 && strncmp(word, "Print", 5) == 0);
      const size_t space = strspn(c, " \t");
      if (save && before != '.' && c[space] != '=' && c[space] != '(') {
        *line = count++ ? *line : number;
        bool quoted = false;
        for (c = word; *c && (quoted || *c != ';'); c++) {
          quoted = quoted != (*c == '"');
          number += *c == '\n';
          *c = *c == '\n' ? *c : ' ';
        }
        if (*c) /* an empty statement is an error, too */
          *c++ = ' ';
      }
      before = 'x';
      c--;
    } else if (!isspace((unsigned char)*c)) {
      before = *c;
    }
  }
  return count;
}

/* Every file beside a script that one of its quoted texts names, for the list of inputs: the child
   that reads them has no list. Names that a script computes are not found. */
static void script_note(ig_ctx *cx, const char *path, int depth) {
  enum { MOST = 64 << 20, DEEP = 8 };
  const char *slash = strrchr(path, '/');
  const int folder = slash ? (int)(slash - path) + 1 : 0;
  char *text = NULL, file[PATH_MAX];
  size_t size = 0;
  struct stat is;
  if (!cx->inputs || depth > DEEP || ig_file_read(cx, path, MOST, &text, &size) != IG_OK)
    return;
  for (char *c = text, *end; (c = strchr(c, '"')) && (end = strchr(c + 1, '"')); c = end + 1) {
    const int length = (int)(end - c - 1);
    if (length < 1 || memchr(c, '\n', (size_t)length) ||
        snprintf(file, sizeof file, "%.*s%.*s", c[1] == '/' ? 0 : folder, path, length, c + 1) >=
            (int)sizeof file ||
        stat(file, &is) != 0 || !S_ISREG(is.st_mode))
      continue;
    ig_input_note(cx, file);
    if (length > 4 && strncmp(end - 4, ".geo", 4) == 0)
      script_note(cx, file, depth + 1);
  }
  free(text);
}

/* A script that saves files is read from a copy without these statements: Gmsh would fail where it
   cannot write or draw. *made: there is a copy. */
static ig_status script_copy(ig_ctx *cx, const char *path, const scratch *s, bool *made) {
  enum { MOST = 64 << 20 };
  FILE *f;
  char *text;
  int line = 0;
  *made = false;
  IG_TRY(IG_NEW(cx, &text, MOST + 1, "a script"));
  ig_status status = ig_file_open(cx, path, &f);
  if (status == IG_OK) {
    const size_t size = fread(text, 1, MOST, f);
    const bool whole = size < MOST && !memchr(text, 0, size);
    fclose(f);
    const int count = whole ? saves_blank(text, &line) : 0;
    FILE *copy = count ? fopen(s->file, "wxe") : NULL;
    *made = copy && fwrite(text, 1, size, copy) == size;
    if (copy && fclose(copy))
      *made = false;
    if (count && !*made)
      status =
          IG_FAIL(cx, IG_IO, "%s: cannot copy it to '%s': %s", path, s->folder, strerror(errno));
    if (*made)
      ig_info(cx, "%s:%d: %d `Save` or `Print` skipped: only the mesh is taken from a script", path,
              line, count);
  }
  free(text);
  return status;
}

/* The folder first, then its lock: while it is locked no other process takes it for left over. */
static void scratch_remove(scratch *s) {
  if (s->folder[0])
    folder_remove(s->folder);
  if (s->lock >= 0)
    close(s->lock);
  s->folder[0] = '\0';
  s->lock = -1;
}

/* $TMPDIR or /tmp. The lock on the folder tells other runs that it is in use. A folder of the
   child's own with links to what it may read, so that a library which writes beside its input does
   not reach the user's folder. */
static ig_status scratch_make(ig_ctx *cx, const char *path, scratch *s) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *parent;
  char folder[PATH_MAX], own[PATH_MAX], options[PATH_MAX + 8];
  *s = (scratch){.lock = -1};
  parent = getenv("TMPDIR");
  parent = parent && parent[0] == '/' ? parent : "/tmp";
  if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
               slash ? path : ".") >= (int)sizeof folder ||
      snprintf(own, sizeof own, "%s", name) >= (int)sizeof own)
    return IG_FAIL(cx, IG_INPUT, "the name of the file is too long");
  if (!realpath(folder, s->home))
    return IG_FAIL(cx, IG_INPUT, "cannot open '%s': %s", path, strerror(errno));
  /* Folders that earlier, killed processes left are removed on the way. */
  folders_sweep(parent);
  snprintf(s->folder, sizeof s->folder, "%.*s/" PREFIX "XXXXXX", PATH_MAX / 2, parent);
  if (!mkdtemp(s->folder)) {
    s->folder[0] = '\0';
    return IG_FAIL(cx, IG_IO,
                   "%s: cannot make a folder in '%s' for its reader: %s: set TMPDIR to "
                   "a folder that can be written",
                   path, parent, strerror(errno));
  }
  /* The lock shows other processes that the folder is in use. */
  s->lock = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (s->lock >= 0)
    (void)!flock(s->lock, LOCK_EX | LOCK_NB);
  /* The ending in lower case, by which readers choose the format. */
  char *dot = strrchr(own, '.');
  for (char *c = dot; c && *c; c++)
    *c = (char)tolower((unsigned char)*c);
  const bool script = dot && strcmp(dot, ".geo") == 0;
  bool copied = false;
  const bool fits =
      snprintf(s->file, sizeof s->file, "%s/%s", s->folder, own) < (int)sizeof s->file;
  const ig_status status = fits && script ? script_copy(cx, path, s, &copied) : IG_OK;
  if (status != IG_OK) {
    scratch_remove(s);
    return status;
  }
  if (!fits || !link_make(s, MARK, MARK) || (!copied && !link_make(s, name, own))) {
    scratch_remove(s);
    return IG_FAIL(cx, IG_IO, "%s: cannot make a link to it in '%s': %s", path, parent,
                   strerror(errno));
  }
  if (script) {
    siblings_link(s);
    script_note(cx, path, 0);
  }
  snprintf(options, sizeof options, "%s/%s.opt", s->home, name);
  if (!script && access(options, F_OK) == 0) { /* Gmsh reads options of a file from beside it */
    snprintf(folder, sizeof folder, "%.*s.opt", PATH_MAX / 2, name);
    snprintf(options, sizeof options, "%.*s.opt", PATH_MAX / 2, own);
    (void)link_make(s, folder, options);
  }
  return IG_OK;
}

/* Whether the child has written more than allowed; checked once a second, because a quota per
   folder does not exist. */
static bool scratch_full(const scratch *s) {
  double bytes = 0;
  int files = 0;
  DIR *all = opendir(s->folder);
  for (struct dirent *e; all && (e = readdir(all)); files++) {
    struct stat info;
    if (fstatat(dirfd(all), e->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode))
      bytes += 512. * (double)info.st_blocks;
  }
  if (all)
    closedir(all);
  return bytes > SCRATCH || files > s->links + OWN_FILES;
}

/* Replaces names of links in a message by those the user knows. */
static void names_restore(const scratch *s, const char *path, const char *text, char *out,
                          size_t size) {
  size_t n = 0;
  const size_t file = strlen(s->file), folder = strlen(s->folder);
  const char *slash = strrchr(path, '/');
  while (*text && n + 1 < size) {
    const bool is_file = strncmp(text, s->file, file) == 0;
    if (is_file || (strncmp(text, s->folder, folder) == 0 && text[folder] == '/')) {
      const int length = is_file ? (int)strlen(path) : slash ? (int)(slash - path) + 1 : 0;
      const int put = snprintf(out + n, size - n, "%.*s", length, path);
      n = n + (size_t)put < size ? n + (size_t)put : size - 1;
      text += is_file ? file : folder + 1;
    } else {
      out[n++] = *text++;
    }
  }
  out[n] = '\0';
}

/* --- bytes through a pipe */

/* Everything, or false: the reader has gone. */
static bool send(int fd, const void *data, size_t size) {
  const char *bytes = data;
  while (size) {
    const ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes += n;
    size -= (size_t)n;
  }
  return true;
}

/* How the child ended, as far as the parent knows. */
typedef enum { RUNS, ENDED, TOO_LONG, TOO_MUCH, INTERRUPTED } fate;

/* The parent's side of the pipe. */
typedef struct {
  ig_ctx *cx;
  const char *path;
  const scratch *scratch;
  sigset_t watched; /* signals that wait until the child is gone */
  int fd;
  double end, look; /* when the time is over, when to look at the folder again */
  fate fate;
} wire;

/* Signals are blocked while the child runs (so that the folder is removed); a pending one ends the
   reading. */
static bool signalled(const wire *w) {
  sigset_t waiting;
  static const int all[] = {SIGINT, SIGTERM, SIGHUP};
  if (w->cx->interrupted)
    return true;
  if (sigpending(&waiting) == 0)
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
      if (sigismember(&w->watched, all[i]) == 1 && sigismember(&waiting, all[i]) == 1)
        return true;
  return false;
}

/* Reads exactly `size` bytes; meanwhile checks signals, time and disk use ten times per second.
   Everything, unless the time is up, the run is interrupted or the child has ended; w->fate says
   which. */
static bool take(wire *w, void *data, size_t size) {
  char *bytes = data;
  while (size && w->fate == RUNS) {
    struct pollfd one = {.fd = w->fd, .events = POLLIN};
    const int ready = poll(&one, 1, (int)(1e3 * LOOK_AGAIN));
    const double now = ig_now();
    /* In this order: an interruption comes before a limit. */
    if (signalled(w))
      w->fate = INTERRUPTED;
    else if (now > w->end)
      w->fate = TOO_LONG;
    else if (now > w->look && scratch_full(w->scratch))
      w->fate = TOO_MUCH;
    if (now > w->look)
      w->look = now + 1;
    if (w->fate != RUNS || ready <= 0)
      continue;
    /* A read may give less than was asked for. */
    const ssize_t n = read(w->fd, bytes, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      w->fate = ENDED;
      break;
    }
    bytes += n;
    size -= (size_t)n;
  }
  return size == 0;
}

/* --- a mesh through the pipe: sizes first, then all arrays */

typedef struct {
  int32_t dim, nodes, blocks, sets;
} mesh_head;
typedef struct {
  int32_t kind, count, name; /* of a block: its type, no name */
} part_head;

/* Raw arrays with a head each: both ends are the same program on the same machine. */
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

static ig_status cut_off(const wire *w) {
  return IG_FAIL(w->cx, IG_IO, "%s: the reader ended before the mesh was whole", w->path);
}

/* Unsigned comparison catches negative numbers. */
static bool all_below(const ig_lid *item, size_t count, ig_lid most) {
  for (size_t i = 0; i < count; i++)
    if ((uint32_t)item[i] >= (uint32_t)most)
      return false;
  return true;
}

/* Everything is checked: the child may have been taken over by the file. */
static ig_status set_take(wire *w, ig_mesh *m, ig_lid elements) {
  part_head part;
  char *name = NULL;
  ig_set *s;
  if (!take(w, &part, sizeof part) || part.count < 0 || part.name < 0 || part.name > 1 << 20 ||
      part.kind < IG_SET_NODES || part.kind > IG_SET_FACES)
    return cut_off(w);
  IG_TRY(IG_NEW(w->cx, &name, part.name + 1, "name of a set"));
  ig_status status = take(w, name, (size_t)part.name) ? IG_OK : cut_off(w);
  if (status == IG_OK)
    status = ig_mesh_add_set(w->cx, m, name, (ig_set_kind)part.kind, part.count, &s);
  free(name);
  IG_TRY(status);
  if (!take(w, s->item, (size_t)part.count * sizeof *s->item) ||
      (s->kind == IG_SET_FACES && !take(w, s->face, (size_t)part.count)) ||
      !all_below(s->item, (size_t)s->count, s->kind == IG_SET_NODES ? m->nodes : elements))
    return cut_off(w);
  return IG_OK;
}

/* Counts come from a process that may have been taken over by its input: each is checked, and
   arrays are read only into memory of that size. */
static ig_status mesh_take(wire *w, ig_mesh **mesh) {
  mesh_head head;
  if (!take(w, &head, sizeof head) || head.nodes < 0 || head.dim < 2 || head.dim > 3)
    return cut_off(w);
  IG_TRY(ig_mesh_new(w->cx, head.dim, head.nodes, mesh));
  ig_mesh *m = *mesh;
  if (!take(w, m->x, (size_t)m->nodes * 3 * sizeof *m->x))
    return cut_off(w);
  for (int b = 0; b < head.blocks; b++) {
    part_head part;
    ig_block *k;
    if (!take(w, &part, sizeof part) || part.kind < 0 || part.kind >= IG_ELEM_TYPES ||
        part.count < 0)
      return cut_off(w);
    IG_TRY(ig_mesh_add_block(w->cx, m, (ig_elem_type)part.kind, part.count, &k));
    const size_t n = (size_t)part.count, npe = (size_t)ig_elem_info_get(k->type)->nodes;
    if (!take(w, k->conn, n * npe * sizeof *k->conn) || !take(w, k->tag, n * sizeof *k->tag) ||
        !all_below(k->conn, n * npe, m->nodes))
      return cut_off(w);
  }
  const ig_lid elements = ig_mesh_elements(m);
  for (int i = 0; i < head.sets; i++)
    IG_TRY(set_take(w, m, elements));
  return IG_OK;
}

/* --- the child */

/* Head of a message: a line of the log, or the final status with its message. */
typedef struct {
  int32_t status; /* -1: a line of the log, of this level */
  int32_t level, length;
} word_head;

/* Messages of the child become messages of this program. */
static void log_send(void *user, ig_log_level level, const char *text) {
  const word_head head = {-1, (int32_t)level, (int32_t)strlen(text)};
  const int fd = *(const int *)user;
  (void)!(send(fd, &head, sizeof head) && send(fd, text, (size_t)head.length));
}

/* Keeps only the pipe, as descriptor 3: the child has neither the terminal nor files of the
   program. */
static void descriptors_close(int pipe) {
  const int nothing = open("/dev/null", O_RDWR);
  int from = 3;
  if (pipe != 3)
    (void)!dup2(pipe, 3);
  for (int fd = 0; fd < 3; fd++)
    if (nothing < 0 || dup2(nothing, fd) < 0)
      close(fd);
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 4u, ~0u, 0u) == 0)
    return;
#endif
  for (const int most = (int)sysconf(_SC_OPEN_MAX); ++from < (most > 0 ? most : 1024);)
    close(from);
}

/* Environment of the child: home and temporary folder are the scratch folder; libraries of linear
   algebra start no threads when loaded, since one stack per core would exceed the memory limit. The
   list is replaced instead of using setenv, which takes a lock that another thread may own at
   the fork. */
extern char **environ;
/* The child sees a home and a temporary folder of its own and uses one thread; all else is as in
   the parent. */
static void environment_set(const scratch *s) {
  static char home[PATH_MAX + 8], tmp[PATH_MAX + 8];
  static char blas[] = "OPENBLAS_NUM_THREADS=1", omp[] = "OMP_NUM_THREADS=1";
  char *const own[] = {home, tmp, blas, omp};
  enum { OWN = sizeof own / sizeof *own };
  size_t count = 0;
  while (environ && environ[count])
    count++;
  char **list = calloc(OWN + count + 1, sizeof *list);
  if (!list)
    return;
  snprintf(home, sizeof home, "HOME=%s", s->folder);
  snprintf(tmp, sizeof tmp, "TMPDIR=%s", s->folder);
  memcpy(list, own, sizeof own); /* the first of a name counts */
  if (count)
    memcpy(list + OWN, environ, count * sizeof *list);
  environ = list;
}

/* Order: limits and namespace first, then load the libraries, then narrow file access to the
   folders of the file, then read. */
static ig_status confined(ig_ctx *cx, const ig_mesh_guest *guest, const scratch *s,
                          const ig_mesh_read_options *options, ig_mesh **mesh) {
  char why[256];
  const ig_sandbox sandbox = {.folder = s->folder,
                              .seconds = options->time_limit + 5,
                              .bytes = options->memory_limit + LIBRARIES,
                              .file_bytes = SCRATCH};
  const char *const places[] = {s->folder, s->home, s->file, NULL};
  bool good = ig_sandbox_enter(&sandbox, why, sizeof why);
  if (good)
    IG_TRY(guest->load(cx, s->file));
  good = good && ig_sandbox_narrow(places, why, sizeof why);
  if (!good)
    return IG_FAIL(cx, IG_UNSUPPORTED,
                   "%s: %s is not run without protection from what a file may contain, and that is "
                   "not to be had here: %s; expected Linux 4.14 or newer with seccomp (in a "
                   "container: its default profile); convert the mesh to .inp or .vtk elsewhere",
                   s->file, guest->name, why);
  return guest->read(cx, s->file, options, mesh);
}

/* Signal handlers of the program are reset. The context is a copy in this process; its log goes to
   the pipe. In the child: usual signals, the sandbox, the reader, then the mesh or the message.
   Never returns to the caller's code. */
static void read_there(ig_ctx *cx, const ig_mesh_guest *guest, const scratch *s,
                       const ig_mesh_read_options *options, int fd) {
  ig_mesh *mesh = NULL;
  static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE, SIGCHLD};
  sigset_t none;
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    signal(usual[i], SIG_DFL);
  signal(SIGXFSZ, SIG_IGN); /* a file that grows too long: an error there */
  sigemptyset(&none);
  (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
  (void)setlocale(LC_ALL, "C"); /* this process is the reader's alone */
  (void)!chdir(s->folder);
  environment_set(s);
  cx->log = log_send;
  cx->user = &fd;
  cx->progress = NULL;
  cx->message[0] = '\0';
  const ig_status status = confined(cx, guest, s, options, &mesh);
  const word_head head = {(int32_t)status, 0, (int32_t)strlen(cx->message)};
  if (send(fd, &head, sizeof head) && send(fd, cx->message, (size_t)head.length) && status == IG_OK)
    (void)!mesh_send(fd, mesh);
}

/* --- the parent */

/* Log lines until the final status, then the mesh. *spoke: the child has reported a status.
   Messages until the mesh or a failure comes. *spoke: the child said how it ended, so that silence
   means a crash. */
static ig_status hear(wire *w, bool *spoke, ig_mesh **mesh) {
  word_head head;
  ig_ctx *cx = w->cx;
  char text[sizeof cx->message], known[sizeof cx->message];
  *spoke = false;
  while (take(w, &head, sizeof head)) {
    if (head.length < 0 || (size_t)head.length >= sizeof text ||
        !take(w, text, (size_t)head.length))
      break;
    text[head.length] = '\0';
    names_restore(w->scratch, w->path, text, known, sizeof known);
    if (head.status < 0) {
      ig_log(cx, head.level == IG_LOG_WARN ? IG_LOG_WARN : IG_LOG_INFO, "%s", known);
      continue;
    }
    *spoke = true;
    cx->status = head.status <= IG_INTERRUPTED ? (ig_status)head.status : IG_IO;
    memcpy(cx->message, known, sizeof known);
    return cx->status == IG_OK ? mesh_take(w, mesh) : cx->status;
  }
  return IG_IO;
}

/* Place of the command that starts a program, as "path:line:1", if it is in the file itself. */
static void command_find(ig_ctx *cx, const char *path, char *place, size_t size) {
  enum { MOST = 64 << 20 };
  static const char *const words[] = {"SystemCall", "OnelabRun", "System"};
  char *text = NULL;
  size_t length;
  int line = 1;
  const char *found = NULL;
  if (ig_file_read(cx, path, MOST, &text, &length) == IG_OK)
    for (size_t i = 0; i < sizeof words / sizeof *words && !found; i++)
      found = strstr(text, words[i]);
  for (const char *c = text; found && c < found; c++)
    line += *c == '\n';
  if (found)
    snprintf(place, size, "%s:%d:1", path, line);
  else
    snprintf(place, size, "%s", path);
  free(text);
}

/* Memory (bytes) that the child took beyond what it inherited. */
static double grown_by(const struct rusage *used, double before) {
  return 1024. * (double)used->ru_maxrss - before;
}

/* Translates the end of a child that reported nothing into a message with a remedy: interrupted,
   too slow, wrote too much, tried to run a program (SIGSYS of seccomp), out of memory, crashed.
   What the end without a word means: interrupted, out of time, out of memory, a forbidden call, or
   a crash; in words that say what to change. */
static ig_status silent(const wire *w, const char *name, const ig_mesh_read_options *o, int how,
                        const struct rusage *used, double before) {
  ig_ctx *cx = w->cx;
  const int sig = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
  const double busy = (double)used->ru_utime.tv_sec + (double)used->ru_stime.tv_sec;
  if (w->fate == INTERRUPTED)
    return IG_FAIL(cx, IG_INTERRUPTED, "%s: interrupted while it was read", w->path);
  /* Time on the clock, or of the processor, which a signal of the kernel ends. */
  if (w->fate == TOO_LONG || (sig && sig != SIGSYS && busy >= o->time_limit))
    return IG_FAIL(cx, IG_INPUT,
                   "%s: %s has not ended after %g s: take a larger `edge`, or more time by "
                   "`meshing_time` (--meshing-time)",
                   w->path, name, o->time_limit);
  if (w->fate == TOO_MUCH)
    return IG_FAIL(cx, IG_INPUT, "%s: %s was to write more than %g GB or %d files: take that out",
                   w->path, name, 1e-9 * SCRATCH, OWN_FILES);
  /* SIGSYS: a system call that the sandbox forbids, such as starting a program. */
  if (sig == SIGSYS) {
    char place[1024];
    command_find(cx, w->path, place, sizeof place);
    return IG_FAIL(cx, IG_INPUT,
                   "%s: it would run a program (SystemCall, OnelabRun …), which Ingot does not "
                   "let a geometry or mesh file do: take that out",
                   place);
  }
  if (grown_by(used, before) > 0.5 * o->memory_limit)
    return IG_FAIL(cx, IG_INPUT,
                   "%s: %s ended for lack of memory: it has %.3g GB; take a larger `edge`, or more "
                   "memory by `meshing_memory` (--meshing-memory)",
                   w->path, name, 1e-9 * o->memory_limit);
  return IG_FAIL(cx, IG_INPUT,
                 "%s: %s ended on this file without a word (%s): it is damaged, or beyond that "
                 "version; open it there and save it anew, or convert it to .inp or .vtk",
                 w->path, name, sig ? strsignal(sig) : "exit");
}

/* PR_SET_PDEATHSIG ends the child with the parent; the check of getppid closes the race before it
   takes effect. fork without exec: the child sees the parent's memory, and what was mapped before
   it is subtracted from its peak. */
static ig_status run_there(ig_ctx *cx, const char *path, const ig_mesh_guest *guest,
                           const scratch *s, const ig_mesh_read_options *options,
                           const sigset_t *watched, ig_mesh **mesh) {
  int ends[2], how = 0;
  bool spoke;
  struct rusage used = {0};
  if (pipe(ends) != 0)
    return IG_FAIL(cx, IG_IO, "%s: no pipe to a reader: %s", path, strerror(errno));
  double mapped, before;
  ig_memory_used(&mapped, &before);
  const pid_t self = getpid(), child = fork();
  /* The child ends with its parent, and has no descriptor but the pipe. */
  if (child == 0) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != self)
      _exit(1); /* its parent has ended */
    descriptors_close(ends[1]);
    read_there(cx, guest, s, options, 3);
    _exit(0);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return IG_FAIL(cx, IG_IO, "%s: no process for a reader: %s", path, strerror(errno));
  }
  /* The clock starts when the child does. */
  const double now = ig_now();
  wire w = {.cx = cx,
            .path = path,
            .scratch = s,
            .watched = *watched,
            .fd = ends[0],
            .end = now + options->time_limit,
            .look = now + 1};
  ig_status status = hear(&w, &spoke, mesh);
  close(ends[0]);
  kill(child, SIGKILL); /* it has said all, or is to end */
  while (wait4(child, &how, 0, &used) < 0 && errno == EINTR)
    ;
  if (status == IG_INPUT && grown_by(&used, before) > 0.5 * options->memory_limit)
    spoke = false; /* what it says is not the cause */
  if (!spoke || w.fate == INTERRUPTED || w.fate == TOO_LONG || w.fate == TOO_MUCH)
    status = silent(&w, guest->name, options, how, &used, before);
  return status;
}

/* Signals that would end the program are blocked until the folder is gone, then delivered. */
ig_status ig_mesh_read_apart(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                             const ig_mesh_guest *guest, ig_mesh **mesh) {
  static const int all[] = {SIGINT, SIGTERM, SIGHUP};
  ig_mesh_read_options known = *options;
  sigset_t watched, former;
  scratch s;
  *mesh = NULL;
  known.time_limit = known.time_limit > 0 ? known.time_limit : SECONDS;
  known.memory_limit = known.memory_limit > 0 ? known.memory_limit : SHARE * ig_memory_left();
  /* a signal that would end the program comes after the folder is gone */
  sigemptyset(&watched);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct sigaction action;
    if (sigaction(all[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&watched, all[i]);
  }
  (void)pthread_sigmask(SIG_BLOCK, &watched, &former);
  ig_status status = scratch_make(cx, path, &s);
  if (status == IG_OK)
    status = run_there(cx, path, guest, &s, &known, &watched, mesh);
  scratch_remove(&s);
  (void)pthread_sigmask(SIG_SETMASK, &former, NULL);
  if (status != IG_OK) {
    ig_mesh_free(*mesh);
    *mesh = NULL;
  }
  return status;
}
