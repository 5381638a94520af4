/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upstream_settings.h - addresses and certificates for the connection to the resource manager
 *
 * Addresses: yarn.resourcemanager.address. Certificates: that of the resource manager in
 * creel.security.key-dir; the own one in creel.security.user-key, or else that of the user of the process.
 */
#ifndef CREEL_UPSTREAM_UPSTREAM_SETTINGS_H
#define CREEL_UPSTREAM_UPSTREAM_SETTINGS_H

#include "common/conf/conf.h"
#include "common/io/keys/keys.h"

#define UPSTREAM_ADDRESSES_MAX 8

struct upstream_settings {
    char *addresses[UPSTREAM_ADDRESSES_MAX]; /* "host:port"; owned */
    size_t count;                            /* at least 1 if they were read */
    char rm_key[KEY_TEXT];                   /* public key of the resource manager */
    struct key own;
};

/* Reads the settings of PROGRAM ("creel-web"). ERR names the key of the configuration, or the file. The
 * caller must pass RET to upstream_settings_done even after an error. */
int upstream_settings_read(const struct conf *conf, const char *program, struct upstream_settings *ret,
                           struct err *err);
void upstream_settings_done(struct upstream_settings *settings);

#endif
