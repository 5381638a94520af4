/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rss.h - reduces the resident memory of the agent
 *
 * An agent runs for months on a host with other work, and mostly sleeps. Most pages used at the start, above
 * all library code, are not used again. They are released to the kernel; a page that is needed later is read
 * from the page cache.
 */
#ifndef CREEL_NM_RSS_H
#define CREEL_NM_RSS_H

/* Releases unmodified file pages and free heap memory. Cheap enough for once a minute. */
void rss_trim(void);

/* Releases those pages of the zero-initialized data of the library LIBRARY ("libcgroup.so") that contain only
 * zeros; they read as zeros later. No other thread may use the library meanwhile. */
void rss_trim_zeros(const char *library);

#endif
