/* Which source a build was made of. */
#ifndef IG_CORE_VERSION_H
#define IG_CORE_VERSION_H

/* The commit in hexadecimal digits, followed by "-modified" where the tree had changes; "unknown"
   where it was no git repository. */
const char *ig_commit(void);

#endif
