/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - reads and checks the configuration of creel-web */
#ifndef CREEL_WEB_NET_SETTINGS_H
#define CREEL_WEB_NET_SETTINGS_H

#include "common/conf/conf.h"
#include "common/upstream/upstream_settings.h"
#include "web/http/cross_origin.h"
#include "web/http/server.h"

#define WEB_PROXIES_MAX 64

enum web_auth {
    WEB_AUTH_NONE,   /* user.name is not verified; users may only read */
    WEB_AUTH_SIMPLE, /* as YARN's "simple": user.name is not verified; in REST, from trusted
                      * addresses, users may change what is theirs */
    WEB_AUTH_PROXY,  /* a header of an authenticating proxy names the user */
    WEB_AUTH_TOKEN,  /* access tokens authenticate users (creel token create) */
    WEB_AUTH_BASIC,  /* HTTP Basic: PAM checks users and passwords (web/pam) */
};

struct web_settings {
    char *address; /* listen address; owned, as are all texts in this struct */
    struct cross_origin cross_origin;
    bool allows_origins; /* cross_origin is in force */
    struct http_tls tls; /* without certificate: HTTP */
    enum web_auth auth;
    char *open_to; /* a sentence about who may act as any user (access_text.h); NULL: nobody */
    char *proxies[WEB_PROXIES_MAX]; /* addresses of peers whose user header, or user.name, is trusted */
    size_t proxy_count;
    char *impersonators[WEB_PROXIES_MAX]; /* users who may act for others (doAs) */
    size_t impersonator_count;
    char *user_header;
    char *pam_service;
    const char *pam_directory;       /* for tests: of the file of the service; NULL: that of the system */
    enum exchange_scope basic_scope; /* of users with WEB_AUTH_BASIC */
    bool refuses_submissions;        /* yarn.webapp.enable-rest-app-submissions is false */
    int64_t stale_after_ms;          /* REST does not answer from an older copy; 0: it always answers */
    struct upstream_settings rm;
};

/* Reads the settings. -EINVAL: ERR names the key, and how to correct it. The caller must pass RET to
 * web_settings_done even after an error. */
int web_settings_read(const struct conf *conf, struct web_settings *ret, struct err *err);
void web_settings_done(struct web_settings *settings);

#endif
