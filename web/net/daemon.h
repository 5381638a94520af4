/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.h - creel-web put together: a site of pages, the connection to the resource manager, the model
 *
 * One thread and one loop. The process has no state that it could lose, and can be ended at any time.
 */
#ifndef CREEL_WEB_NET_DAEMON_H
#define CREEL_WEB_NET_DAEMON_H

#include <stdbool.h>

#include "common/conf/conf.h"

struct web_daemon;

/* -EINVAL: the configuration is not valid. ERR has the reason. CONF must outlive it. */
int web_daemon_new(const struct conf *conf, struct web_daemon **ret, struct err *err);
/* Until a signal ends it. */
void web_daemon_run(struct web_daemon *daemon);
void web_daemon_free(struct web_daemon *daemon);        /* NULL is fine */

#endif
