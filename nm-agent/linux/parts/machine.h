/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - counts the physical cores of this machine */
#ifndef CREEL_NM_MACHINE_H
#define CREEL_NM_MACHINE_H

#include <stdint.h>

/* Reads /proc/cpuinfo into *TEXT, owned by the caller; returns 0 or -errno. */
int machine_read_cpuinfo(char **text);

/* Counts the physical cores in TEXT, the content of /proc/cpuinfo: hyperthreads of one core count once.
 * Returns 0 if TEXT names no cores, as on machines that are not x86. */
int64_t machine_count_cores(const char *text);

#endif
