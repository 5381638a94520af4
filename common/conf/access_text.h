/* SPDX-License-Identifier: Apache-2.0 */
/* access_text.h - sentences about who may act: yarn.acl.enable, yarn.admin.acl, creel.http.auth */
#ifndef CREEL_CONF_ACCESS_TEXT_H
#define CREEL_CONF_ACCESS_TEXT_H

#include <stdbool.h>

#include "common/conf/conf.h"

/* Returns the sentence, which the caller frees. *OPEN: every user may act on applications of others, or on
 * nodes. */
char *access_text(const struct conf *conf, bool *open);

/* Returns a sentence about who may act as any user over REST, which the caller frees; NULL: nobody, since
 * creel.http.auth is not simple. */
char *access_text_of_rest(const struct conf *conf);

#endif
