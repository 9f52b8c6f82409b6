/* Finds races between the items of a kernel without a GPU and without threads. The source that
   includes this is compiled with -fsanitize=thread: the compiler puts a call before every access to
   memory. Those calls end here instead of in ThreadSanitizer's library: an address that one item of
   a launch writes must not be touched by another one, in whatever order they run; atomic accesses
   (race_atomic) may meet each other. Unlike a permuted order this also finds sums that lose a term:
   `a[i] += 0` beside `a[i] += x`.

     races_launch("rim");
     for (i...) { race_item_is(i); item(i); }
     races_end();                             no items any more: accesses are not looked at
   then race_count, race_first. */
#ifndef IG_TESTS_ITEM_RACES_H
#define IG_TESTS_ITEM_RACES_H

#include <stdint.h>
#include <stdio.h>

#define UNSEEN __attribute__((no_sanitize_thread, noinline, unused)) static

enum { RACE_ROOM = 1 << 21 }; /* addresses of a launch, twice over */
typedef struct {
  uintptr_t key;
  int64_t writer, reader, adder; /* items, from 1; reader -1: several */
  uint32_t launch;
} race_place;

static race_place race_table[RACE_ROOM];
static bool race_flags; /* several items may set one byte: a flag, to the same value */
static int64_t race_item;
static uint32_t race_launch_now; /* 0: between launches */
static uint32_t race_launches;
static uintptr_t race_stack;
static const char *race_name = "";
static int64_t race_count, race_used;
static char race_first[200];

UNSEEN void race_found(const char *what, uintptr_t at, int64_t other) {
  if (race_count++ == 0)
    snprintf(race_first, sizeof race_first, "%s: items %lld and %lld %s %#llx", race_name,
             (long long)race_item, (long long)other - 1, what, (unsigned long long)at);
}

enum { RACE_READ, RACE_WRITE, RACE_ATOMIC };
UNSEEN void race_touch(uintptr_t key, int kind) {
  const int64_t me = race_item + 1;
  size_t at = (key * 0x9e3779b97f4a7c15ull >> 20) % RACE_ROOM;
  while (race_table[at].launch == race_launch_now && race_table[at].key != key)
    at = (at + 1) % RACE_ROOM;
  race_place *p = &race_table[at];
  if (p->launch != race_launch_now) {
    *p = (race_place){.key = key, .launch = race_launch_now};
    race_used++;
  }
  const bool others_wrote =
      p->writer && p->writer != me && !(race_flags && kind == RACE_WRITE && key & 1);
  if (others_wrote)
    race_found(kind == RACE_READ ? "write and read" : "both write", key, p->writer);
  if (kind == RACE_WRITE) {
    if (p->reader && p->reader != me && !others_wrote)
      race_found("write and read", key, p->reader);
    if (p->adder && p->adder != me)
      race_found("write and add to", key, p->adder);
    p->writer = me;
  } else if (kind == RACE_ATOMIC) {
    p->adder = me;
  } else {
    p->reader = p->reader && p->reader != me ? -1 : me;
  }
}
UNSEEN void race_access(const volatile void *to, size_t size, int kind) {
  const uintptr_t a = (uintptr_t)to;
  const uintptr_t apart = a > race_stack ? a - race_stack : race_stack - a;
  if (race_launch_now == 0 || apart < 1 << 20) /* what an item has on its stack is its own */
    return;
  if (size < 4) { /* bytes have keys of their own: odd ones */
    for (size_t i = 0; i < size; i++)
      race_touch(2 * (a + i) + 1, kind);
    return;
  }
  for (uintptr_t i = a & ~(uintptr_t)3; i < a + size; i += 4)
    race_touch(2 * i, kind);
}
UNSEEN void races_launch(const char *name) {
  int here;
  race_name = name;
  race_stack = (uintptr_t)&here;
  race_launch_now = ++race_launches;
  race_used = 0;
}
UNSEEN bool races_end(void) {
  race_launch_now = 0;
  return race_used < RACE_ROOM / 2;
}
UNSEEN void race_item_is(int64_t item) {
  race_item = item;
}
UNSEEN void race_atomic(const volatile void *at, size_t size) {
  race_access(at, size, RACE_ATOMIC);
}

/* The i-th of n items in an order that no loop has: every other one, then the rest backwards. */
UNSEEN int64_t race_order(int64_t i, int64_t n) {
  const int64_t even = (n + 1) / 2;
  return i < even ? 2 * i : 2 * (n - 1 - i) + 1;
}

/* What the compiler calls. */
#define SEEN __attribute__((no_sanitize_thread, noinline, used))
#define RACES_OF(size)                                                                             \
  SEEN void __tsan_read##size(void *a) {                                                           \
    race_access(a, size, RACE_READ);                                                               \
  }                                                                                                \
  SEEN void __tsan_write##size(void *a) {                                                          \
    race_access(a, size, RACE_WRITE);                                                              \
  }                                                                                                \
  SEEN void __tsan_unaligned_read##size(void *a) {                                                 \
    race_access(a, size, RACE_READ);                                                               \
  }                                                                                                \
  SEEN void __tsan_unaligned_write##size(void *a) {                                                \
    race_access(a, size, RACE_WRITE);                                                              \
  }
RACES_OF(1)
RACES_OF(2)
RACES_OF(4)
RACES_OF(8)
RACES_OF(16)
SEEN void __tsan_read_range(void *a, long size) {
  race_access(a, (size_t)size, RACE_READ);
}
SEEN void __tsan_write_range(void *a, long size) {
  race_access(a, (size_t)size, RACE_WRITE);
}
SEEN unsigned __tsan_atomic32_exchange(volatile void *a, unsigned now, int order) {
  (void)order;
  race_atomic(a, 4);
  volatile unsigned *p = a;
  const unsigned was = *p;
  *p = now;
  return was;
}
SEEN unsigned __tsan_atomic32_fetch_add(volatile void *a, unsigned more, int order) {
  (void)order;
  race_atomic(a, 4);
  volatile unsigned *p = a;
  const unsigned was = *p;
  *p = was + more;
  return was;
}
SEEN unsigned long __tsan_atomic64_load(const volatile void *a, int order) {
  (void)order;
  race_atomic(a, 8);
  return *(const volatile unsigned long *)a;
}
SEEN bool __tsan_atomic64_compare_exchange_weak(volatile void *a, void *expected, unsigned long now,
                                                int order, int failed) {
  (void)order;
  (void)failed;
  race_atomic(a, 8);
  volatile unsigned long *p = a;
  unsigned long *was = expected;
  const bool same = *p == *was;
  *was = *p;
  *p = same ? now : *p;
  return same;
}
SEEN void __tsan_func_entry(void *a) {
  (void)a;
}
SEEN void __tsan_func_exit(void *a) {
  (void)a;
}
SEEN void __tsan_init(void) {}

#endif
