/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_writer.h - streaming JSON writer without a size limit
 *
 * Invalid UTF-8 is replaced by U+FFFD; control characters are escaped. NAME is NULL inside an array. The
 * caller leaves out fields without a value: absent means unknown.
 */
#ifndef CREEL_BASE_JSON_WRITER_H
#define CREEL_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 512 /* three levels for each component of a queue's path, of 255 bytes at most */

struct json_writer {
    FILE *out;
    bool compact; /* on one line */
    unsigned depth;
    bool filled[JSON_DEPTH_MAX]; /* the object or array at this depth is not empty */
};

void json_init(struct json_writer *json, FILE *out, bool compact);
void json_finish(struct json_writer *json); /* writes the final newline; all objects must be closed */

void json_begin_object(struct json_writer *json, const char *name);
void json_end_object(struct json_writer *json);
void json_begin_array(struct json_writer *json, const char *name);
void json_end_array(struct json_writer *json);

void json_text(struct json_writer *json, const char *name, const char *value);
void json_int(struct json_writer *json, const char *name, int64_t value);
void json_uint(struct json_writer *json, const char *name, uint64_t value);
void json_double(struct json_writer *json, const char *name, double value); /* finite */
/* Writes VALUE unchanged: null, or a number in another format. */
void json_raw(struct json_writer *json, const char *name, const char *value);
void json_bool(struct json_writer *json, const char *name, bool value);

/* Writes the field only if VALUE is not empty. */
void json_text_if(struct json_writer *json, const char *name, const char *value);
/* Writes "<name>At" (RFC 3339 in UTC) and "<name>Ms"; nothing if MS is 0. */
void json_time(struct json_writer *json, const char *name, int64_t ms);
/* Writes an array of the texts, which end with NULL. */
void json_texts(struct json_writer *json, const char *name, const char *const *texts);

#endif
