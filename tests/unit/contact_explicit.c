/* What explicit contact shares: chains of items by cells, and lists of numbered records. */
#include "check.h"
#include "contact/explicit/buckets.h"
#include "contact/explicit/parcels.h"

enum { ITEMS = 500 };

/* Each item is found in its cell, once; chains rise once they are sorted, whatever the order in
   which they were made. */
static void items_by_cell(void **state) {
  (void)state;
  int32_t first[64], chain[ITEMS], again[64], other[ITEMS];
  const ig_buckets a = {first, chain, 63}, b = {again, other, 63};
  assert_int_equal(ig_buckets_count(0), 64);
  assert_int_equal(ig_buckets_count(64), 64);
  assert_int_equal(ig_buckets_count(65), 128);
  memset(first, -1, sizeof first);
  memset(again, -1, sizeof again);
  for (int32_t i = 0; i < ITEMS; i++) {
    const int32_t j = ITEMS - 1 - i;
    ig_buckets_put(&a, i % 7 - 3, i % 5 - 2, i % 3, i);
    ig_buckets_put(&b, j % 7 - 3, j % 5 - 2, j % 3, j);
  }
  for (int k = 0; k < 64; k++) {
    ig_chain_sort(&first[k], chain);
    ig_chain_sort(&again[k], other);
  }
  assert_memory_equal(first, again, sizeof first);
  assert_memory_equal(chain, other, sizeof chain);
  for (int32_t i = 0; i < ITEMS; i++) {
    int found = 0, last = -1;
    for (int32_t k = ig_buckets_first(&a, i % 7 - 3, i % 5 - 2, i % 3); k >= 0; k = chain[k]) {
      found += k == i;
      assert_true(k > last);
      last = k;
    }
    assert_int_equal(found, 1);
  }
}

typedef struct {
  int32_t number, value;
} record;

/* Of records with one number the sort keeps one; each is found, others are not. */
static void records_by_number(void **state) {
  (void)state;
  record list[90];
  for (int i = 0; i < 90; i++)
    list[i] = (record){.number = 3 * (i * 17 % 30), .value = 3 * (i * 17 % 30) + 1};
  assert_int_equal(ig_records_sort_once(list, 90, sizeof *list), 30);
  for (int32_t n = 0; n < 90; n++) {
    const int32_t at = ig_records_find(list, 30, sizeof *list, n);
    assert_int_equal(at, n % 3 ? -1 : n / 3);
    assert_true(at < 0 || list[at].value == n + 1);
  }
  assert_int_equal(ig_records_find(list, 30, sizeof *list, -1), -1);
  assert_int_equal(ig_records_find(NULL, 0, sizeof *list, 3), -1);
  assert_int_equal(ig_records_sort_once(NULL, 0, sizeof *list), 0);
}

/* Lists of a parcel follow each other. */
static void lists_follow(void **state) {
  (void)state;
  const int32_t count[IG_PARCEL_LISTS] = {2, 0, 5};
  const size_t size[IG_PARCEL_LISTS] = {24, 8, 16};
  char bytes[1];
  assert_int_equal(ig_parcel_list(bytes, count, size, 0) - bytes, 0);
  assert_int_equal(ig_parcel_list(bytes, count, size, 1) - bytes, 48);
  assert_int_equal(ig_parcel_list(bytes, count, size, 2) - bytes, 48);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(items_by_cell),
                                     cmocka_unit_test(records_by_number),
                                     cmocka_unit_test(lists_follow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
