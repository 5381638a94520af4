/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yarn_keys.h - keys that YARN defines and creel does not act on, with the reasons
 *
 * `creel conf check` shows a key of these families in the group of its effect (enum conf_effect), and
 * creel-site.xml(5) lists all families.
 */
#ifndef CREEL_CONF_YARN_KEYS_H
#define CREEL_CONF_YARN_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/conf/effect.h"

struct yarn_key_family {
    const char *prefix;      /* beginning of the names */
    const char *as_here;     /* the value that describes what creel always does; NULL: there is none */
    enum conf_effect effect; /* of the other values: CONF_NO_EFFECT or CONF_CHANGES */
    const char *reason;
};

/* Returns the family of NAME, a yarn.* or hadoop.* key without a row in the key table; NULL if YARN has no
 * such key, so that it may be a typing error. */
const struct yarn_key_family *yarn_key_family_find(const char *name);

/* Returns the key of a family that NAME, which is in a family of many keys, may be a typing error of: it
 * differs in at most DISTANCE_MAX bytes. NULL: there is none. */
const char *yarn_key_nearest(const char *name, size_t distance_max);

/* Returns the effect of a key of FAMILY with VALUE. */
enum conf_effect yarn_key_effect(const struct yarn_key_family *family, const char *value);

/* All families, for the manual. */
size_t yarn_key_family_count(void);
const struct yarn_key_family *yarn_key_family_at(size_t index);

/* Returns true if NAME is in a family of names that other code checks (the queues of a scheduler, the
 * resource types): common/conf does not check them. */
bool yarn_key_elsewhere(const char *name);

#endif
