/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - reads and checks the configuration of creel-hadoop */
#include "hadoop/net/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"

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
        (r = read_auth(conf, ret, err)) < 0)
        return r;
    return upstream_settings_read(conf, "creel-hadoop", &ret->rm, err);
}

void hadoop_settings_done(struct hadoop_settings *settings)
{
    free_words(&settings->simple_addresses);
    free_words(&settings->proxy_users);
    upstream_settings_done(&settings->rm);
    free(settings->address);
}
