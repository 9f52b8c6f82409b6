/* Output folders of two runs of a design, compared: history, snapshots, the part, checkpoint,
 * figures. */
#ifndef IG_TEST_RANKS_FOLDERS_H
#define IG_TEST_RANKS_FOLDERS_H

#include "ranks_seats.h"
#include "ingot_io.h"

#ifdef INGOT_HAVE_IO
#include <hdf5.h>

/* A mark of all arrays of a checkpoint but the run's own number. */
static herr_t array_see(hid_t group, const char *name, const H5L_info_t *info, void *user) {
  (void)info;
  if (strcmp(name, "sink.run") == 0)
    return 0;
  const hid_t set = H5Dopen2(group, name, H5P_DEFAULT), type = H5Dget_type(set);
  const hid_t space = H5Dget_space(set);
  const size_t size = H5Tget_size(type) * (size_t)H5Sget_simple_extent_npoints(space);
  char *bytes = malloc(size + 1);
  const bool read = bytes && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
  see(user, name, strlen(name));
  if (read)
    see(user, bytes, size);
  free(bytes);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(set);
  return read ? 0 : -1;
}
static inline uint64_t arrays_seen(const char *folder) {
  char path[128];
  seat s = {.seen = 0xcbf29ce484222325u};
  snprintf(path, sizeof path, "%s/checkpoint.h5", folder);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  const hid_t group = H5Gopen2(file, "/checkpoint", H5P_DEFAULT);
  assert_true(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, array_see, &s) >= 0);
  H5Gclose(group);
  H5Fclose(file);
  return s.seen;
}

/* The same files in both folders; of the summary what was found, without times. */
static inline void folders_agree(const char *one, const char *many, const char *what) {
  static const char found[] = "sed -n '/\"result\"/,/}/p' '%s/summary.json' | grep -v seconds";
  char command[1024], first[256], second[256];
  snprintf(first, sizeof first, found, one);
  snprintf(second, sizeof second, found, many);
  snprintf(command, sizeof command,
           "set -e; cd '%s'; for f in history.csv *.vtkhdf *.stl; do test \"$f\" != '*.stl' || "
           "continue; cmp \"$f\" '%s'/\"$f\"; done; "
           "a=$(%s); b=$(%s); test -n \"$a\"; test \"$a\" = \"$b\"",
           one, many, first, second);
  if (system(command) != 0)
    fail_msg("%s, %s: other files than one rank's", what, many);
  if (arrays_seen(one) != arrays_seen(many))
    fail_msg("%s, %s: another checkpoint than one rank's", what, many);
}

#endif
#endif
