/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup_files.h - the configuration files of creel setup, with comments that explain each property
 *
 * The texts are owned by the caller.
 */
#ifndef CREEL_CLI_SETUP_FILES_H
#define CREEL_CLI_SETUP_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct setup_facts {
    const char *rm_host;
    const char *rm_port;        /* of clients, of a host of users; NULL: the default */
    const char *administrators; /* "root,ann"; not of a node */
    const char *key_dir;        /* NULL: the default */
    int64_t memory_mb, cores;   /* of this machine */
    bool munge;                 /* munged runs on this machine */
};

char *setup_rm_site(const struct setup_facts *facts);
char *setup_node_site(const struct setup_facts *facts);
char *setup_client_site(const struct setup_facts *facts);
char *setup_queues(void);

#endif
