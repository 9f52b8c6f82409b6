/* A stranger's program: opens a context and asks what it runs on. */
#include <ingot/ingot.h>
#include <stdio.h>

int main(void) {
  ig_ctx *cx;
  ig_status status = ig_ctx_open(NULL, &cx);
  printf("ingot %s on %s\n", ig_version(),
         status == IG_OK ? ig_ctx_device(cx) : ig_ctx_message(cx));
  ig_ctx_close(cx);
  return status != IG_OK;
}
