/* ingot view --movie: all snapshots of a folder, one color scale, joined by ffmpeg where there is
   one; the numbered pictures stay where there is none. All snapshots are read twice, first for the
   scale. */
#include "movie.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Pictures are numbered with five digits. */
enum { FRAMES = 100000 };

/* Of scandir: names as the library writes them. */
static int is_snapshot(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return strncmp(entry->d_name, "snap_", 5) == 0 && length > 12 &&
         strcmp(entry->d_name + length - 7, ".vtkhdf") == 0;
}
/* Order of time: snap_1000000 comes after snap_999999, though not by letters. */
static int in_time(const struct dirent **a, const struct dirent **b) {
  const size_t p = strlen((*a)->d_name), q = strlen((*b)->d_name);
  return p != q ? (p < q ? -1 : 1) : strcmp((*a)->d_name, (*b)->d_name);
}

/* The paths are long: the struct lives on the heap. */
typedef struct {
  const char *folder;
  char stem[3900]; /* of the movie, without its ending */
  struct dirent **entry;
  int count;
} movie;

static void frame_path(const movie *m, int i, char path[4096]) {
  snprintf(path, 4096, "%.3700s/%.255s", m->folder, m->entry[i]->d_name);
}
static void picture_path(const movie *m, int i, char path[4096]) {
  snprintf(path, 4096, "%.3900s_%05d.png", m->stem, i);
}

/* One range over all snapshots, unless it was given. A field that never changes keeps the range of
   each frame. */
static int range_find(const movie *m, ig_ctx *cx, ig_view_options *o) {
  /* Empty until the first snapshot. */
  double range[2] = {INFINITY, -INFINITY};
  for (int i = 0; i < m->count && !o->fixed_range; i++) {
    char path[4096];
    double one[2];
    frame_path(m, i, path);
    const int code = cli_result(cx, ig_view_range(cx, path, o, one));
    if (code != CLI_GOOD)
      return code;
    range[0] = fmin(range[0], one[0]);
    range[1] = fmax(range[1], one[1]);
  }
  if (!o->fixed_range && range[0] < range[1]) {
    o->fixed_range = true;
    memcpy(o->range, range, sizeof range);
  }
  return CLI_GOOD;
}

/* Runs ffmpeg; whether the movie is there. H.264 needs even sizes, so odd ones get a line of
   padding; 12 frames a second suit results of a few hundred snapshots. Without ffmpeg the child
   exits with 127. The pictures are named by a pattern, which ffmpeg expands itself. */
static bool join(const movie *m, const char *path) {
  char pictures[4096];
  snprintf(pictures, sizeof pictures, "%.3900s_%%05d.png", m->stem);
  fflush(NULL);
  const pid_t pid = fork();
  if (pid == 0) {
    execlp("ffmpeg", "ffmpeg", "-loglevel", "error", "-y", "-framerate", "12", "-i", pictures,
           "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", path, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

/* *drawn counts the pictures made, also when one fails, so that they can be removed. Frames are
   numbered without gaps, as ffmpeg stops at the first that is missing. */
static int frames_draw(const movie *m, ig_ctx *cx, const ig_view_options *o, int *drawn) {
  for (*drawn = 0; *drawn < m->count; ++*drawn) {
    char path[4096], png[4096];
    frame_path(m, *drawn, path);
    picture_path(m, *drawn, png);
    const int code = cli_result(cx, ig_view(cx, path, o, png));
    if (code != CLI_GOOD)
      return code;
  }
  return CLI_GOOD;
}

/* Only those drawn by this call: others of the same name were refused at the start. */
static void pictures_remove(const movie *m, int drawn) {
  for (int i = 0; i < drawn; i++) {
    char png[4096];
    picture_path(m, i, png);
    unlink(png);
  }
}

/* Refuses a name whose pictures would replace others. On failure m is still safe to free. */
static int movie_open(const cli_args *args, movie *m) {
  /* ffmpeg chooses the format by the ending; only MP4 is offered. */
  const char *dot = strrchr(args->movie, '.');
  char first[4096];
  m->folder = args->words.item[0];
  if (!dot || strcmp(dot, ".mp4") != 0) {
    cli_error("--movie %s: expected a name that ends in .mp4", args->movie);
    return CLI_BAD_INPUT;
  }
  if (args->words.count > 1 || args->out) {
    cli_error("--movie: expected one folder, and no --out");
    return CLI_BAD_INPUT;
  }
  snprintf(m->stem, sizeof m->stem, "%.*s", (int)(dot - args->movie), args->movie);
  m->count = scandir(m->folder, &m->entry, is_snapshot, in_time);
  if (m->count <= 0 || m->count > FRAMES) {
    cli_error("%s: expected a folder with snapshots, snap_*.vtkhdf", m->folder);
    m->count = m->count < 0 ? 0 : m->count;
    return CLI_BAD_INPUT;
  }
  picture_path(m, 0, first);
  if (access(first, F_OK) == 0) {
    cli_error("%s is there: the movie's pictures would replace it; take another name", first);
    return CLI_BAD_INPUT;
  }
  return CLI_GOOD;
}

/* The deformation is left out unless asked for: magnified by a factor of each frame's own it would
   tremble. Pictures are removed when the movie is made or something fails; without ffmpeg they are
   the result. */
int movie_run(const cli_args *args, movie_options_fn *options_read) {
  movie *m = calloc(1, sizeof *m);
  ig_view_options o;
  ig_ctx *cx = NULL;
  int drawn = 0, code = m ? movie_open(args, m) : CLI_FAILED;
  if (code == CLI_GOOD)
    code = options_read(args, NULL, &o);
  if (code == CLI_GOOD && !o.warp)
    o.warp = "none"; /* one magnification for all frames, or none */
  if (code == CLI_GOOD)
    code = cli_open("cpu", args, &cx);
  if (code == CLI_GOOD)
    code = range_find(m, cx, &o);
  if (code == CLI_GOOD)
    code = frames_draw(m, cx, &o, &drawn);
  /* Asked before ffmpeg replaces it. */
  const bool there = access(args->movie, F_OK) == 0;
  if (code == CLI_GOOD && join(m, args->movie)) {
    pictures_remove(m, drawn);
    if (there && !args->quiet)
      fprintf(stderr, "ingot: %s was there and is replaced\n", args->movie);
    printf("%s\n", args->movie);
  } else if (code == CLI_GOOD) {
    char last[4096], png[4096];
    picture_path(m, 0, png);
    picture_path(m, m->count - 1, last);
    cli_warning("no ffmpeg that makes a movie here: the pictures stay");
    printf("%s to %s\n", png, last);
  } else {
    pictures_remove(m, drawn);
  }
  for (int i = 0; m && i < m->count; i++)
    free(m->entry[i]);
  if (m)
    free(m->entry);
  free(m);
  if (cx)
    cli_close(cx);
  return code;
}
