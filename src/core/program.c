/* See program.h. */
#include "core/program.h"

#include <string.h>
#include <unistd.h>

bool ig_program_above(int levels, char *folder, size_t size) {
  const ssize_t length = readlink("/proc/self/exe", folder, size - 1);
  folder[length > 0 ? length : 0] = '\0';
  for (; levels > 0; levels--) {
    char *slash = strrchr(folder, '/');
    if (!slash)
      return false;
    *slash = '\0';
  }
  return true;
}
