/* SPDX-License-Identifier: Apache-2.0 */
/*
 * properties.h - the configuration of creel-web as /conf shows it, without secrets
 *
 * Secrets are the keys that Hadoop's hadoop.security.sensitive-config-keys has by default.
 */
#ifndef CREEL_WEB_NET_PROPERTIES_H
#define CREEL_WEB_NET_PROPERTIES_H

#include "common/base/arena.h"
#include "common/conf/conf.h"
#include "web/model/view.h"

/* Sets the properties of VIEW, in ARENA. */
void properties_show(const struct conf *conf, struct arena *arena, struct web_view *view);
/* Returns true if the value of NAME is not shown. Declared for tests. */
bool property_is_secret(const char *name);

#endif
