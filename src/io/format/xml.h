/* The little of XML that mesh files need. */
#ifndef IG_IO_FORMAT_XML_H
#define IG_IO_FORMAT_XML_H

#include <stdbool.h>
#include <stddef.h>

/* The value of an attribute of the tag that ends at `stop`; control characters become '?'. False:
   it has none of that name, or a value longer than `size` - 1. */
bool ig_xml_attribute(const char *tag, const char *stop, const char *name, char *value,
                      size_t size);

#endif
