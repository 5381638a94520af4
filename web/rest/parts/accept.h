/* SPDX-License-Identifier: Apache-2.0 */
/* accept.h - chooses JSON or XML by the request's Accept header (pure) */
#ifndef CREEL_WEB_REST_ACCEPT_H
#define CREEL_WEB_REST_ACCEPT_H

enum accept_format { ACCEPT_NONE, ACCEPT_JSON, ACCEPT_XML };

/* Returns the type with the higher quality value in ACCEPT, the header's value or NULL; JSON if both have the
 * same; ACCEPT_NONE: neither is accepted. A range with a star applies to types that no exact range names. */
enum accept_format accept_choose(const char *accept);

#endif
