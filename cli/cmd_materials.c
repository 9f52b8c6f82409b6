/* ingot materials: which materials are shipped, with ranges and sources. The library reads their
   files; this command only lays them out. */
#include "cli.h"

#include <string.h>

/* What is listed; all names are collected for the nearest one, separated by '|'. */
typedef struct {
  const char *name; /* NULL: all */
  bool found, list;
  char names[512];
} listing;

/* Words on lines of at most 100 columns, each after `indent` blanks; further lines are indented by
   two more. */
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

/* Called for each material. The first words of `about`, up to a colon, repeat the name. With a name
   the values themselves follow, as the file has them, since a case may override each. */
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
  /* Some materials have values at one temperature only. */
  if (info->range[1] > info->range[0])
    printf("    values from %.0f to %.0f K", info->range[0], info->range[1]);
  else
    printf("    values at %.0f K", info->range[0]);
  printf(", enough for: %s\n", info->rooms);
  if (*info->missing)
    wrapped("to be given in the case for", info->missing, 4);
  if (*info->left_out)
    wrapped("", info->left_out, 4);
  if (*info->growth)
    wrapped("grains: growth:", info->growth, 4);
  wrapped("sources:", info->sources, 4);
  if (l->name) { /* the file itself: what a case can override */
    char line[1024];
    FILE *file = fopen(info->path, "r");
    printf("    file: %s\n\n", info->path);
    /* The comment at the head of the file is shown above already. */
    while (file && fgets(line, sizeof line, file))
      if (strncmp(line, "# ", 2) != 0)
        break;
    while (file && fgets(line, sizeof line, file))
      fputs(line, stdout);
    if (file)
      fclose(file);
  }
}

/* strtok cuts the list of names in place; it is not needed afterwards. */
static int materials_run(const cli_args *args) {
  /* The callback collects and prints; only a name that was not found needs more. */
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

/* --list is for completion scripts. */
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
