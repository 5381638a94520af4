/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - what this machine has */
#ifndef CREEL_NM_MACHINE_H
#define CREEL_NM_MACHINE_H

#include <stdint.h>

/* The text of /proc/cpuinfo, the caller's; 0 or -errno. */
int machine_read_cpuinfo(char **text);

/* Physical cores in such a TEXT: hyperthreads of one core count once. 0: it names none, as on
 * machines that are not x86. */
int64_t machine_count_cores(const char *text);

#endif
