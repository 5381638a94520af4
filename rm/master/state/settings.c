/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - settings of administrators beside the configuration
 *
 * Each setting is a row in the store and is kept over restarts and refreshes. queue_state.c, labels.c,
 * node_labels.c, app_numbers.c, access_token.c, web_services.c and request_join.c implement the kinds of
 * settings.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rm/master/state/copy.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/settings.h"

/* --- settings -------------------------------------------------------------- */

static char *key_of(const char *kind, const char *name)
{
    return mem_printf("%s %s", kind, name);
}

struct setting *rm_setting_find(const struct master *m, const char *kind, const char *name)
{
    scoped_free char *key = key_of(kind, name);
    struct setting *setting;

    HASH_FIND_STR(m->settings, key, setting);
    return setting;
}

static bool has_key(const char *kind)
{
    return text_equal(kind, SETTING_JOIN_TOKEN) || text_equal(kind, SETTING_JOINED_HOST);
}

static void drop(struct master *m, struct setting *setting)
{
    HASH_DEL(m->settings, setting);
    if (has_key(setting->kind))
        HASH_DELETE(by_key, m->join_keys, setting);
    free(setting->key);
    free(setting->kind);
    free(setting->name);
    free(setting->value);
    free(setting->before);
    free(setting->by);
    free(setting);
}

static struct setting *add(struct master *m, const char *kind, const char *name)
{
    struct setting *setting = rm_setting_find(m, kind, name);

    if (setting)
        return setting;
    setting = mem_new0(struct setting);
    setting->key = key_of(kind, name);
    setting->kind = mem_strdup(kind);
    setting->name = mem_strdup(name);
    HASH_ADD_KEYPTR(hh, m->settings, setting->key, strlen(setting->key), setting);
    return setting;
}

void rm_setting_put(struct master *m, const char *kind, const char *name, const char *value,
                    const char *before, const char *by)
{
    struct setting *setting = add(m, kind, name);

    rm_text_set(&setting->value, value);
    rm_text_set(&setting->before, before);
    rm_text_set(&setting->by, by);
    setting->since_ms = m->now_ms;
    rm_store_setting(m, setting, false);
}

void rm_setting_forget(struct master *m, struct setting *setting)
{
    rm_store_setting(m, setting, true);
    drop(m, setting);
}

void rm_settings_shift(struct master *m, int64_t set_ms)
{
    struct setting *setting, *next;

    HASH_ITER(by_key, m->join_keys, setting, next) {
        if (set_ms == 0 || setting->expires_ms == 0)
            continue;
        setting->expires_ms += set_ms;
        rm_store_setting(m, setting, false);
    }
}

void rm_settings_free(struct master *m)
{
    while (m->settings)
        drop(m, m->settings);
}

struct setting *rm_setting_put_key(struct master *m, const char *kind, const char *name, const char *key,
                                   const char *by)
{
    struct setting *setting = add(m, kind, name);

    assert(setting->value == NULL && has_key(kind));
    rm_text_set(&setting->value, key);
    rm_text_set(&setting->by, by);
    setting->since_ms = m->now_ms;
    HASH_ADD_KEYPTR(by_key, m->join_keys, setting->value, strlen(setting->value), setting);
    return setting;
}

struct setting *rm_setting_of_key(const struct master *m, const char *key)
{
    struct setting *setting;

    HASH_FIND(by_key, m->join_keys, key, strlen(key), setting);
    return setting;
}

/* Recovers a setting that has a public key. */
static int recover_key(struct master *m, const Creel__StoredSetting *row, struct err *err)
{
    struct setting *setting;

    if (rm_setting_of_key(m, row->value) || rm_setting_find(m, row->kind, row->name))
        return err_set(err, EINVAL, "%s %s: is there twice", row->kind, row->name);
    setting = rm_setting_put_key(m, row->kind, row->name, row->value, row->by);
    setting->since_ms = row->since_ms;
    setting->uses = row->uses;
    setting->used = row->used;
    setting->expires_ms = row->expires_ms;
    return 0;
}

static bool is_kind(const char *kind)
{
    static const char *const kinds[] = { SETTING_QUEUE_STATE, SETTING_NODE_LABEL,  SETTING_LABEL,
                                         SETTING_JOIN_TOKEN,  SETTING_JOINED_HOST, SETTING_ACCESS_TOKEN,
                                         SETTING_APP_NUMBER,  SETTING_WEB_SERVICE };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (text_equal(kind, kinds[i]))
            return true;
    return false;
}

int master_recover_setting(struct master *m, const Creel__StoredSetting *row, struct err *err)
{
    struct setting *setting;
    int64_t number;

    if (!is_kind(row->kind))
        return err_set(err, EINVAL, "%s: is no kind of setting", row->kind);
    if (rm_text_is_empty(row->name) || rm_text_is_empty(row->value))
        return err_set(err, EINVAL, "%s: has no name, or no value", row->kind);
    if (text_equal(row->kind, SETTING_APP_NUMBER) &&
        (!text_parse_int64(row->value, &number) || number < 0 || number > UINT32_MAX))
        return err_set(err, EINVAL, "%s: '%s' is no number of an application", row->kind, row->value);
    if (has_key(row->kind))
        return recover_key(m, row, err);
    setting = add(m, row->kind, row->name);
    rm_text_set(&setting->value, row->value);
    rm_text_set(&setting->before, row->before);
    rm_text_set(&setting->by, row->by);
    setting->since_ms = row->since_ms;
    return 0;
}
