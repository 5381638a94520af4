/* SPDX-License-Identifier: Apache-2.0 */
/* upstream_settings.c - reads the addresses and certificates for connections to the resource manager */
#include "common/upstream/upstream_settings.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/wire/endpoint.h"

#define RM_PORT_USUAL 8032

static int add_address(const char *word, struct upstream_settings *ret, struct err *err)
{
    if (ret->count == UPSTREAM_ADDRESSES_MAX)
        return err_set(err, EINVAL, "more than %d names", UPSTREAM_ADDRESSES_MAX);
    ret->addresses[ret->count++] = mem_strdup(word);
    return endpoint_make_connectable(&ret->addresses[ret->count - 1], RM_PORT_USUAL, err);
}

static int read_addresses(const struct conf *conf, struct upstream_settings *ret, struct err *err)
{
    scoped_free char *words = mem_strdup(conf_text(conf, CONF_RM_CLIENT_ADDRESS));
    char *rest = words, *word;
    int r = 0;

    while (r == 0 && (word = strsep(&rest, ", ")) != NULL)
        if (*word != '\0')
            r = add_address(word, ret, err);
    if (r == 0 && ret->count == 0)
        r = err_set(err, EINVAL, "names no address");
    if (r < 0)
        err_prefix(err, "%s", conf_key_info(CONF_RM_CLIENT_ADDRESS)->name);
    return r;
}

static int read_own_key(const struct conf *conf, const char *program, struct key *own, struct err *err)
{
    const char *named = conf_text(conf, CONF_USER_KEY);
    const struct passwd *entry = getpwuid(geteuid());
    int r;

    if (*named != '\0')
        r = key_load(named, true, own, err);
    else if (entry == NULL)
        r = err_set(err, EINVAL,
                    "user id %u has no name on this machine, so no certificate can be chosen: "
                    "name one in %s",
                    (unsigned)geteuid(), conf_key_info(CONF_USER_KEY)->name);
    else
        r = key_load_for(conf_text(conf, CONF_KEY_DIR), KEY_USER, entry->pw_name, true, own, err);
    if (r < 0)
        err_prefix(err, "the certificate of %s", program);
    return keys_start_error(r);
}

int upstream_settings_read(const struct conf *conf, const char *program, struct upstream_settings *ret,
                           struct err *err)
{
    struct key rm;
    int r;

    *ret = (struct upstream_settings){ .count = 0 };
    r = read_addresses(conf, ret, err);
    if (r < 0)
        return r;
    r = key_load_for(conf_text(conf, CONF_KEY_DIR), KEY_RM, NULL, false, &rm, err);
    if (r < 0) {
        err_prefix(err, "the resource manager's certificate");
        return keys_start_error(r);
    }
    memcpy(ret->rm_key, rm.public_text, sizeof(ret->rm_key));
    return read_own_key(conf, program, &ret->own, err);
}

void upstream_settings_done(struct upstream_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++)
        free(settings->addresses[i]);
    explicit_bzero(&settings->own, sizeof(settings->own));
}
