/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_words.h - inside libcreel: names fields of messages by the words of the user
 *
 * The checks of a message name a field by its path in the schema, "submit_app.job.time_limit_s: must be ...".
 * Users know the option instead: "--time".
 */
#ifndef CREEL_LIB_FIELD_WORDS_H
#define CREEL_LIB_FIELD_WORDS_H

#include "common/base/err.h"

/* Replaces the path at the start of the text of ERR, if there is one: by the option of a field of a job,
 * else by the last name of the path, "reason". Declared for tests. */
void field_words_replace(struct err *err);
/* Returns R, a result of sending or packing a message. If the message was not valid or too long, replaces the
 * path in ERR and returns -EINVAL. */
int field_words_end(int r, struct err *err);

#endif
