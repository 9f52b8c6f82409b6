/* Growing text, and JSON written into it. */
#include "io/format/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory doubles, so appending is linear. After a failure all further text is ignored, and the
   caller checks `failed` once at the end. */
void ig_text_add_bytes(ig_text *text, const char *bytes, size_t count) {
  if (text->failed || !count)
    return;
  if (text->length + count + 1 > text->capacity) {
    const size_t capacity = 2 * (text->length + count) + 256;
    char *grown = realloc(text->at, capacity);
    if (!grown) {
      text->failed = true;
      return;
    }
    text->at = grown;
    text->capacity = capacity;
  }
  memcpy(text->at + text->length, bytes, count);
  text->length += count;
  text->at[text->length] = '\0';
}
void ig_text_add(ig_text *text, const char *more) {
  ig_text_add_bytes(text, more, strlen(more));
}

/* Bytes of the UTF-8 character at p; 0: invalid (RFC 3629: no overlong forms, surrogates or values
   beyond U+10FFFF). */
static int utf8(const unsigned char *p) {
  const int more = p[0] < 0x80                   ? 0
                   : p[0] >= 0xc2 && p[0] < 0xe0 ? 1
                   : p[0] >= 0xe0 && p[0] < 0xf0 ? 2
                   : p[0] >= 0xf0 && p[0] < 0xf5 ? 3
                                                 : -1;
  for (int i = 1; i <= more; i++)
    if ((p[i] & 0xc0) != 0x80)
      return 0;
  if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
      (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90))
    return 0; /* overlong, surrogate, beyond U+10FFFF */
  return more + 1;
}

/* A JSON string. Invalid UTF-8, for example from file names, becomes U+FFFD, so that the output is
   always valid JSON. */
static void quoted(ig_json *json, const char *text) {
  ig_text_add(&json->text, "\"");
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    const int bytes = utf8(p);
    char escape[8];
    if (*p == '"' || *p == '\\')
      snprintf(escape, sizeof escape, "\\%c", *p);
    else if (*p < 0x20 || *p == 0x7f)
      snprintf(escape, sizeof escape, "\\u%04x", *p);
    else
      snprintf(escape, sizeof escape, "\\ufffd");
    if (bytes == 0 || *p < 0x20 || *p == 0x7f || *p == '"' || *p == '\\')
      ig_text_add(&json->text, escape);
    else
      ig_text_add_bytes(&json->text, (const char *)p, (size_t)bytes);
    p += bytes ? bytes : 1;
  }
  ig_text_add(&json->text, "\"");
}

/* Two blanks a level. */
static void line(ig_json *json) {
  ig_text_add(&json->text, "\n");
  for (int i = 0; i < json->depth; i++)
    ig_text_add(&json->text, "  ");
}

/* Comma, line and key in front of a value. */
static void begin(ig_json *json, const char *key) {
  if (json->comma)
    ig_text_add(&json->text, ",");
  if (json->depth)
    line(json);
  if (key) {
    quoted(json, key);
    ig_text_add(&json->text, ": ");
  }
  json->comma = true;
}

/* An object or a list begins; its first member has no comma before it. */
static void open(ig_json *json, const char *key, const char *bracket) {
  begin(json, key);
  ig_text_add(&json->text, bracket);
  json->depth++;
  json->comma = false;
}

void ig_json_object(ig_json *json, const char *key) {
  open(json, key, "{");
}
void ig_json_list(ig_json *json, const char *key) {
  open(json, key, "[");
}
/* The outermost end adds a line break, as text files end with one. */
void ig_json_end(ig_json *json, char bracket) {
  json->depth--;
  if (json->comma)
    line(json);
  ig_text_add_bytes(&json->text, &bracket, 1);
  json->comma = true;
  if (json->depth == 0)
    ig_text_add(&json->text, "\n");
}
void ig_json_raw(ig_json *json, const char *key, const char *value) {
  begin(json, key);
  ig_text_add(&json->text, value);
}
/* value NULL is written as null. */
void ig_json_text(ig_json *json, const char *key, const char *value) {
  begin(json, key);
  if (value)
    quoted(json, value);
  else
    ig_text_add(&json->text, "null");
}
/* JSON has no infinity and no NaN; null stands for them. */
void ig_json_real(ig_json *json, const char *key, double value) {
  char text[IG_NUMBER_TEXT];
  ig_number_text(value, text);
  ig_json_raw(json, key, isfinite(value) ? text : "null");
}
void ig_json_int(ig_json *json, const char *key, int64_t value) {
  char text[IG_NUMBER_TEXT];
  snprintf(text, sizeof text, "%" PRId64, value);
  ig_json_raw(json, key, text);
}
