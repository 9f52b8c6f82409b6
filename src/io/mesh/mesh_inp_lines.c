/* Lines of Abaqus and CalculiX files: keywords with parameters and continuation, data, comments. */
#include "io/mesh/mesh_inp.h"

#include <string.h>

/* The value of NAME= in a keyword line; from = stop for a parameter without a value. Names are
   compared without case, blanks around the sign are allowed. */
bool ig_inp_parameter(const ig_mesh_text *t, const char *name, char **from, char **stop) {
  char *p = memchr(t->line, ',', (size_t)(t->line_end - t->line));
  for (p = p ? p + 1 : NULL; p;) {
    char *a, *b;
    ig_text_field(t, &p, &a, &b);
    char *equals = memchr(a, '=', (size_t)(b - a)), *end = equals ? equals : b;
    while (end > a && end[-1] == ' ')
      end--;
    if (!ig_text_is(a, end, name))
      continue;
    *from = equals ? equals + 1 : b;
    *stop = b;
    while (*from < *stop && **from == ' ')
      ++*from;
    if (*stop - *from >= 2 && **from == '"' && (*stop)[-1] == '"') {
      ++*from;
      --*stop;
    }
    return true;
  }
  return false;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/* Kind of the line that begins at p: 'k' keyword, 'c' comment, 'e' empty, 'd' data. */
static char line_kind(const char *p, const char *end) {
  while (p < end && is_blank(*p))
    p++;
  if (p >= end || *p == '\n')
    return 'e';
  return *p != '*' ? 'd' : end - p > 1 && p[1] == '*' ? 'c' : 'k';
}

/* The next line of data; false at the next keyword, which stays unread. Comments (**) are passed
   over. */
bool ig_inp_data_line(ig_inp *in) {
  while (in->t.next < in->t.end) {
    const char kind = line_kind(in->t.next, in->t.end);
    if (kind == 'k')
      return false;
    ig_text_line(&in->t);
    if (kind == 'd')
      return true;
  }
  return false;
}

/* Continuation lines are joined in place: the line end is overwritten by spaces, so that no copy is
   needed and columns in messages stay right. */
bool ig_inp_keyword_line(ig_inp *in) {
  ig_mesh_text *t = &in->t;
  while (ig_text_line(t)) {
    if (line_kind(t->line, t->line_end) != 'k')
      continue;
    while (*t->line != '*')
      t->line++;
    for (;;) {
      char *last = t->line_end;
      while (last > t->line && is_blank(last[-1]))
        last--;
      if (last[-1] != ',' || t->next >= t->end || line_kind(t->next, t->end) != 'd')
        return true;
      char *line = t->line;
      memset(t->line_end, ' ', (size_t)(t->next - t->line_end));
      ig_text_line(t);
      t->line = line;
    }
  }
  return false;
}
