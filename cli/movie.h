/* ingot view --movie */
#ifndef MOVIE_H
#define MOVIE_H

#include "cli.h"

/* Reads the options of a view from the command line, as cmd_view.c does. */
typedef int movie_options_fn(const cli_args *args, const char *second, ig_view_options *options);
/* Draws every snapshot of a folder with one color scale and joins them. */
int movie_run(const cli_args *args, movie_options_fn *options_read);

#endif
