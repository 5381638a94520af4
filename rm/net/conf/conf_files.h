/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_files.h - the files outside of the configuration directory that a configuration needs
 *
 * These are the files that it includes (xi:include), and the files that its keys name: the fair scheduler's
 * allocations, mapping rules, lists of nodes, certificates and keys of TLS, a user's key. Those in the
 * configuration directory or the key directory are not among them: a backup has the directories. Programs are
 * not among them either, but they are named.
 */
#ifndef CREEL_RM_CONF_FILES_H
#define CREEL_RM_CONF_FILES_H

#include <stddef.h>

#include "common/conf/conf.h"

struct conf_files {
    char **paths; /* owned; absolute, without "." and "..", each once, of files that exist */
    size_t count, room;
    char *lacking; /* owned; what a new host needs beside all files: "creel.jobs.notify-command
                      (/usr/local/bin/notify)"; "": nothing */
};

void conf_files_find(const struct conf *conf, struct conf_files *ret);
void conf_files_done(struct conf_files *files);

#endif
