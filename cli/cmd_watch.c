/* ingot watch: the page of a result while it comes. The server is in watch.c; here it runs in the
   foreground until the run has ended. */
#include "watch.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* A port of 0 lets the system choose. The folder must exist, as there is no run here that would
   make it. */
static int watch_run(const cli_args *args) {
  const char *folder = args->words.item[0];
  struct stat info;
  if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
    cli_error("%s: %s: name the output folder of a run, or use 'ingot run --watch'", folder,
              errno == ENOENT ? "no such folder" : "not a folder");
    return CLI_BAD_INPUT;
  }
  if (args->port < 0 || args->port > 65535) {
    cli_error("--port %d: expected 0 (any that is free) to 65535", args->port);
    return CLI_BAD_INPUT;
  }
  ig_ctx *cx;
  /* No log and no progress: the page shows all there is to see. */
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  if (ig_ctx_open(&options, &cx) != IG_OK) {
    cli_error("no memory to watch");
    return CLI_FAILED;
  }
  const int code = watch_serve(cx, folder, args->port, -1);
  ig_ctx_close(cx);
  return code;
}

/* A fixed port is of use with a tunnel to another computer. */
static const cli_option options[] = {{"port", 0, CLI_INT, CLI_AT(port), 0, "N", NULL,
                                      "port on 127.0.0.1; one that is free if not given"},
                                     {0}};
const cli_command cli_watch = {
    .name = "watch",
    .words = "FOLDER",
    .least = 1,
    .most = 1,
    .about = "show the report of a run in the browser while it runs",
    .detail = "Prints an address that opens the page once, on this machine only; the page follows "
              "snapshots and history as they come. Nothing can be changed through it. Ends with "
              "the run. 'ingot run CASE.yaml --watch' does both.",
    .options = options,
    .run = watch_run,
};
