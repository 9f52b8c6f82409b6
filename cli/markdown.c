/* Pages that commands write beside what they show: whole, or not at all. They go to PATH.part first
   and are renamed at the end. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* The date is in UTC, so that pages of different machines can be compared. On failure there is no
   page, and a message was printed. */
int cli_page_open(const char *path, cli_page *page) {
  *page = (cli_page){.path = path};
  if (!path)
    return CLI_GOOD;
  const time_t now = time(NULL);
  strftime(page->date, sizeof page->date, "%Y-%m-%d", gmtime(&now));
  snprintf(page->part, sizeof page->part, "%s.part", path);
  page->file = fopen(page->part, "w");
  if (page->file)
    return CLI_GOOD;
  cli_error("%s: %s", page->part, strerror(errno));
  return CLI_BAD_INPUT;
}

/* Returns `code`, or CLI_FAILED if the file could not be completed. A page of a run that failed is
   removed. Allowed with no page open. */
int cli_page_close(cli_page *page, int code) {
  if (!page->file)
    return code;
  /* A full disk shows at the latest here, when the last bytes are written. */
  if (fclose(page->file) != 0 || (code == CLI_GOOD && rename(page->part, page->path) != 0)) {
    cli_error("%s: %s", page->path, strerror(errno));
    code = CLI_FAILED;
  }
  if (code != CLI_GOOD)
    remove(page->part);
  page->file = NULL;
  return code;
}

/* A bar is escaped and a line break becomes a blank: both would end the cell. */
void cli_page_cell(cli_page *page, const char *text) {
  for (fputs("| ", page->file); *text; text++)
    fputs(*text == '|' ? "\\|" : (const char[]){*text == '\n' ? ' ' : *text, 0}, page->file);
  fputc(' ', page->file);
}

/* The second level of headings: the first is the title of the page. */
bool cli_page_room(cli_page *page, const char *room) {
  if (strcmp(page->room, room) == 0)
    return false;
  fprintf(page->file, "%s## %s\n\n", *page->room ? "\n" : "", room);
  snprintf(page->room, sizeof page->room, "%s", room);
  return true;
}

/* Bytes from 128 up are passed on: texts are UTF-8. */
void cli_page_quote(FILE *to, const char *text) {
  fputc('"', to);
  for (const char *c = text; *c; c++)
    if (*c == '"' || *c == '\\')
      fprintf(to, "\\%c", *c);
    else if ((unsigned char)*c < 32)
      fprintf(to, "\\u%04x", (unsigned)*c);
    else
      fputc(*c, to);
  fputc('"', to);
}

/* 17 digits bring back the same double. */
void cli_page_number(FILE *to, double value) {
  if (isfinite(value))
    fprintf(to, "%.17g", value);
  else
    fputs("null", to);
}
