/* SPDX-License-Identifier: Apache-2.0 */
/* own_process.h - what the calling process uses: memory, processor time, open files */
#ifndef CREEL_BASE_OWN_PROCESS_H
#define CREEL_BASE_OWN_PROCESS_H

#include <stdint.h>

struct own_process {
    uint64_t resident_bytes, virtual_bytes;
    uint64_t cpu_us; /* of all threads, in the kernel and outside */
    uint64_t open_files, open_files_max;
};

/* A figure that cannot be read is 0. Cost: before Linux 6.2 linear in the number of open files. */
struct own_process own_process_read(void);

#endif
