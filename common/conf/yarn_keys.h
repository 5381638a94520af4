/* SPDX-License-Identifier: Apache-2.0 */
/* yarn_keys.h - recognizes keys that YARN defines and creel ignores */
#ifndef CREEL_CONF_YARN_KEYS_H
#define CREEL_CONF_YARN_KEYS_H

#include <stdbool.h>

/* Returns true if NAME, a yarn.* key without a row in the key table, is one of YARN's own keys, so that it is
 * no typing error. */
bool yarn_key_known(const char *name);

/* Returns true if NAME is in a family of names that other code checks (the queues of a scheduler, the
 * resource types): common/conf does not check them. */
bool yarn_key_elsewhere(const char *name);

#endif
