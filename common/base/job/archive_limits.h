/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive_limits.h - the largest archive that a job may have
 *
 * The client refuses to pack more, and creel-unpack refuses to unpack more. The packed file is limited by
 * creel.submit.file-size-max.
 */
#ifndef CREEL_ARCHIVE_LIMITS_H
#define CREEL_ARCHIVE_LIMITS_H

#include <stdint.h>

#define ARCHIVE_ENTRIES_MAX 100000
#define ARCHIVE_BYTES_MAX ((int64_t)10 << 30) /* of all files, unpacked */

#endif
