/* What this build is. The only file that knows the commit, so that a new one compiles nothing else.
 */
#include "core/version.h"
#include <ingot/context.h>
#include "ingot_commit.h"

const char *ig_version(void) {
  return IG_VERSION;
}
const char *ig_commit(void) {
  return IG_COMMIT;
}
const char *ig_build_info(void) {
  return "ingot " IG_VERSION ", commit " IG_COMMIT ", " IG_BUILD_INFO;
}
