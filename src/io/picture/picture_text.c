/* Text in a stroke font: each glyph is a few polylines on a grid 4 wide, with the baseline at 2,
   the x-height at 6 and capitals at 8. Two digits are a point (column, row), a space lifts the pen.
   A font of lines needs no font file and is sharp at any size. */
#include "io/picture/picture.h"

#include <math.h>

/* Rows of the baseline and of capitals; gaps in grid units. */
enum { BASE = 2, CAP = 8 };
static const float GAP = 1.9F, SPACE = 3.2F;

static const struct {
  char letter;
  const char *strokes;
} glyphs[] = {
    /* Each pair of digits is a point x, y of a grid; a blank lifts the pen. */
    {'A', "022842 0444"},
    {'B', "0208283746353525 05253443322202"},
    {'C', "4738281707031222323343"},
    {'D', "02082837434332222202"},
    {'E', "42020848 0535"},
    {'F', "020848 0535"},
    {'G', "473828171703122232434525"},
    {'H', "0208 4248 0545"},
    {'I', "2228 1232 1838"},
    {'J', "48433222120304"},
    {'K', "0208 4804 1542"},
    {'L', "080242"},
    {'M', "0208254842"},
    {'N', "02084248"},
    {'O', "12030718283847433222 2212"},
    {'P', "02083847463505"},
    {'Q', "12030718384743321222 2442"},
    {'R', "02083847463505 2542"},
    {'S', "47381807061535444332 32120312"},
    {'T', "0848 2822"},
    {'U', "080312324348"},
    {'V', "082248"},
    {'W', "0812263248"},
    {'X', "0248 0842"},
    {'Y', "082548 2522"},
    {'Z', "08480242"},
    {'a', "46423212030516364545"},
    {'b', "080232434536160505"},
    {'c', "453616050312324343"},
    {'d', "48421203051636454543"},
    {'e', "04444536160503123242"},
    {'f', "37281716 1217 0636"},
    {'g', "4616050312324343 4641301000"},
    {'h', "0802 0516364542"},
    {'i', "2622 2828"},
    {'j', "3631201101 3838"},
    {'k', "0802 4604 1542"},
    {'l', "182822 1232"},
    {'m', "0602 0516252522 2536454542"},
    {'n', "0602 0516364542"},
    {'o', "120305163645433212"},
    {'p', "0006 051636454332120303"},
    {'q', "4046 451605031232434343"},
    {'r', "1612 1425363646"},
    {'s', "45361605143443321203"},
    {'t', "18131222223333 0636"},
    {'u', "060312324346 4342"},
    {'v', "062246"},
    {'w', "0612243246"},
    {'x', "0246 0642"},
    {'y', "0622 4622110000"},
    {'z', "06460242"},
    {'0', "120307183847433212"},
    {'1', "072822 1232"},
    {'2', "0718384746020242"},
    {'3', "0718384746352535 3544433212032203"},
    {'4', "3238040444"},
    {'5', "480805354443321203"},
    {'6', "4738180703123243443505"},
    {'7', "08481212"},
    {'8', "15060718384746351504031232434435"},
    {'9', "0312324347381807061545"},
    {'.', "2222"},
    {',', "2211"},
    {':', "2222 2525"},
    {';', "2211 2525"},
    {'-', "0545"},
    {'+', "0545 2327"},
    {'=', "0444 0646"},
    {'/', "0148"},
    {'\\', "0841"},
    {'(', "38171332"},
    {')', "18373312"},
    {'[', "38181232"},
    {']', "18383212"},
    {'<', "470543"},
    {'>', "074503"},
    {'^', "062846"},
    {'_', "0141"},
    {'*', "2327 0644 0446"},
    {'%', "0248 07181606 44333243"},
    {'!', "2824 2222"},
    {'?', "0718384746252524 2222"},
    {'\'', "2826"},
    {'"', "1816 3836"},
    {'#', "1217 3338 0444 0646"},
    {'&', "4207183716050312223245"},
    {'|', "2028"},
    {'~', "05162535444546"},
    {'@', "4212030718384744342535453344"},
    {'\xb0', "1618383616"}, /* the degree sign, after the first of its two bytes */
};

/* An open box stands for characters that the font lacks (all beyond ASCII but the degree sign). */
static const char *glyph_find(char c) {
  for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
    if (glyphs[i].letter == c)
      return glyphs[i].strokes;
  return "02084842"; /* a box for what the font lacks */
}

/* Leftmost and rightmost column of a glyph, for proportional spacing. */
static void glyph_extent(const char *strokes, int *low, int *high) {
  *low = 9;
  *high = 0;
  for (const char *s = strokes; *s; s += *s == ' ' ? 1 : 2)
    if (*s != ' ') {
      *low = s[0] - '0' < *low ? s[0] - '0' : *low;
      *high = s[0] - '0' > *high ? s[0] - '0' : *high;
    }
}

/* Draws one glyph (canvas NULL: only measures); returns the advance of the pen. unit: pixels per
   grid unit. Strokes between points of a grid, thick lines of the canvas; returns the width. */
static float glyph_draw(ig_canvas *canvas, char letter, float x, float y, float unit,
                        const float rgb[3]) {
  if (letter == ' ')
    return SPACE * unit;
  if (letter == '\xc2') /* of a character of two bytes */
    return 0;
  const char *s = glyph_find(letter);
  int low, high;
  glyph_extent(s, &low, &high);
  const float pen = fmaxf(1.0F, 0.68F * unit);
  float px = 0, py = 0;
  for (bool down = false; canvas && *s;) {
    if (*s == ' ') {
      down = false;
      s++;
      continue;
    }
    const float gx = x + (float)(s[0] - '0' - low) * unit;
    const float gy = y - (float)(s[1] - '0' - BASE) * unit;
    if (down)
      ig_canvas_line(canvas, px, py, gx, gy, pen, rgb);
    px = gx;
    py = gy;
    down = true;
    s += 2;
  }
  return ((float)(high - low) + GAP) * unit;
}

/* size is the height of capitals in pixels; returns the width of the text. */
float ig_canvas_text(ig_canvas *canvas, float x, float y, float size, const float rgb[3],
                     const char *text) {
  const float unit = size / (CAP - BASE);
  float left = x;
  for (const char *c = text; *c; c++)
    left += glyph_draw(canvas, *c, left, y, unit, rgb);
  return left - x;
}

float ig_text_width(float size, const char *text) {
  return ig_canvas_text(NULL, 0, 0, size, NULL, text);
}
