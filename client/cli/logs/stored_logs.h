/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored_logs.h - finds logs of ended applications on shared storage, where agents have written them
 *
 * The client reads the storage itself, in a child process (storage_child.h), with the rights of its user. The
 * files are written by the user of the application, and are read with care: no symbolic link below the
 * directory of the user is followed, each directory must belong to that user, and the archive is read by
 * libarchive as a plain compressed tar.
 */
#ifndef CREEL_CLI_STORED_LOGS_H
#define CREEL_CLI_STORED_LOGS_H

#include <stdint.h>

#include "client/include/creel.h"
#include "common/base/err.h"
#include "common/conf/conf.h"

#define STORED_LOGS_TIMEOUT_MS 10000 /* without the option --timeout */

struct stored_logs; /* opaque */

/* Looks for the logs of the ended application APP. Returns NULL if logs are not aggregated, or if nothing is
 * there. If there is something that cannot be read, stored_logs_find reports it; so it does if the storage
 * does not answer for TIMEOUT_MS, here or later. */
struct stored_logs *stored_logs_open(const struct conf *conf, const char *user, const char *app_id,
                                     int64_t timeout_ms);
void stored_logs_close(struct stored_logs *stored); /* STORED may be NULL */

/* Only logs of CONTAINER_ID will be needed: reading an archive can stop there. */
void stored_logs_limit(struct stored_logs *stored, const char *container_id);

/* Opens FILE of CONTAINER as a log that can be read with creel_log_read. Returns 1 and *RET, which the caller
 * closes with creel_log_close before STORED is closed; 0 if it is not there; or -errno. */
int stored_logs_find(struct stored_logs *stored, const struct creel_container *container, const char *file,
                     struct creel_log **ret, struct err *err);

#endif
