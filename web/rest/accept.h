/* SPDX-License-Identifier: Apache-2.0 */
/* accept.h - JSON or XML, as the header Accept prefers it (pure) */
#ifndef CREEL_WEB_REST_ACCEPT_H
#define CREEL_WEB_REST_ACCEPT_H

enum accept_format { ACCEPT_NONE, ACCEPT_JSON, ACCEPT_XML };

/* ACCEPT may be NULL. The type of higher quality, JSON if both have the same; NONE: neither is accepted.
 * A range with a star has the quality of the types in it that are not named. */
enum accept_format accept_choose(const char *accept);

#endif
