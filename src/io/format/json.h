/* Text that grows, and a writer for JSON. */
#ifndef IG_IO_FORMAT_JSON_H
#define IG_IO_FORMAT_JSON_H

#include "core/ctx.h"
#include "core/number.h"

/* Text that grows. Zero-initialised is empty. */
typedef struct {
  char *at; /* NUL-terminated once anything was added; free with free() */
  size_t length, capacity;
  bool failed; /* memory ran out: what was added since is lost */
} ig_text;
void ig_text_add(ig_text *text, const char *more);
void ig_text_add_bytes(ig_text *text, const char *bytes, size_t count);

/* A JSON document under construction, indented by two spaces per level. */
typedef struct {
  ig_text text;
  int depth;
  bool comma; /* the next value follows another */
} ig_json;

/* key: name of a value inside an object; NULL inside a list and at the top. */
void ig_json_object(ig_json *json, const char *key);
void ig_json_list(ig_json *json, const char *key);
void ig_json_end(ig_json *json, char bracket);                        /* '}' or ']' */
void ig_json_text(ig_json *json, const char *key, const char *value); /* NULL: null */
void ig_json_real(ig_json *json, const char *key, double value);      /* not finite: null */
void ig_json_int(ig_json *json, const char *key, int64_t value);
/* A value that is JSON already. */
void ig_json_raw(ig_json *json, const char *key, const char *value);

#endif
