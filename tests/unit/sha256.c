/* SHA-256 against the published examples of FIPS 180-4 and NIST's test vectors; in pieces. */
#include "check.h"
#include "core/sha256.h"

static const char *digest_of(const void *data, size_t bytes, size_t piece) {
  static char text[IG_SHA256_TEXT];
  uint8_t digest[IG_SHA256_BYTES];
  ig_sha256 s;
  ig_sha256_begin(&s);
  for (size_t at = 0; at < bytes; at += piece)
    ig_sha256_add(&s, (const char *)data + at, at + piece < bytes ? piece : bytes - at);
  ig_sha256_end(&s, digest);
  ig_sha256_text(digest, text);
  return text;
}

static void published_vectors(void **state) {
  (void)state;
  static const struct {
    const char *text, *digest;
  } known[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlm"
       "nopqrsmnopqrstnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    for (size_t piece = 1; piece < 130; piece++)
      assert_string_equal(digest_of(known[i].text, strlen(known[i].text), piece), known[i].digest);
}

static void a_million_letters(void **state) {
  (void)state;
  static char many[1000000];
  memset(many, 'a', sizeof many);
  assert_string_equal(digest_of(many, sizeof many, sizeof many),
                      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  assert_string_equal(digest_of(many, sizeof many, 777),
                      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Lengths around the end of a block, where the padding takes another: known from sha256sum. */
static void block_ends(void **state) {
  (void)state;
  static const struct {
    size_t length;
    const char *digest;
  } known[] = {
      {55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"},
      {56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e"},
      {63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"},
      {64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"},
      {65, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"},
      {119, "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c"},
      {120, "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98"},
      {128, "24da1b81d0b16df6428eee73c69fcb2a93c76bc6df706f0c6670fe6bfe800464"},
  };
  char text[200];
  memset(text, 'x', sizeof text);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    assert_string_equal(digest_of(text, known[i].length, 64), known[i].digest);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_vectors),
      cmocka_unit_test(a_million_letters),
      cmocka_unit_test(block_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
