/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - reads and checks the configuration of creel-web */
#include "web/net/settings.h"

#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/access_text.h"
#include "common/conf/pem.h"

#define PAM_DIRECTORY_VARIABLE "CREEL_PAM_DIRECTORY"

static int read_words(enum conf_key key, const struct conf *conf, char **list, size_t capacity, size_t *count,
                      struct err *err)
{
    scoped_free char *words = mem_strdup(conf_text(conf, key));

    for (char *rest = words, *word; (word = strsep(&rest, ", ")) != NULL;) {
        if (*word == '\0')
            continue;
        if (*count == capacity)
            return err_set(err, EINVAL, "%s: more than %zu names", conf_key_info(key)->name, capacity);
        list[(*count)++] = mem_strdup(word);
    }
    return 0;
}

static enum web_auth read_auth(const char *word)
{
    if (strcasecmp(word, "proxy") == 0)
        return WEB_AUTH_PROXY;
    if (strcasecmp(word, "basic") == 0)
        return WEB_AUTH_BASIC;
    if (strcasecmp(word, "simple") == 0)
        return WEB_AUTH_SIMPLE;
    return strcasecmp(word, "token") == 0 ? WEB_AUTH_TOKEN : WEB_AUTH_NONE;
}

static enum exchange_scope read_scope(const char *word)
{
    if (strcasecmp(word, "read") == 0)
        return EXCHANGE_READ;
    return strcasecmp(word, "admin") == 0 ? EXCHANGE_ADMIN : EXCHANGE_SUBMIT;
}

/* Returns whether ADDRESS, "host:port", is only reachable from this host. */
static bool is_loopback(const char *address)
{
    const char *colon = strrchr(address, ':');
    scoped_free char *host = NULL;
    struct in_addr binary;

    host = mem_printf("%.*s", (int)(colon != NULL ? (size_t)(colon - address) : strlen(address)), address);
    if (strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 || strcmp(host, "::1") == 0)
        return true;
    return inet_pton(AF_INET, host, &binary) == 1 && ntohl(binary.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* Returns whether the PAM service NAME has a file. */
static bool has_pam_file(const char *directory, const char *name)
{
    static const char *const usual[] = { "/etc/pam.d", "/usr/lib/pam.d", "/usr/local/etc/pam.d" };
    bool found = false;

    for (size_t i = 0; i < (directory != NULL ? 1 : sizeof(usual) / sizeof(*usual)) && !found; i++) {
        scoped_free char *path = mem_printf("%s/%s", directory != NULL ? directory : usual[i], name);

        found = access(path, R_OK) == 0;
    }
    return found;
}

/* Checks what HTTP Basic authentication needs. */
static int check_basic(const struct web_settings *settings, struct err *err)
{
    const char *auth = conf_key_info(CONF_WEB_AUTH)->name;
    const char *service = conf_key_info(CONF_PAM_SERVICE)->name;

    if (settings->tls.certificate == NULL && !is_loopback(settings->address))
        return err_set(
            err, EINVAL,
            "%s: basic sends passwords, so it needs TLS: set %s to HTTPS_ONLY, with %s and %s, or let "
            "%s (%s) be an address of this host alone, such as 127.0.0.1:8088",
            auth, conf_key_info(CONF_WEB_POLICY)->name, conf_key_info(CONF_WEB_TLS_CERTIFICATE)->name,
            conf_key_info(CONF_WEB_TLS_KEY)->name, conf_key_info(CONF_WEB_ADDRESS)->name, settings->address);
#ifndef HAVE_LIBPAM
    return err_set(err, EINVAL, "%s: this creel-web was built without PAM (configure --with-pam)", auth);
#endif
    if (strchr(settings->pam_service, '/') != NULL || *settings->pam_service == '\0')
        return err_set(err, EINVAL, "%s: %s is not the name of a PAM service", service,
                       settings->pam_service);
    if (!has_pam_file(settings->pam_directory, settings->pam_service))
        return err_set(
            err, EINVAL,
            "%s: there is no file /etc/pam.d/%s that creel-web may read; see USERS in creel-web(8)", service,
            settings->pam_service);
    return 0;
}

static int read_address(const struct conf *conf, struct web_settings *ret, struct err *err)
{
    bool secure = strcasecmp(conf_text(conf, CONF_WEB_POLICY), "HTTPS_ONLY") == 0;
    int r;

    ret->address = mem_strdup(conf_text(conf, secure ? CONF_WEB_HTTPS_ADDRESS : CONF_WEB_ADDRESS));
    if (!secure)
        return 0;
    if ((r = conf_read_pem(conf, CONF_WEB_TLS_CERTIFICATE, "-----BEGIN CERTIFICATE-----",
                           &ret->tls.certificate, err)) < 0)
        return r;
    if (*conf_text(conf, CONF_WEB_TLS_CLIENT_CA) != '\0' &&
        (r = conf_read_pem(conf, CONF_WEB_TLS_CLIENT_CA, "-----BEGIN CERTIFICATE-----",
                           &ret->tls.client_authorities, err)) < 0)
        return r;
    return conf_read_pem(conf, CONF_WEB_TLS_KEY, "PRIVATE KEY-----", &ret->tls.key, err);
}

static int read_cross_origin(const struct conf *conf, struct web_settings *ret, struct err *err)
{
    ret->allows_origins = conf_bool(conf, CONF_WEB_CROSS_ORIGIN);
    ret->cross_origin = (struct cross_origin){
        .origins = mem_strdup(conf_text(conf, CONF_CROSS_ORIGINS)),
        .methods = mem_strdup(conf_text(conf, CONF_CROSS_ORIGIN_METHODS)),
        .headers = mem_strdup(conf_text(conf, CONF_CROSS_ORIGIN_HEADERS)),
        .max_age_s = conf_int(conf, CONF_CROSS_ORIGIN_MAX_AGE),
    };
    if (ret->allows_origins && strstr(ret->cross_origin.origins, "regex:") != NULL)
        return err_set(err, EINVAL, "%s: regex: is not supported; use *, as in https://*.example.org",
                       conf_key_info(CONF_CROSS_ORIGINS)->name);
    return 0;
}

int web_settings_read(const struct conf *conf, struct web_settings *ret, struct err *err)
{
    int r;

    *ret = (struct web_settings){ .auth = read_auth(conf_text(conf, CONF_WEB_AUTH)) };
    ret->open_to = access_text_of_rest(conf);
    ret->user_header = mem_strdup(conf_text(conf, CONF_WEB_PROXY_HEADER));
    ret->pam_service = mem_strdup(conf_text(conf, CONF_PAM_SERVICE));
    ret->pam_directory = getenv(PAM_DIRECTORY_VARIABLE);
    ret->basic_scope = read_scope(conf_text(conf, CONF_BASIC_SCOPE));
    ret->refuses_submissions = !conf_bool(conf, CONF_WEB_SUBMISSIONS);
    ret->stale_after_ms = conf_ms(conf, CONF_WEB_STALE_AFTER);
    if ((r = read_address(conf, ret, err)) < 0 || (r = read_cross_origin(conf, ret, err)) < 0)
        return r;
    r = read_words(CONF_WEB_PROXIES, conf, ret->proxies, WEB_PROXIES_MAX, &ret->proxy_count, err);
    if (r < 0 || (r = read_words(CONF_PROXY_USERS, conf, ret->impersonators, WEB_PROXIES_MAX,
                                 &ret->impersonator_count, err)) < 0)
        return r;
    if ((ret->auth == WEB_AUTH_PROXY || ret->auth == WEB_AUTH_SIMPLE) && ret->proxy_count == 0)
        return err_set(err, EINVAL, "%s: names no address, but %s is %s: no user could be authenticated",
                       conf_key_info(CONF_WEB_PROXIES)->name, conf_key_info(CONF_WEB_AUTH)->name,
                       conf_text(conf, CONF_WEB_AUTH));
    if (ret->auth == WEB_AUTH_BASIC && (r = check_basic(ret, err)) < 0)
        return r;
    return upstream_settings_read(conf, "creel-web", &ret->rm, err);
}

void web_settings_done(struct web_settings *settings)
{
    for (size_t i = 0; i < settings->proxy_count; i++)
        free(settings->proxies[i]);
    for (size_t i = 0; i < settings->impersonator_count; i++)
        free(settings->impersonators[i]);
    upstream_settings_done(&settings->rm);
    free(settings->cross_origin.origins);
    free(settings->cross_origin.methods);
    free(settings->cross_origin.headers);
    free(settings->address);
    free(settings->open_to);
    free(settings->tls.certificate);
    free(settings->tls.client_authorities);
    conf_free_secret(settings->tls.key);
    free(settings->user_header);
    free(settings->pam_service);
}
