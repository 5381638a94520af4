/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - reads and checks the configuration of creel-hadoop */
#ifndef CREEL_HADOOP_NET_SETTINGS_H
#define CREEL_HADOOP_NET_SETTINGS_H

#include "common/conf/conf.h"
#include "common/upstream/upstream_settings.h"

#define HADOOP_WORDS_MAX 64

/* A list of words of a key; owned. */
struct hadoop_words {
    char *list[HADOOP_WORDS_MAX];
    size_t count;
};

struct hadoop_settings {
    char *address; /* listen address; owned */
    bool local;    /* users of this host are known by their sockets */
    bool simple;   /* users from simple_addresses are believed */
    struct hadoop_words simple_addresses;
    struct hadoop_words proxy_users; /* who may act for others */
    int64_t min_user_id;             /* users below it are not believed */
    struct upstream_settings rm;
};

/* Reads the settings. -EINVAL: ERR names the key, and how to correct it. The caller must pass RET to
 * hadoop_settings_done even after an error. */
int hadoop_settings_read(const struct conf *conf, struct hadoop_settings *ret, struct err *err);
void hadoop_settings_done(struct hadoop_settings *settings);

bool hadoop_words_have(const struct hadoop_words *words, const char *word);

#endif
