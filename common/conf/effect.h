/* SPDX-License-Identifier: Apache-2.0 */
/* effect.h - what a remark about a configuration means for the cluster */
#ifndef CREEL_CONF_EFFECT_H
#define CREEL_CONF_EFFECT_H

#include <stdbool.h>

enum conf_effect {
    CONF_WARNING,   /* probably a mistake */
    CONF_CHANGES,   /* a key of YARN asks for something that creel does not do: the cluster differs */
    CONF_NO_EFFECT, /* a key of YARN that has nothing to act on in creel */
    CONF_ALWAYS,    /* a key of YARN whose value describes what creel always does */
    CONF_EFFECT_COUNT
};

/* Returns whether an operator must know of a remark: of a mistake, or of a difference from YARN. */
static inline bool conf_effect_matters(enum conf_effect effect)
{
    return effect == CONF_WARNING || effect == CONF_CHANGES;
}

/* Called once for each remark while a configuration is read. TEXT is borrowed. */
typedef void conf_warn_fn(void *context, enum conf_effect effect, const char *text);

#endif
