/* SPDX-License-Identifier: Apache-2.0 */
/* yarn_keys.h - keys that YARN knows and creel does not act on */
#ifndef CREEL_CONF_YARN_KEYS_H
#define CREEL_CONF_YARN_KEYS_H

#include <stdbool.h>

/* True if NAME, a yarn.* key without a row in the key table, is one of YARN's
 * own: then it is no typing error. */
bool yarn_key_known(const char *name);

/* True if NAME is of a family whose names are checked elsewhere (the queues of a scheduler, the resource
 * types): common/conf does not check it. */
bool yarn_key_elsewhere(const char *name);

#endif
