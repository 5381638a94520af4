/* SPDX-License-Identifier: Apache-2.0 */
/* conf.c - requests that read or change the configuration of the resource manager */
#include <errno.h>
#include <stdlib.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "common/base/mem.h"
#include "common/io/wire.h"

struct conf_box {
    struct creel_conf shown; /* first member: callers have a pointer to it */
    struct pages pages;
};

/* Converts ENTRY; the texts are borrowed. */
static struct creel_conf_entry convert_entry(const Creel__ConfigurationEntry *entry)
{
    return (struct creel_conf_entry){
        .key = entry->key,
        .value = entry->value,
        .origin = entry->origin,
        .refreshed = entry->refreshed,
        .hidden = entry->hidden,
    };
}

static void convert_pages(struct conf_box *box)
{
    const struct pages *pages = &box->pages;
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->configuration->n_entries;
    box->shown.entries = mem_array0(count + 1, sizeof(*box->shown.entries));
    for (size_t i = 0; i < pages->count; i++)
        for (size_t k = 0; k < pages->items[i]->configuration->n_entries; k++)
            box->shown.entries[box->shown.count++] =
                convert_entry(pages->items[i]->configuration->entries[k]);
}

static bool next_entries(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->get_configuration->first = reply->configuration->next;
    return request->get_configuration->first != 0;
}

static int get_pages(struct creel_client *client, struct pages *pages, struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__GetConfiguration get = CREEL__GET_CONFIGURATION__INIT;

    request.body_case = CREEL__ENVELOPE__BODY_GET_CONFIGURATION;
    request.get_configuration = &get;
    return pages_fetch(client, &request, 0, CREEL__ENVELOPE__BODY_CONFIGURATION, next_entries, pages, err);
}

CREEL_EXPORT
int creel_conf_get(struct creel_client *client, struct creel_conf **ret, struct creel_error *error)
{
    struct conf_box *box = mem_new0(struct conf_box);
    struct err err = { 0 };
    int r = get_pages(client, &box->pages, &err);

    if (r < 0) {
        creel_conf_free(&box->shown);
        return client_set_error(error, &err, r);
    }
    convert_pages(box);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
int creel_refresh_access(struct creel_client *client, enum creel_access_part part, struct creel_conf **ret,
                         struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__RefreshAccess refresh = CREEL__REFRESH_ACCESS__INIT;
    const Creel__RefreshAccessReply *answer;
    struct err err = { 0 };
    struct conf_box *box;
    int r;

    refresh.part = (Creel__AccessPart)part;
    request.body_case = CREEL__ENVELOPE__BODY_REFRESH_ACCESS;
    request.refresh_access = &refresh;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_REFRESH_ACCESS_REPLY, client->timeout_ms, &reply,
                    &err);
    if (r == -EPROTO)
        r = -EOPNOTSUPP;
    if (r < 0)
        return client_set_error(error, &err, r);
    box = mem_new0(struct conf_box);
    r = pages_add(&box->pages, reply, &err);
    if (r < 0) {
        creel_conf_free(&box->shown);
        return client_set_error(error, &err, r);
    }
    answer = reply->refresh_access_reply;
    box->shown.entries = mem_array0(answer->n_entries + 1, sizeof(*box->shown.entries));
    for (size_t i = 0; i < answer->n_entries; i++)
        box->shown.entries[box->shown.count++] = convert_entry(answer->entries[i]);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_conf_free(struct creel_conf *conf)
{
    struct conf_box *box = (struct conf_box *)(void *)conf;

    if (!box)
        return;
    pages_done(&box->pages);
    free(box->shown.entries);
    free(box);
}

/* --- versions of the configuration of queues ------------------------------------- */

#define LISTINGS_MAX 5 /* tries to read all pages, if the configuration changes between two */

static int refuse_older(int r)
{
    return r == -EPROTO ? -EOPNOTSUPP : r;
}

/* Changes REQUEST, which reads the configuration or checks a change, to the page that begins with row
 * FIRST. */
static void set_first(Creel__Envelope *request, uint32_t first)
{
    if (request->body_case == CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF)
        request->get_scheduler_conf->first = first;
    else
        request->change_scheduler_conf->first = first;
}

static bool next_rows(Creel__Envelope *request, const Creel__Envelope *reply)
{
    set_first(request, reply->scheduler_conf->next);
    return reply->scheduler_conf->next != 0;
}

static bool is_one_version(const struct pages *pages)
{
    for (size_t i = 1; i < pages->count; i++)
        if (pages->items[i]->scheduler_conf->version != pages->items[0]->scheduler_conf->version)
            return false;
    return true;
}

/* Sends REQUEST, whose reply is a SchedulerConf in pages. */
static int fetch_scheduler_conf(struct creel_client *client, Creel__Envelope *request, struct pages *pages,
                                struct err *err)
{
    for (int i = 0; i < LISTINGS_MAX; i++) {
        int r;

        set_first(request, 0);
        r = pages_fetch(client, request, 0, CREEL__ENVELOPE__BODY_SCHEDULER_CONF, next_rows, pages, err);
        if (r < 0 || is_one_version(pages))
            return refuse_older(r);
        pages_done(pages);
    }
    return err_set(err, EBUSY, "the configuration of queues changed while it was read: try again");
}

struct versions_box {
    struct creel_conf_versions shown; /* first member: callers have a pointer to it */
    struct pages pages;
};

/* Adds the changes of VERSION, or of a part of it, to SHOWN. */
static void add_changes(struct creel_conf_version *shown, const Creel__SchedulerConfVersion *version)
{
    size_t count = shown->change_count + version->n_changed;

    shown->changes = mem_resize(shown->changes, count + 1, sizeof(*shown->changes));
    for (size_t i = 0; i < version->n_changed; i++) {
        const Creel__ConfOverride *changed = version->changed[i];

        shown->changes[shown->change_count++] = (struct creel_conf_change){
            .key = changed->key,
            .value = changed->removed || changed->as_file ? NULL : changed->value,
            .as_file = changed->as_file,
        };
    }
}

/* Adds VERSION, or the further changes of the version that was added last. */
static void add_version(struct creel_conf_versions *shown, const Creel__SchedulerConfVersion *version)
{
    if (shown->count == 0 || shown->items[shown->count - 1].version != version->version)
        shown->items[shown->count++] = (struct creel_conf_version){
            .version = version->version,
            .by = version->by,
            .at_ms = version->at_ms,
            .summary = version->summary,
        };
    add_changes(&shown->items[shown->count - 1], version);
}

static void show_versions(struct versions_box *box)
{
    struct creel_conf_versions *shown = &box->shown;
    size_t count = 0;

    for (size_t i = 0; i < box->pages.count; i++)
        count += box->pages.items[i]->scheduler_conf->n_versions;
    shown->items = mem_array0(count + 1, sizeof(*shown->items));
    for (size_t i = 0; i < box->pages.count; i++) {
        const Creel__SchedulerConf *conf = box->pages.items[i]->scheduler_conf;

        for (size_t k = 0; k < conf->n_versions; k++)
            add_version(shown, conf->versions[k]);
    }
    for (size_t i = 0; i < shown->count; i++)
        shown->items[i].in_force = shown->items[i].version == box->pages.items[0]->scheduler_conf->version;
}

CREEL_EXPORT
int creel_conf_version_list(struct creel_client *client, struct creel_conf_versions **ret,
                            struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__GetSchedulerConf get = CREEL__GET_SCHEDULER_CONF__INIT;
    struct versions_box *box = mem_new0(struct versions_box);
    struct err err = { 0 };
    int r;

    get.versions = true;
    request.body_case = CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF;
    request.get_scheduler_conf = &get;
    r = fetch_scheduler_conf(client, &request, &box->pages, &err);
    if (r < 0) {
        creel_conf_versions_free(&box->shown);
        return client_set_error(error, &err, r);
    }
    show_versions(box);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_conf_versions_free(struct creel_conf_versions *versions)
{
    struct versions_box *box = (struct versions_box *)(void *)versions;

    if (!box)
        return;
    for (size_t i = 0; i < box->shown.count; i++)
        free(box->shown.items[i].changes);
    free(box->shown.items);
    pages_done(&box->pages);
    free(box);
}

CREEL_EXPORT
int creel_conf_roll_back(struct creel_client *client, uint64_t version, uint64_t *ret,
                         struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__ChangeSchedulerConf change = CREEL__CHANGE_SCHEDULER_CONF__INIT;
    struct err err = { 0 };
    int r;

    change.rollback_to = version;
    request.body_case = CREEL__ENVELOPE__BODY_CHANGE_SCHEDULER_CONF;
    request.change_scheduler_conf = &change;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_SCHEDULER_CONF, client->timeout_ms, &reply, &err);
    if (r < 0)
        return client_set_error(error, &err, refuse_older(r));
    *ret = reply->scheduler_conf->version;
    wire_free(reply);
    return 0;
}

/* --- properties of queues --------------------------------------------------------- */

struct scheduler_conf_box {
    struct creel_scheduler_conf shown; /* first member: callers have a pointer to it */
    const char **warnings;
    struct pages pages;
};

static void show_properties(struct scheduler_conf_box *box)
{
    const Creel__SchedulerConf *first = box->pages.items[0]->scheduler_conf;
    size_t count = 0;

    box->shown.version = first->version;
    box->shown.warnings = box->warnings = mem_array0(first->n_warnings + 1, sizeof(*box->warnings));
    for (size_t i = 0; i < first->n_warnings; i++)
        box->warnings[i] = first->warnings[i];
    for (size_t i = 0; i < box->pages.count; i++)
        count += box->pages.items[i]->scheduler_conf->n_entries;
    box->shown.entries = mem_array0(count + 1, sizeof(*box->shown.entries));
    for (size_t i = 0; i < box->pages.count; i++) {
        const Creel__SchedulerConf *conf = box->pages.items[i]->scheduler_conf;

        for (size_t k = 0; k < conf->n_entries; k++)
            box->shown.entries[box->shown.count++] = convert_entry(conf->entries[k]);
    }
}

static int ask_properties(struct creel_client *client, Creel__Envelope *request,
                          struct creel_scheduler_conf **ret, struct creel_error *error)
{
    struct scheduler_conf_box *box = mem_new0(struct scheduler_conf_box);
    struct err err = { 0 };
    int r = fetch_scheduler_conf(client, request, &box->pages, &err);

    if (r < 0) {
        creel_scheduler_conf_free(&box->shown);
        return client_set_error(error, &err, r);
    }
    show_properties(box);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
int creel_scheduler_conf_get(struct creel_client *client, struct creel_scheduler_conf **ret,
                             struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__GetSchedulerConf get = CREEL__GET_SCHEDULER_CONF__INIT;

    request.body_case = CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF;
    request.get_scheduler_conf = &get;
    return ask_properties(client, &request, ret, error);
}

/* --- changes of queues ---------------------------------------------------------------------- */

static Creel__SchedulerConfEdit *edit_new(const struct creel_conf_edit *given)
{
    static const Creel__SchedulerConfPart parts[] = {
        [CREEL_CONF_SET_SCHEDULER] = CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_GLOBAL,
        [CREEL_CONF_SET_QUEUE] = CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_UPDATE_QUEUE,
        [CREEL_CONF_ADD_QUEUE] = CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_ADD_QUEUE,
        [CREEL_CONF_REMOVE_QUEUE] = CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_REMOVE_QUEUE,
    };
    Creel__SchedulerConfEdit *edit = mem_new0(Creel__SchedulerConfEdit);

    creel__scheduler_conf_edit__init(edit);
    edit->part = parts[given->kind];
    edit->queue = mem_strdup(given->queue != NULL ? given->queue : "");
    edit->keys = mem_array0(given->setting_count + 1, sizeof(*edit->keys));
    for (; edit->n_keys < given->setting_count; edit->n_keys++) {
        const struct creel_conf_setting *setting = &given->settings[edit->n_keys];
        Creel__ConfOverride *key = mem_new0(Creel__ConfOverride);

        creel__conf_override__init(key);
        key->key = mem_strdup(setting->key);
        key->value = mem_strdup(setting->value != NULL ? setting->value : "");
        key->removed = *key->value == '\0';
        edit->keys[edit->n_keys] = key;
    }
    return edit;
}

CREEL_EXPORT
int creel_scheduler_conf_change(struct creel_client *client, const struct creel_conf_edit *edits,
                                size_t count, bool validate, struct creel_scheduler_conf **ret,
                                struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__ChangeSchedulerConf *change = mem_new0(Creel__ChangeSchedulerConf);
    int r;

    creel__change_scheduler_conf__init(change);
    change->validate = validate;
    change->edits = mem_array0(count + 1, sizeof(*change->edits));
    for (; change->n_edits < count; change->n_edits++)
        change->edits[change->n_edits] = edit_new(&edits[change->n_edits]);
    request.body_case = CREEL__ENVELOPE__BODY_CHANGE_SCHEDULER_CONF;
    request.change_scheduler_conf = change;
    r = ask_properties(client, &request, ret, error);
    creel__change_scheduler_conf__free_unpacked(change, NULL);
    return r;
}

CREEL_EXPORT
void creel_scheduler_conf_free(struct creel_scheduler_conf *conf)
{
    struct scheduler_conf_box *box = (struct scheduler_conf_box *)(void *)conf;

    if (!box)
        return;
    pages_done(&box->pages);
    free(box->shown.entries);
    free(box->warnings);
    free(box);
}
