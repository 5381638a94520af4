/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.h - counts the open file descriptors of this process */
#ifndef CREEL_NM_DESCRIPTORS_H
#define CREEL_NM_DESCRIPTORS_H

#include <stdint.h>

/* Return the number of open descriptors, and how many there may be; 0: not known. */
uint64_t descriptors_open(void);
uint64_t descriptors_max(void);

#endif
