/* ingot report: a result folder as one page. The library writes it; the command prints where it
   is. */
#include "cli.h"

#include <string.h>

/* 0 stands for the usual numbers of frames and triangles. The path of the page is printed, so that
   a script can open it. */
static int report_run(const cli_args *args) {
  const char *folder = args->words.item[0];
  if (args->frames < 0 || args->triangles < 0) {
    cli_error("--%s: expected a number above 0", args->frames < 0 ? "frames" : "triangles");
    return CLI_BAD_INPUT;
  }
  const ig_report_options options = {.html = args->out,
                                     .frames = args->frames,
                                     .triangles = args->triangles,
                                     .celsius = args->celsius};
  ig_ctx *cx;
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  code = cli_result(cx, ig_report(cx, folder, &options));
  if (code == CLI_GOOD && args->out)
    printf("%s\n", args->out);
  else if (code == CLI_GOOD)
    printf("%s%sreport.html\n", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
  cli_close(cx);
  return code;
}

/* Zero, like a missing option, stands for the usual limits. */
static const cli_option options[] = {
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "FILE.html", NULL,
     "page to write; report.html in the folder if not given"},
    {"frames", 0, CLI_COUNT, CLI_AT(frames), 0, "N", NULL,
     "snapshots in the 3D view, at most; 24 if not given"},
    {"triangles", 0, CLI_COUNT, CLI_AT(triangles), 0, "N", NULL,
     "triangles of a surface in the 3D view, at most; 300000 if not given"},
    {"celsius", 0, CLI_FLAG, CLI_AT(celsius), 0, NULL, NULL,
     "temperatures in degrees Celsius; the page has a switch, too"},
    {0}};
const cli_command cli_report = {
    .name = "report",
    .words = "FOLDER",
    .least = 1,
    .most = 1,
    .about = "write one HTML page about a result: figures, plots, the part in 3D",
    .detail = "The page needs no network and can be mailed. Of a chain's folder it shows all "
              "stages. For example:\n"
              "  ingot report first-out\n"
              "  ingot report bracket-out -o bracket.html",
    .options = options,
    .run = report_run,
};
