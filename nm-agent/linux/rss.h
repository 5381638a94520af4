/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rss.h - making the resident memory of the agent smaller
 *
 * An agent runs beside its host's work for months and mostly sleeps. Little of what its start needed,
 * code of libraries above all, is needed again: it is given back, and what is needed comes back
 * from the page cache.
 */
#ifndef CREEL_NM_RSS_H
#define CREEL_NM_RSS_H

/* Give back pages that are unchanged in their files, and free memory of the heap. Cheap enough for once a
 * minute. */
void rss_trim(void);

/* Give back those pages of the zeroed data of the library LIBRARY ("libcgroup.so") that hold nothing but
 * zeros, as they do when they are read next. No other thread may use the library meanwhile. */
void rss_trim_zeros(const char *library);

#endif
