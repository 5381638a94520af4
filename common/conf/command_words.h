/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_words.h - splits the value of a key into the path of a program and its arguments
 *
 * Words are separated by blanks. There is no shell, so quotes and variables have no meaning.
 */
#ifndef CREEL_CONF_COMMAND_WORDS_H
#define CREEL_CONF_COMMAND_WORDS_H

#include "common/base/err.h"
#include "common/conf/conf.h"

/* Sets RET to the words of KEY, which end with NULL; without a word RET is NULL. The caller frees them with
 * command_words_free. -EINVAL: the first word is no absolute path; ERR names the file and the key. */
int command_words_read(const struct conf *conf, enum conf_key key, char ***ret, struct err *err);
void command_words_free(char **words); /* NULL is fine */

#endif
