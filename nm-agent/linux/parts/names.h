/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - names in a directory, sorted. Private to nm-agent/linux. */
#ifndef CREEL_NM_NAMES_H
#define CREEL_NM_NAMES_H

#include <stddef.h>

struct names {
    char **name; /* owned, like the texts */
    size_t count, capacity;
};

/* Reads the names in the directory PATH below PARENT_FD. Returns 0 or -errno; on error NAMES is incomplete.
 * The caller must always call names_clear. */
int names_list(int parent_fd, const char *path, struct names *names);
void names_clear(struct names *names);

#endif
