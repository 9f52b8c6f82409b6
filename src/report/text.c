/* Pieces of HTML: escaping, a format of its own, base64, pictures, and inline scripts with their
   hashes. */
#include "report/report.h"
#include "core/number.h"
#include "core/sha256.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Escapes the five characters that mean something in HTML text and in quoted attributes. most:
   characters at most; negative: all. UTF-8 passes through, as its further bytes are none of these
   characters. `most` counts bytes and may cut a character. */
static void escaped(ig_text *html, const char *text, int most) {
  for (; *text && most != 0; text++, most -= most > 0)
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
    case '\'':
      ig_text_add(html, "&#39;");
      break;
    default:
      ig_text_add_bytes(html, text, 1);
    }
}

/* The whole text; NULL is not allowed. */
void ig_html_text(ig_text *html, const char *text) {
  escaped(html, text, -1);
}

/* A printf of few conversions, so that escaping cannot be forgotten. Numbers are written with a
   point whatever the locale. An unknown conversion marks the text as failed. */
void ig_html_format(ig_text *html, const char *format, ...) {
  va_list list;
  va_start(list, format);
  for (const char *c = format; *c; c++) {
    const size_t plain = strcspn(c, "%");
    ig_text_add_bytes(html, c, plain);
    c += plain;
    if (!*c)
      break;
    /* Long enough for the largest double written without an exponent. */
    char number[400];
    int precision = -1;
    if (*++c == '.')
      for (precision = 0, c++; *c >= '0' && *c <= '9'; c++)
        precision = 10 * precision + (*c - '0');
    switch (*c) {
    case 's':
      escaped(html, va_arg(list, const char *), precision);
      break;
    case 'd':
      snprintf(number, sizeof number, "%d", va_arg(list, int));
      ig_text_add(html, number);
      break;
    case 'f':
      ig_format(number, sizeof number, "%.*f", precision, va_arg(list, double));
      ig_text_add(html, number);
      break;
    case 'g':
      ig_format(number, sizeof number, "%.*g", precision, va_arg(list, double));
      ig_text_add(html, number);
      break;
    default:
      html->failed = true; /* not a conversion of this function */
    }
  }
  va_end(list);
}

/* Base64 by RFC 4648, with padding. */
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

/* A data URL: the page needs no other file. */
void ig_html_picture(ig_text *html, const char *png, size_t size, const char *alt) {
  ig_html_format(html, "<img alt=\"%s\" src=\"data:image/png;base64,", alt);
  ig_text_base64(html, png, size);
  ig_text_add(html, "\">");
}

/* The hash is SHA-256 in base64, as Content-Security-Policy (level 2) has it. */
void ig_html_inline(ig_text *html, const char *tag, const char *text, ig_text *policy) {
  uint8_t digest[IG_SHA256_BYTES];
  ig_text body = {0};
  ig_sha256 hash;
  /* a browser hashes the text as its parser sees it: line ends without \r */
  for (const char *c = text; *c; c++)
    if (!(*c == '\r' && c[1] == '\n'))
      ig_text_add_bytes(&body, c, 1);
  ig_sha256_begin(&hash);
  ig_sha256_add(&hash, body.at, body.length);
  ig_sha256_end(&hash, digest);
  ig_text_add(policy, " 'sha256-");
  ig_text_base64(policy, digest, sizeof digest);
  ig_text_add(policy, "'");
  ig_html_format(html, "<%s>", tag);
  ig_text_add_bytes(html, body.at, body.length);
  ig_html_format(html, "</%s>\n", tag);
  html->failed |= body.failed;
  free(body.at);
}
