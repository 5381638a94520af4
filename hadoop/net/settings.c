/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - reads and checks the configuration of creel-hadoop */
#include "hadoop/net/settings.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/wire/endpoint.h"

#define RM_PORT_USUAL 8032

static int read_words(enum conf_key key, const struct conf *conf, struct hadoop_words *ret, struct err *err)
{
    scoped_free char *words = mem_strdup(conf_text(conf, key));

    for (char *rest = words, *word; (word = strsep(&rest, ", ")) != NULL;) {
        if (*word == '\0')
            continue;
        if (ret->count == HADOOP_WORDS_MAX)
            return err_set(err, EINVAL, "%s: more than %d names", conf_key_info(key)->name, HADOOP_WORDS_MAX);
        ret->list[ret->count++] = mem_strdup(word);
    }
    return 0;
}

static void free_words(struct hadoop_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->list[i]);
}

bool hadoop_words_have(const struct hadoop_words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->list[i], word) == 0)
            return true;
    return false;
}

static int read_targets(const struct conf *conf, struct hadoop_settings *ret, struct err *err)
{
    const char *name = conf_key_info(CONF_RM_CLIENT_ADDRESS)->name;
    int r = read_words(CONF_RM_CLIENT_ADDRESS, conf, &ret->targets, err);

    for (size_t i = 0; i < ret->targets.count && r == 0; i++) {
        r = endpoint_make_connectable(&ret->targets.list[i], RM_PORT_USUAL, err);
        if (r < 0)
            err_prefix(err, "%s", name);
    }
    return r == 0 && ret->targets.count == 0 ? err_set(err, EINVAL, "%s: names no address", name) : r;
}

static int read_auth(const struct conf *conf, struct hadoop_settings *ret, struct err *err)
{
    const char *name = conf_key_info(CONF_HADOOP_AUTH)->name;
    struct hadoop_words words = { .count = 0 };
    int r = read_words(CONF_HADOOP_AUTH, conf, &words, err);

    for (size_t i = 0; i < words.count && r == 0; i++) {
        if (strcasecmp(words.list[i], "local") == 0)
            ret->local = true;
        else if (strcasecmp(words.list[i], "simple") == 0)
            ret->simple = true;
        else
            r = err_set(err, EINVAL, "%s: %s is no way to know users: use local, simple, or both", name,
                        words.list[i]);
    }
    free_words(&words);
    if (r == 0 && !ret->local && !ret->simple)
        r = err_set(err, EINVAL,
                    "%s: names no way to know users, so nobody could be served: use local, simple, or both",
                    name);
    if (r == 0 && ret->simple && ret->simple_addresses.count == 0)
        r = err_set(err, EINVAL, "%s: names no address, but %s has simple: no client could be believed",
                    conf_key_info(CONF_HADOOP_SIMPLE_ADDRESSES)->name, name);
    return r;
}

static int read_keys(const struct conf *conf, struct hadoop_settings *ret, struct err *err)
{
    const char *directory = conf_text(conf, CONF_KEY_DIR), *named = conf_text(conf, CONF_USER_KEY);
    const struct passwd *entry = getpwuid(geteuid());
    struct key rm;
    int r = key_load_for(directory, KEY_RM, NULL, false, &rm, err);

    if (r < 0) {
        err_prefix(err, "the resource manager's certificate");
        return keys_start_error(r);
    }
    memcpy(ret->rm_key, rm.public_text, sizeof(ret->rm_key));
    if (*named != '\0')
        r = key_load(named, true, &ret->own, err);
    else if (entry == NULL)
        r = err_set(err, EINVAL,
                    "user id %u has no name on this machine, so no certificate can be chosen: "
                    "name one in %s",
                    (unsigned)geteuid(), conf_key_info(CONF_USER_KEY)->name);
    else
        r = key_load_for(directory, KEY_USER, entry->pw_name, true, &ret->own, err);
    if (r < 0)
        err_prefix(err, "the certificate of creel-hadoop");
    return keys_start_error(r);
}

int hadoop_settings_read(const struct conf *conf, struct hadoop_settings *ret, struct err *err)
{
    int r;

    *ret = (struct hadoop_settings){ .min_user_id = conf_int(conf, CONF_NM_MIN_USER_ID) };
    if (!conf_bool(conf, CONF_HADOOP_ENABLED))
        return err_set(err, EINVAL, "%s is false: set it to true to let Hadoop programs connect",
                       conf_key_info(CONF_HADOOP_ENABLED)->name);
    ret->address = mem_strdup(conf_text(conf, CONF_HADOOP_ADDRESS));
    if ((r = read_words(CONF_HADOOP_SIMPLE_ADDRESSES, conf, &ret->simple_addresses, err)) < 0 ||
        (r = read_words(CONF_PROXY_USERS, conf, &ret->proxy_users, err)) < 0 ||
        (r = read_auth(conf, ret, err)) < 0 || (r = read_targets(conf, ret, err)) < 0)
        return r;
    return read_keys(conf, ret, err);
}

void hadoop_settings_done(struct hadoop_settings *settings)
{
    free_words(&settings->simple_addresses);
    free_words(&settings->proxy_users);
    free_words(&settings->targets);
    free(settings->address);
    explicit_bzero(&settings->own, sizeof(settings->own));
}
