/* The page of a result while it comes: a server for one reader on this machine.

   It listens on the loopback address alone. The address it prints holds a token that opens the page
   once; from then on the browser is known by a cookie. It answers two questions, the page and
   whether anything is new, reads the result folder and writes nothing there, and ends with the run.
 */
#include "watch.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>

/* Connections at a time, bytes of a request, letters of a secret with its zero (128 bits in
   hexadecimal), seconds for a request, and for the last look at a page after the run. */
enum { CLIENTS = 32, REQUEST = 8192, SECRET = 33, PATIENCE = 5, LAST_LOOK = 4 };

/* A connection and what has come of its request. */
typedef struct {
  int fd; /* -1: free */
  double since;
  size_t length;
  char text[REQUEST + 1];
} client;

/* The server. Token and cookie are random and of this process; the page is made when it is asked
   for and something has changed. */
typedef struct {
  ig_ctx *cx;
  const char *folder;
  int listener, port;
  char token[SECRET], cookie[SECRET];
  char name[24]; /* of the cookie: a browser keeps one jar for all ports of a machine */
  bool used;     /* the token */
  char temporary[64];
  char *page;
  size_t size;
  uint64_t shown; /* what the page is of */
  bool ended, seen_end;
  client client[CLIENTS];
} server;

static volatile sig_atomic_t asked_to_stop;
static ig_ctx *volatile drawing; /* the context of the page */
/* Ends the loop, and a report that is being written. */
static void on_signal(int sig) {
  asked_to_stop = sig;
  if (drawing)
    ig_ctx_interrupt(drawing);
}

/* --- what is new */

/* Mixes presence, size and time of a file into a stamp by FNV-1a (Fowler, Noll and Vo 1991) on
   64-bit words: it need only differ, not be secure. */
static void stamp_add(uint64_t *stamp, const char *folder, const char *name) {
  char path[4224];
  struct stat info;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const bool there = stat(path, &info) == 0;
  /* Nanoseconds tell two writes of one second apart. */
  const uint64_t values[4] = {there, there ? (uint64_t)info.st_size : 0,
                              there ? (uint64_t)info.st_mtim.tv_sec : 0,
                              there ? (uint64_t)info.st_mtim.tv_nsec : 0};
  for (int i = 0; i < 4; i++)
    *stamp = (*stamp ^ values[i]) * UINT64_C(0x100000001b3);
}

/* Files whose change makes a new page. */
static void folder_stamp(uint64_t *stamp, const char *folder) {
  static const char *const files[] = {"summary.json", "case.yaml", "history.csv",
                                      "snap.vtkhdf.series", "results.csv"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    stamp_add(stamp, folder, files[i]);
}

/* Calls `work` for the folder and the folders in it: stages of a chain, runs of a sweep. */
static void folders_each(const char *folder, void (*work)(void *, const char *), void *user) {
  DIR *d = opendir(folder);
  work(user, folder);
  for (const struct dirent *e; d && (e = readdir(d));) {
    char path[4096];
    /* Some file systems do not name the type: what is no folder has none of the files. */
    if (e->d_name[0] == '.' || e->d_type == DT_REG)
      continue;
    snprintf(path, sizeof path, "%.3800s/%.255s", folder, e->d_name);
    work(user, path);
  }
  if (d)
    closedir(d);
}

static void stamp_folder(void *user, const char *folder) {
  folder_stamp(user, folder);
}
/* Order of the folders matters for the stamp; readdir keeps it while nothing is added. FNV's offset
   basis is the start value. */
static uint64_t state(const server *s) {
  uint64_t stamp = UINT64_C(0xcbf29ce484222325);
  folders_each(s->folder, stamp_folder, &stamp);
  return stamp;
}

/* Whether a run has the lock of a folder, found in /proc/locks by device and inode: taking the lock
   to find out could keep a run from starting. */
static void look_locked(void *user, const char *folder) {
  struct stat info;
  char line[256], wanted[64];
  FILE *f = stat(folder, &info) == 0 ? fopen("/proc/locks", "r") : NULL;
  if (!f)
    return;
  snprintf(wanted, sizeof wanted, " %02x:%02x:%" PRIu64 " ", major(info.st_dev), minor(info.st_dev),
           (uint64_t)info.st_ino);
  while (fgets(line, sizeof line, f))
    if (strstr(line, "FLOCK") && strstr(line, wanted))
      *(bool *)user = true;
  fclose(f);
}
/* A run or a chain ends with its summary, a sweep with its table. Without any lock and without a
   last file a run may not have begun: it counts as going on. */
static bool run_ended(const server *s) {
  /* Asked only when nothing is locked: a former run's summary may still be there while one goes
     on. */
  static const char *const last[] = {"summary.json", "results.csv"};
  char path[4224];
  bool locked = false, there = false;
  folders_each(s->folder, look_locked, &locked);
  for (size_t i = 0; i < sizeof last / sizeof *last && !locked; i++) {
    snprintf(path, sizeof path, "%s/%s", s->folder, last[i]);
    there |= access(path, F_OK) == 0;
  }
  return there;
}

/* --- the page */

/* A file as text with a zero behind it; free it. NULL: it cannot be read. */
static char *file_read(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  struct stat info;
  char *text = NULL;
  if (f && fstat(fileno(f), &info) == 0 && (text = malloc((size_t)info.st_size + 1)))
    text[ *size = fread(text, 1, (size_t)info.st_size, f)] = '\0';
  if (f)
    fclose(f);
  return text;
}

/* Makes the report anew if something has changed. Its content policy gets one more rule, which lets
   the page ask this server for news. A report that fails, as of a run that just began, keeps the
   former page; false: there is none yet. */
static bool page_make(server *s, uint64_t stamp) {
  char path[96];
  size_t size = 0;
  /* Text of the template in web/, which is part of this program. */
  static const char rule[] = "default-src 'none';", more[] = " connect-src 'self';";
  if (s->page && s->shown == stamp)
    return true;
  snprintf(path, sizeof path, "%s/page.html", s->temporary);
  const ig_report_options options = {.html = path};
  if (ig_report(s->cx, s->folder, &options) != IG_OK)
    return s->page != NULL;
  char *text = file_read(path, &size), *at = text ? strstr(text, rule) : NULL;
  char *page = at ? malloc(size + sizeof more) : NULL;
  unlink(path);
  if (page) {
    const size_t head = (size_t)(at - text) + strlen(rule);
    memcpy(page, text, head);
    memcpy(page + head, more, strlen(more));
    memcpy(page + head + strlen(more), text + head, size - head);
    free(s->page);
    s->page = page;
    s->size = size + strlen(more);
    s->shown = stamp;
  }
  free(text);
  return s->page != NULL;
}

/* --- answers */

/* Sends everything, or gives up: the socket has a time limit for sending. */
static void send_all(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
    if (n <= 0 && !(n < 0 && errno == EINTR))
      return; /* gone, or too slow */
    if (n > 0)
      bytes += n, size -= (size_t)n;
  }
}

/* The headers keep the page out of caches, of frames of other pages, and the address out of
   referrers. */
static void answer(int fd, const char *status, const char *type, const char *more, const char *body,
                   size_t size, bool head_only) {
  char head[1024];
  snprintf(head, sizeof head,
           "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n"
           "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
           "Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\nConnection: close\r\n%s\r\n",
           status, type, size, more);
  send_all(fd, head, strlen(head));
  if (!head_only)
    send_all(fd, body, size);
}

/* A short text as the answer. */
static void say(int fd, const char *status, const char *body) {
  answer(fd, status, "text/plain", "", body, strlen(body), false);
}

/* In a time that does not tell how much of it was right: all digits are compared, whatever is
   given. */
static bool same(const char *given, const char secret[SECRET]) {
  /* Shorter and longer texts are compared over the same length. */
  char padded[SECRET] = {0};
  const size_t length = strlen(given);
  memcpy(padded, given, length < SECRET ? length : SECRET - 1);
  /* Or of all differences: zero only if every byte agrees. */
  unsigned wrong = length != SECRET - 1;
  for (size_t i = 0; i < SECRET - 1; i++)
    wrong |= (unsigned char)(padded[i] ^ secret[i]);
  return wrong == 0;
}

/* The value of a header, cut to the size; "" if there is none. Names are compared without case (RFC
   9110). */
static void header(const char *request, const char *name, char *value, size_t size) {
  const size_t length = strlen(name);
  value[0] = '\0';
  for (const char *line = strstr(request, "\r\n"); line && line[2] != '\r';
       line = strstr(line + 2, "\r\n"))
    if (strncasecmp(line + 2, name, length) == 0 && line[2 + length] == ':') {
      const char *from = line + 3 + length + strspn(line + 3 + length, " \t");
      snprintf(value, size, "%.*s", (int)strcspn(from, "\r\n"), from);
      return;
    }
}

/* Whether the request has our cookie. A browser sends all cookies of the machine, so all are looked
   at. */
static bool known(const server *s, const char *request) {
  /* As long as the whole request, so nothing is cut. */
  char cookies[REQUEST];
  const size_t length = strlen(s->name);
  header(request, "Cookie", cookies, sizeof cookies);
  for (char *c = cookies; *c; c += strcspn(c, ";"), c += strspn(c, "; "))
    if (strncmp(c, s->name, length) == 0 && c[length] == '=') {
      char value[SECRET + 8];
      c += length + 1;
      snprintf(value, sizeof value, "%.*s", (int)strcspn(c, ";"), c);
      if (same(value, s->cookie))
        return true;
    }
  return false;
}

/* Whether the request names this server as its host. A page of another origin can reach the port
   through a name of its own that leads to 127.0.0.1 (DNS rebinding), but then sends that name. */
static bool ours(const server *s, const char *request) {
  char host[128], name[64];
  header(request, "Host", host, sizeof host);
  for (int i = 0; i < 2; i++) {
    snprintf(name, sizeof name, "%s:%d", i ? "localhost" : "127.0.0.1", s->port);
    if (strcmp(host, name) == 0)
      return true;
  }
  return false;
}

/* Before the first output a short page that asks again after a second. Once the last page has been
   seen, the server may end earlier. */
static void page_answer(server *s, int fd, bool head_only) {
  static const char waiting[] = "<p>waiting for the first output</p>";
  if (!page_make(s, state(s)))
    answer(fd, "200 OK", "text/html", "Refresh: 1\r\n", waiting, sizeof waiting - 1, head_only);
  else
    answer(fd, "200 OK", "text/html", "", s->page, s->size, head_only);
  s->seen_end |= s->ended && s->page;
}

/* The order of the checks matters: form, method, host, token or cookie, and only then the target.
   The token works once; after that the cookie alone opens the page. Nothing of the request is used
   as a path: there are two targets and no others. */
static void respond(server *s, int fd, const char *request) {
  char method[8] = "", target[256] = "", version[16] = "", more[256] = "";
  if (sscanf(request, "%7s %255s %15[^\r\n]", method, target, version) != 3 ||
      strncmp(version, "HTTP/1.", 7) != 0) {
    say(fd, "400 Bad Request", "this is no request that Ingot understands\n");
    return;
  }
  /* HEAD is answered like GET without the body (RFC 9110). */
  const bool head_only = strcmp(method, "HEAD") == 0;
  if (!head_only && strcmp(method, "GET") != 0) {
    say(fd, "405 Method Not Allowed", "this page can be read only\n");
    return;
  }
  if (!ours(s, request)) {
    say(fd, "403 Forbidden", "asked by another name than 127.0.0.1\n");
    return;
  }
  if (strncmp(target, "/?token=", 8) == 0 && !s->used && same(target + 8, s->token)) {
    s->used = true;
    snprintf(more, sizeof more,
             "Set-Cookie: %s=%s; HttpOnly; SameSite=Strict; Path=/\r\nLocation: /\r\n", s->name,
             s->cookie);
    answer(fd, "303 See Other", "text/plain", more, "", 0, false);
  } else if (!known(s, request)) {
    say(fd, "403 Forbidden", "the address that 'ingot watch' printed opens this page, once\n");
  } else if (strcmp(target, "/") == 0 || strncmp(target, "/?token=", 8) == 0) {
    page_answer(s, fd, head_only);
  } else if (strcmp(target, "/state") == 0) {
    char body[96];
    snprintf(body, sizeof body, "{\"change\": \"%016" PRIx64 "\", \"running\": %s}\n", state(s),
             s->ended ? "false" : "true");
    answer(fd, "200 OK", "application/json", "", body, strlen(body), head_only);
  } else {
    say(fd, "404 Not Found", "there is nothing else here\n");
  }
}

/* --- connections */

/* shutdown first, so that the reader sees the end although a forked process may have a copy of the
   descriptor. */
static void client_close(client *c) {
  shutdown(c->fd, SHUT_RDWR);
  close(c->fd);
  c->fd = -1;
}

/* Reads what has come. A request is complete with an empty line; one with a zero byte in it or
   longer than REQUEST is refused. Each connection is for one request. */
static void client_read(server *s, client *c) {
  const ssize_t n = recv(c->fd, c->text + c->length, REQUEST - c->length, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n > 0) {
    c->length += (size_t)n;
    c->text[c->length] = '\0';
    if (!strstr(c->text, "\r\n\r\n") && c->length < REQUEST && strlen(c->text) == c->length)
      return; /* more to come */
    if (strlen(c->text) != c->length)
      say(c->fd, "400 Bad Request", "this is no request that Ingot understands\n");
    else if (!strstr(c->text, "\r\n\r\n"))
      say(c->fd, "431 Request Header Fields Too Large", "too long\n");
    else
      respond(s, c->fd, c->text);
  }
  client_close(c);
}

/* Connections are few and short: a fixed table needs no memory that a stranger could exhaust. */
static void client_accept(server *s) {
  const int fd = accept(s->listener, NULL, NULL);
  /* A reader that takes nothing would otherwise stop the server. */
  const struct timeval limit = {.tv_sec = PATIENCE};
  if (fd < 0)
    return;
  (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  /* A request is answered as soon as it is complete. Where all places are taken, the one that has
     been silent for longest goes: connections that say nothing keep nobody out. */
  client *place = &s->client[0];
  for (int i = 0; i < CLIENTS && place->fd >= 0; i++)
    if (s->client[i].fd < 0 || s->client[i].since < place->since)
      place = &s->client[i];
  if (place->fd >= 0)
    client_close(place);
  *place = (client){.fd = fd, .since = cli_now()};
}

/* --- open, serve, close */

/* 128 random bits of the kernel as hexadecimal digits. */
static bool secret_make(char text[SECRET]) {
  unsigned char bytes[(SECRET - 1) / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    return false;
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

/* Binds to the loopback address alone, so no other machine reaches it. The temporary folder is
   readable by this user only (mkdtemp). */
static int server_open(server *s, int port) {
  struct sockaddr_in at = {.sin_family = AF_INET,
                           .sin_port = htons((uint16_t)port),
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  /* The port can be used again at once after an earlier server on it. */
  const int yes = 1;
  s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  for (int i = 0; i < CLIENTS; i++)
    s->client[i].fd = -1;
  snprintf(s->temporary, sizeof s->temporary, "/tmp/ingot-watch-XXXXXX");
  if (s->listener >= 0)
    (void)setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&at, sizeof at) != 0 ||
      listen(s->listener, CLIENTS) != 0 ||
      getsockname(s->listener, (struct sockaddr *)&at, &length) != 0) {
    cli_error("cannot listen on 127.0.0.1:%d: %s", port, strerror(errno));
    return CLI_FAILED;
  }
  s->port = ntohs(at.sin_port);
  snprintf(s->name, sizeof s->name, "ingot-%d", s->port);
  if (!secret_make(s->token) || !secret_make(s->cookie) || !mkdtemp(s->temporary)) {
    cli_error("cannot begin to watch: %s", strerror(errno));
    return CLI_FAILED;
  }
  return CLI_GOOD;
}

/* Waits for requests, half a second at most, then looks whether the run has ended: by the pipe that
   the run has open, or by the folder. After the end the page can be seen for a few seconds more.
   One thread: a page that takes a second to make delays only its one reader. */
static void serve(server *s, int alive) {
  struct pollfd wait[CLIENTS + 2];
  double end = 0;
  while (!asked_to_stop) {
    /* Entry 0 is the listener, 1 the pipe, then the connections; poll passes over negative ones. */
    int n = 0;
    wait[n++] = (struct pollfd){.fd = s->listener, .events = POLLIN};
    wait[n++] = (struct pollfd){.fd = alive, .events = POLLIN};
    for (int i = 0; i < CLIENTS; i++)
      wait[n++] = (struct pollfd){.fd = s->client[i].fd, .events = POLLIN};
    if (poll(wait, (nfds_t)n, 500) < 0 && errno != EINTR)
      return;
    for (int i = 0; i < CLIENTS; i++)
      if (s->client[i].fd >= 0 && wait[2 + i].revents)
        client_read(s, &s->client[i]);
      else if (s->client[i].fd >= 0 && cli_now() - s->client[i].since > PATIENCE)
        client_close(&s->client[i]);
    if (wait[0].revents)
      client_accept(s);
    if (!s->ended && (alive >= 0 ? wait[1].revents != 0 : run_ended(s))) {
      s->ended = true;
      end = cli_now();
    }
    /* who watches sees the last state; then there is nothing more to come */
    if (s->ended && cli_now() - end > (s->used && !s->seen_end ? 3 * LAST_LOOK : LAST_LOOK))
      return;
    if (s->ended && alive >= 0)
      alive = -1, s->ended = true;
  }
}

/* The server is large: it lives on the heap. The address goes to standard error, as the run's
   output goes to standard output. Signals end the loop after the request at hand. The page's
   temporary folder is removed; it is empty between requests. */
int watch_serve(ig_ctx *cx, const char *folder, int port, int alive) {
  server *s = calloc(1, sizeof *s);
  if (!s) {
    cli_error("no memory to watch");
    return CLI_FAILED;
  }
  *s = (server){.cx = cx, .folder = folder, .listener = -1};
  const struct sigaction act = {.sa_handler = on_signal};
  drawing = cx;
  sigaction(SIGINT, &act, NULL);
  sigaction(SIGTERM, &act, NULL);
  const int code = server_open(s, port);
  if (code == CLI_GOOD) {
    fprintf(stderr, "ingot: watch at http://127.0.0.1:%d/?token=%s\n", s->port, s->token);
    serve(s, alive);
    rmdir(s->temporary);
  }
  for (int i = 0; i < CLIENTS; i++)
    if (s->client[i].fd >= 0)
      client_close(&s->client[i]);
  if (s->listener >= 0)
    close(s->listener);
  drawing = NULL;
  free(s->page);
  free(s);
  return code;
}

/* --- beside a run */

/* The parent has the writing end of a pipe and never writes: its closing, also by a crash, tells
   the child that the run has ended. */
int watch_start(const char *folder, int port, watcher *w) {
  int ends[2];
  *w = (watcher){0};
  if (pipe(ends) != 0) {
    cli_error("cannot watch: %s", strerror(errno));
    return CLI_FAILED;
  }
  /* Both processes would write what is still in the buffers. */
  fflush(NULL);
  w->pid = fork();
  if (w->pid == 0) {
    close(ends[1]);
    setpgid(0, 0); /* Ctrl-C is for the run; its end is ours */
    ig_ctx *cx;
    const ig_ctx_options options = {.backend = "cpu", .threads = 1};
    int code = CLI_FAILED;
    if (ig_ctx_open(&options, &cx) == IG_OK)
      code = watch_serve(cx, folder, port, ends[0]);
    _exit(code);
  }
  close(ends[0]);
  w->alive = ends[1];
  if (w->pid > 0)
    return CLI_GOOD;
  cli_error("cannot watch: %s", strerror(errno));
  close(ends[1]);
  return CLI_FAILED;
}

void watch_end(const watcher *w) {
  if (w->pid > 0)
    close(w->alive); /* it ends by itself, after a last look */
}
