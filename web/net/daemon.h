/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.h - the creel-web daemon: HTTP server, connection to the resource manager, and model
 *
 * The daemon has one thread and one event loop. All state can be loaded again from the resource manager, so
 * the process may be killed at any time.
 */
#ifndef CREEL_WEB_NET_DAEMON_H
#define CREEL_WEB_NET_DAEMON_H

#include <stdbool.h>

#include "common/conf/conf.h"

struct web_daemon;

/* Returns -EINVAL, with the reason in ERR, if the configuration is not valid. CONF must outlive the
 * daemon. */
int web_daemon_new(const struct conf *conf, struct web_daemon **ret, struct err *err);
/* Runs the event loop until a signal ends the daemon. */
void web_daemon_run(struct web_daemon *daemon);
/* Returns false if the directory of the key files does not answer: the process has to end with _exit. NULL is
 * fine. */
bool web_daemon_free(struct web_daemon *daemon);

#endif
