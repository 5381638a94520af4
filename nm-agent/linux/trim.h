/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trim.h - memory that a start took and that nobody needs any more
 *
 * An agent stands beside its host's work for months and mostly sleeps. Of what its start needed,
 * code of libraries above all, little is needed again: it goes, and what is needed
 * comes back from the page cache.
 */
#ifndef CREEL_NM_TRIM_H
#define CREEL_NM_TRIM_H

/* Give back what stands unchanged in files, and free memory of the heap. Cheap enough for once a
 * minute. */
void trim_memory(void);

/* Give back those pages of the zeroed data of the library LIBRARY ("libcgroup.so") that hold nothing but
 * zeros, as they do when they are read next. No other thread may use the library meanwhile. */
void trim_zeros(const char *library);

#endif
