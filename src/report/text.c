/* Pieces of HTML. */
#include "report/report.h"
#include "core/number.h"
#include "io/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void ig_html_text(ig_text *html, const char *text) {
  for (; *text; text++)
    switch (*text) {
    case '&':
      ig_text_add(html, "&amp;");
      break;
    case '<':
      ig_text_add(html, "&lt;");
      break;
    case '>':
      ig_text_add(html, "&gt;");
      break;
    case '"':
      ig_text_add(html, "&quot;");
      break;
    default:
      ig_text_add_bytes(html, text, 1);
    }
}

void ig_text_format(ig_text *text, const char *format, ...) {
  char line[512];
  va_list list;
  va_start(list, format);
  ig_format_args(line, sizeof line, format, list);
  va_end(list);
  ig_text_add(text, line);
}

void ig_text_base64(ig_text *text, const void *bytes, size_t size) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *p = bytes;
  for (size_t i = 0; i < size; i += 3) {
    const size_t left = size - i;
    const unsigned three = (unsigned)p[i] << 16 | (left > 1 ? (unsigned)p[i + 1] << 8 : 0) |
                           (left > 2 ? (unsigned)p[i + 2] : 0);
    const char four[4] = {digit[three >> 18], digit[three >> 12 & 63],
                          left > 1 ? digit[three >> 6 & 63] : '=',
                          left > 2 ? digit[three & 63] : '='};
    ig_text_add_bytes(text, four, sizeof four);
  }
}

ig_status ig_html_picture(ig_ctx *cx, const char *png, const char *alt, ig_text *html) {
  char *bytes = NULL;
  size_t size;
  IG_TRY(ig_file_read(cx, png, 0, &bytes, &size));
  ig_text_add(html, "<img alt=\"");
  ig_html_text(html, alt);
  ig_text_add(html, "\" src=\"data:image/png;base64,");
  ig_text_base64(html, bytes, size);
  ig_text_add(html, "\">");
  free(bytes);
  return IG_OK;
}
