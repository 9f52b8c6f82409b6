/* Every backend, once. Adding one is a line here and a table in a folder beside this file. `auto`
   tries them in an order of its own (ranks/context.c). */
#define IG_BACKEND_LIST(X) X(cpu) X(debug) X(cuda)
