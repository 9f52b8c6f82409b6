/* The little of XML that mesh files need. */
#ifndef IG_IO_FORMAT_XML_H
#define IG_IO_FORMAT_XML_H

#include <stdbool.h>
#include <stddef.h>

/* Value of an attribute of the tag that ends at `stop`; control characters become '?', because
   values appear in messages. false: no such attribute, or longer than `size` - 1. */
bool ig_xml_attribute(const char *tag, const char *stop, const char *name, char *value,
                      size_t size);

#endif
