/* A confined process: what it may no longer do, with Landlock and on kernels without it. Each try
   is made in a child, which reports by its exit status or dies. */
#define _GNU_SOURCE
#include "check.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "folder.h"
#include "io/mesh/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder, *home, outside[512];

enum { LANDLOCK_CREATE = 444 };
static bool has_landlock(void) {
  return syscall(LANDLOCK_CREATE, NULL, (size_t)0, 1) > 0;
}

/* As on a kernel that has never heard of it. */
static void landlock_hide(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LANDLOCK_CREATE, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog filter = {4, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter))
    _exit(90);
}

typedef int try_fn(void); /* 0: refused, 1: it worked */

/* Exit status of the try, or minus the signal that ended it. */
static int confined(try_fn *try, bool landlock) {
  const pid_t child = fork();
  int how = 0;
  if (child == 0) {
    char why[256];
    const ig_sandbox s = {.folder = folder, .seconds = 60, .bytes = 256e6, .file_bytes = 1e6};
    const char *const places[] = {folder, NULL};
    if (!landlock)
      landlock_hide();
    if (!ig_sandbox_enter(&s, why, sizeof why) || !ig_sandbox_narrow(places, why, sizeof why)) {
      fprintf(stderr, "%s\n", why);
      _exit(91);
    }
    _exit(try());
  }
  waitpid(child, &how, 0);
  return WIFSIGNALED(how) ? -WTERMSIG(how) : WEXITSTATUS(how);
}

static int run_program(void) {
  char *const words[] = {(char *)(uintptr_t) "true", NULL};
  execve("/bin/true", words, words);
  return 1;
}
static int run_shell(void) {
  return system("true") == 0;
}
static int new_process(void) {
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  return child > 0;
}
static int open_socket(void) {
  return socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
}
static int write_outside(void) {
  return open(outside, O_WRONLY) >= 0 || open(outside, O_RDWR | O_CREAT, 0600) >= 0;
}
static int truncate_outside(void) {
  return truncate(outside, 0) == 0 || open(outside, O_RDONLY | O_TRUNC) >= 0;
}
static int change_outside(void) {
  char other[600];
  snprintf(other, sizeof other, "%s.new", outside);
  return chmod(outside, 0777) == 0 || unlink(outside) == 0 || rename(outside, other) == 0 ||
         link(outside, other) == 0 || symlink(outside, other) == 0 || mkdir(other, 0700) == 0 ||
         utimensat(AT_FDCWD, outside, NULL, 0) == 0;
}
static int read_outside(void) {
  return open(outside, O_RDONLY) >= 0;
}
static int disturb_parent(void) {
  return kill(getppid(), 0) == 0 || syscall(SYS_tgkill, getppid(), getppid(), 0) == 0;
}
static int raise_limits(void) {
  const struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
  return setrlimit(RLIMIT_AS, &more) == 0 || setrlimit(RLIMIT_CPU, &more) == 0;
}
static int outlive_parent(void) {
  return prctl(PR_SET_PDEATHSIG, 0) == 0;
}
static int much_memory(void) {
  void *volatile block = malloc((size_t)1 << 30);
  return block != NULL;
}

static int write_inside(void) {
  char path[300], other[300], text[4] = "";
  snprintf(path, sizeof path, "%s/own", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  FILE *f = fopen(path, "w");
  if (!f || fputs("abc", f) < 0 || fclose(f) != 0 || rename(path, other) != 0)
    return 0;
  f = fopen(other, "r");
  return f && fread(text, 1, 3, f) == 3 && strcmp(text, "abc") == 0 && unlink(other) == 0;
}
static int read_inside(void) {
  char path[300];
  snprintf(path, sizeof path, "%s/given", folder);
  return open(path, O_RDONLY) >= 0;
}
static void *work(void *user) {
  *(int *)user = 1;
  return NULL;
}
static int start_thread(void) {
  pthread_t thread;
  int done = 0;
  return pthread_create(&thread, NULL, work, &done) == 0 && pthread_join(thread, NULL) == 0 && done;
}
static int take_memory(void) {
  char *block = malloc((size_t)64 << 20);
  return block && memset(block, 1, (size_t)64 << 20) == block;
}
static int abort_itself(void) {
  abort();
}

static void holds(void **state) {
  (void)state;
  home = folder_new();
  folder = folder_new();
  snprintf(outside, sizeof outside, "%s/outside", home);
  file_write(outside, "data", 4);
  file_write(in_folder(folder, "given"), "data", 4);
  for (int landlock = 0; landlock < 2; landlock++) {
    if (landlock && !has_landlock())
      continue;
    assert_int_equal(confined(run_program, landlock), -SIGSYS);
    assert_int_equal(confined(run_shell, landlock), -SIGSYS);
    assert_int_equal(confined(new_process, landlock), -SIGSYS);
    static try_fn *const refused[] = {open_socket,    write_outside,  truncate_outside,
                                      change_outside, disturb_parent, raise_limits,
                                      outlive_parent};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
      if (confined(refused[i], landlock) != 0)
        fail_msg("try %zu, %s Landlock: not refused", i, landlock ? "with" : "without");
    assert_int_equal(confined(read_outside, landlock), !landlock);
    assert_int_equal(confined(write_inside, landlock), landlock);
    static try_fn *const allowed[] = {read_inside, start_thread, take_memory};
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
      if (confined(allowed[i], landlock) != 1)
        fail_msg("try %zu, %s Landlock: refused", i, landlock ? "with" : "without");
    assert_int_equal(confined(abort_itself, landlock), -SIGABRT);
    if (!SANITIZED) /* they map their memory before */
      assert_int_equal(confined(much_memory, landlock), 0);
  }
  struct stat info;
  assert_int_equal(stat(outside, &info), 0);
  assert_int_equal(info.st_size, 4);
  folder_remove(folder);
  folder_remove(home);
}
#endif

int main(void) {
#ifdef INGOT_HAVE_IO
  const struct CMUnitTest tests[] = {cmocka_unit_test(holds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
#else
  return 0;
#endif
}
