/* SPDX-License-Identifier: Apache-2.0 */
/* access_text.h - a sentence about who may act on a cluster: yarn.acl.enable and yarn.admin.acl */
#ifndef CREEL_CONF_ACCESS_TEXT_H
#define CREEL_CONF_ACCESS_TEXT_H

#include <stdbool.h>

#include "common/conf/conf.h"

/* Returns the sentence, which the caller frees. *OPEN: every user may act on applications of others, or on
 * nodes. */
char *access_text(const struct conf *conf, bool *open);

#endif
