/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cross_origin.h - which pages of other sites may use REST (CORS), as Hadoop's CrossOriginFilter (pure)
 *
 * An origin that the list names may read and change. One that only a word for every site matches, as "*" or
 * "http://" and a star, may read: otherwise any page that a user opens could change the cluster. Browsers may
 * not send their credentials.
 */
#ifndef CREEL_WEB_HTTP_CROSS_ORIGIN_H
#define CREEL_WEB_HTTP_CROSS_ORIGIN_H

#include <stdint.h>

struct cross_origin {
    char *origins; /* comma-separated; a star in one of them matches any text */
    char *methods, *headers;
    int64_t max_age_s;
};

enum cross_origin_match { CROSS_ORIGIN_NONE, CROSS_ORIGIN_ANY, CROSS_ORIGIN_NAMED }; /* from least to most */

/* Returns how ORIGIN, the value of that header, matches; SETTINGS NULL: no origin matches. */
enum cross_origin_match cross_origin_find(const struct cross_origin *settings, const char *origin);

#endif
