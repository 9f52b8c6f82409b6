/* The part of XML that mesh files need: attributes of a tag. No entities, no namespaces. */
#include "io/format/xml.h"

#include <string.h>

/* An attribute starts behind white space, so that "Name" does not match "FileName". */
bool ig_xml_attribute(const char *tag, const char *stop, const char *name, char *value,
                      size_t size) {
  const size_t length = strlen(name);
  for (const char *p = tag + 1; p + length + 2 < stop; p++) {
    if (!strchr(" \t\r\n", p[-1]) || strncmp(p, name, length) != 0 || p[length] != '=' ||
        (p[length + 1] != '"' && p[length + 1] != '\''))
      continue;
    const char *from = p + length + 2, *quote = memchr(from, p[length + 1], (size_t)(stop - from));
    if (!quote || (size_t)(quote - from) >= size)
      return false;
    memcpy(value, from, (size_t)(quote - from));
    value[quote - from] = '\0';
    for (char *c = value; *c; c++) /* what a file holds is shown, not obeyed */
      *c = (unsigned char)*c < ' ' ? '?' : *c;
    return true;
  }
  return false;
}
