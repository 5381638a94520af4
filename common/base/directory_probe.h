/* SPDX-License-Identifier: Apache-2.0 */
/* directory_probe.h - tests whether files can be written in a directory */
#ifndef CREEL_BASE_DIRECTORY_PROBE_H
#define CREEL_BASE_DIRECTORY_PROBE_H

#include <stdbool.h>

/* Creates a file in DIRECTORY. With SYNC, also writes to it and syncs it: a disk may accept data into memory
 * that it cannot store. The file has no name, so nothing is left after a crash; on a file system without such
 * files, as NFS, it is ".creel-probe", and is only created with SYNC. Returns errno; 0: files can be written,
 * or nothing was learned since descriptors or memory were short. Blocks if the disk does not answer. */
int directory_probe(const char *directory, bool sync);

#endif
