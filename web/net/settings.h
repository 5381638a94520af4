/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - what creel-web takes from the configuration, checked */
#ifndef CREEL_WEB_NET_SETTINGS_H
#define CREEL_WEB_NET_SETTINGS_H

#include "common/conf/conf.h"
#include "common/io/keys.h"

#define WEB_TARGETS_MAX 8
#define WEB_PROXIES_MAX 64

enum web_auth {
    WEB_AUTH_NONE,              /* as YARN's simple: the user is as claimed, and may only read */
    WEB_AUTH_PROXY,             /* a header of an authenticating proxy names the user */
};

struct web_settings {
    char *address;              /* where to listen; owned, as all texts here */
    enum web_auth auth;
    char *proxies[WEB_PROXIES_MAX];     /* addresses whose header counts */
    size_t proxy_count;
    char *user_header;
    char *targets[WEB_TARGETS_MAX];     /* of resource managers */
    size_t target_count;
    char rm_key[KEY_TEXT];
    struct key own;
};

/* -EINVAL: ERR names the key, and what to do. RET is to be freed with web_settings_done in any case. */
int web_settings_read(const struct conf *conf, struct web_settings *ret, struct err *err);
void web_settings_done(struct web_settings *settings);

#endif
