/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_storage.h - where agents write the logs of ended applications, and where clients find them
 *
 * DIR/USER/SUFFIX/APPLICATION/NODE.tar.gz, with DIR from yarn.nodemanager.remote-app-log-dir and SUFFIX from
 * yarn.nodemanager.remote-app-log-dir-suffix. DIR is a path or a file: URI.
 */
#ifndef CREEL_CONF_LOG_STORAGE_H
#define CREEL_CONF_LOG_STORAGE_H

#include "common/base/err.h"
#include "common/conf/conf.h"

#define LOG_STORAGE_TYPE ".tar.gz"

struct log_storage {
    char *dir, *suffix; /* owned; NULL: logs are not aggregated */
};

/* Reads the keys. Without yarn.log-aggregation-enable, STORAGE is empty. -EINVAL: the directory or the suffix
 * cannot be used, STORAGE is empty, and ERR names file and key. */
int log_storage_read(const struct conf *conf, struct log_storage *storage, struct err *err);
void log_storage_clear(struct log_storage *storage);

/* Checks that DIR exists and that every user, but no other user, can change what the user has written there:
 * mode 1777. Returns 0 or -errno. */
int log_storage_check(const struct log_storage *storage, struct err *err);

/* Sets *URL to the text of KEY, yarn.log.server.url or yarn.log.server.web-service.url, borrowed from CONF:
 * where logs are found that have moved. "": nowhere, or logs do not move. -EINVAL: it is no address of HTTP,
 * *URL is "", and ERR names file and key. */
int log_server_read(const struct conf *conf, enum conf_key key, const char **url, struct err *err);

/* Returns the name of the file of a node, from its id "host:port". The caller frees it. */
char *log_storage_file(const char *node_id);
/* Returns the path of the directory of an application; the caller frees it. */
char *log_storage_app(const struct log_storage *storage, const char *user, const char *app_id);

#endif
