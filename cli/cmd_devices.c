/* ingot devices: what hardware is seen. Memory bandwidth is measured here and now, so the command
   takes a moment on each device. */
#include "cli.h"

/* ig_devices returns how many there are, which may be more than fit. */
static int devices_run(const cli_args *args) {
  (void)args;
  enum { MAX = 16 };
  /* Backends that are compiled in; those without a device say why. */
  ig_device_info rows[MAX];
  int n = ig_devices(rows, MAX);
  n = n < MAX ? n : MAX;
  printf("%-9s %-44s %6s %10s %12s\n", "backend", "device", "units", "memory", "copy");
  for (int i = 0; i < n; i++)
    if (rows[i].available)
      printf("%-9s %-44s %6d %10s %12s\n", rows[i].backend, rows[i].name, rows[i].units,
             cli_scaled((double)rows[i].memory, "B"), cli_scaled(rows[i].copy_bytes_per_s, "B/s"));
    else
      printf("%-9s not available: %s\n", rows[i].backend, rows[i].why_not);
  return CLI_GOOD;
}

/* Of a command without options. */
static const cli_option no_options[] = {{0}};
const cli_command cli_devices = {
    .name = "devices",
    .words = "",
    .about = "list the backends, what they run on and their measured copy bandwidth",
    .detail = "Units are cores or multiprocessors. The bandwidth counts bytes read and bytes "
              "written, measured now with a copy much larger than any cache.",
    .options = no_options,
    .run = devices_run,
};
