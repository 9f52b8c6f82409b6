/* ingot materials: which materials are shipped, with ranges and sources. */
#include "cli.h"

#include <string.h>

typedef struct {
  const char *name; /* NULL: all */
  bool found, list;
  char names[512];
} listing;

/* Words on lines of at most 100 columns, each after `indent` blanks. */
static void wrapped(const char *label, const char *text, int indent) {
  int column = printf("%*s%s", indent, "", label);
  for (const char *p = text; *p;) {
    const int length = (int)strcspn(p, " ");
    if (column + length + 1 > 100)
      column = printf("\n%*s", indent + 2, "");
    column += printf("%s%.*s", column > indent + 2 ? " " : "", length, p);
    p += length + (p[length] == ' ');
  }
  putchar('\n');
}

static void material_put(void *user, const ig_material_info *info) {
  listing *l = user;
  snprintf(l->names + strlen(l->names), sizeof l->names - strlen(l->names), "%s%s",
           *l->names ? "|" : "", info->name);
  if (l->name && strcmp(l->name, info->name) != 0)
    return;
  l->found = true;
  if (l->list) {
    puts(info->name);
    return;
  }
  const char *colon = strchr(info->about, ':');
  printf("%s\n", info->name);
  wrapped("", colon ? colon + 1 + strspn(colon + 1, " ") : info->about, 4);
  if (info->range[1] > info->range[0])
    printf("    values from %.0f to %.0f K", info->range[0], info->range[1]);
  else
    printf("    values at %.0f K", info->range[0]);
  printf(", enough for: %s\n", info->rooms);
  wrapped("sources:", info->sources, 4);
  if (l->name) { /* the file itself: what a case can override */
    char line[1024];
    FILE *file = fopen(info->path, "r");
    printf("    file: %s\n\n", info->path);
    while (file && fgets(line, sizeof line, file))
      if (strncmp(line, "# ", 2) != 0)
        break;
    while (file && fgets(line, sizeof line, file))
      fputs(line, stdout);
    if (file)
      fclose(file);
  }
}

static int materials_run(const cli_args *args) {
  listing l = {.name = args->words.count ? args->words.item[0] : NULL, .list = args->list};
  ig_ctx *cx;
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  code = cli_result(cx, ig_materials(cx, material_put, &l));
  cli_close(cx);
  if (code == CLI_GOOD && l.name && !l.found) {
    enum { MOST = 64 };
    const char *names[MOST + 1] = {0};
    int n = 0;
    for (char *p = strtok(l.names, "|"); p && n < MOST; p = strtok(NULL, "|"))
      names[n++] = p;
    const char *near = cli_nearest(l.name, names);
    if (near)
      cli_error("there is no material '%s': did you mean '%s'?", l.name, near);
    else
      cli_error("there is no material '%s': 'ingot materials' lists them", l.name);
    return CLI_BAD_INPUT;
  }
  return code;
}

static const cli_option materials_options[] = {
    {"list", 'l', CLI_FLAG, CLI_AT(list), 0, NULL, NULL, "names only"}, CLI_QUIET, {0}};
const cli_command cli_materials = {
    .name = "materials",
    .words = "[NAME]",
    .most = 1,
    .about = "list the shipped materials with ranges and sources, or show one",
    .detail = "A case takes one by 'materials: {name: steel, file: S355}'; keys beside `file` "
              "override its values. Materials of $INGOT_MATERIALS come in place of the shipped "
              "ones.",
    .options = materials_options,
    .run = materials_run,
};
