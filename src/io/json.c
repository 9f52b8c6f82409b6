/* JSON, written. */
#include "io/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ig_number_text(double value, char text[IG_NUMBER_TEXT]) {
  if (!isfinite(value))
    return snprintf(text, IG_NUMBER_TEXT, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(text, IG_NUMBER_TEXT, "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      break;
  }
  for (int i = 0; i < length; i++)
    if (!strchr("+-.0123456789e", text[i]))
      text[i] = '.'; /* the locale's decimal point */
  return length;
}

static void put(ig_json *json, const char *bytes, size_t count) {
  if (json->failed)
    return;
  if (json->length + count + 1 > json->capacity) {
    const size_t capacity = 2 * (json->length + count) + 256;
    char *text = realloc(json->text, capacity);
    if (!text) {
      json->failed = true;
      return;
    }
    json->text = text;
    json->capacity = capacity;
  }
  memcpy(json->text + json->length, bytes, count);
  json->length += count;
  json->text[json->length] = '\0';
}

static void puts_(ig_json *json, const char *text) {
  put(json, text, strlen(text));
}

/* Bytes of the UTF-8 character at p, 0 if it is none. */
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

static void quoted(ig_json *json, const char *text) {
  puts_(json, "\"");
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
      puts_(json, escape);
    else
      put(json, (const char *)p, (size_t)bytes);
    p += bytes ? bytes : 1;
  }
  puts_(json, "\"");
}

static void line(ig_json *json) {
  puts_(json, "\n");
  for (int i = 0; i < json->depth; i++)
    puts_(json, "  ");
}

static void begin(ig_json *json, const char *key) {
  if (json->comma)
    puts_(json, ",");
  if (json->depth)
    line(json);
  if (key) {
    quoted(json, key);
    puts_(json, ": ");
  }
  json->comma = true;
}

static void open(ig_json *json, const char *key, const char *bracket) {
  begin(json, key);
  puts_(json, bracket);
  json->depth++;
  json->comma = false;
}

void ig_json_object(ig_json *json, const char *key) {
  open(json, key, "{");
}
void ig_json_list(ig_json *json, const char *key) {
  open(json, key, "[");
}
void ig_json_end(ig_json *json, char bracket) {
  json->depth--;
  if (json->comma)
    line(json);
  put(json, &bracket, 1);
  json->comma = true;
  if (json->depth == 0)
    puts_(json, "\n");
}
void ig_json_raw(ig_json *json, const char *key, const char *value) {
  begin(json, key);
  puts_(json, value);
}
void ig_json_text(ig_json *json, const char *key, const char *value) {
  begin(json, key);
  if (value)
    quoted(json, value);
  else
    puts_(json, "null");
}
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
