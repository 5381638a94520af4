/* SPDX-License-Identifier: Apache-2.0 */
/* conf.c - requests that read or change the configuration of the resource manager */
#include <errno.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"
#include "common/base/mem.h"
#include "common/io/wire/wire.h"

/* Converts ENTRY; the texts are borrowed. */
static struct creel_conf_entry convert_entry(const Creel__ConfigurationEntry *entry)
{
    return (struct creel_conf_entry){
        .key = entry->key,
        .value = entry->value,
        .origin = entry->origin,
        .refreshed = entry->refreshed,
        .hidden = entry->hidden,
        .before = entry->changed ? entry->before : NULL,
    };
}

/* Takes PAGES. */
static struct creel_conf *show_conf(struct pages *taken)
{
    struct creel_conf *shown = RESULT_NEW(struct creel_conf, taken);
    const struct pages *pages = result_pages(shown);
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->configuration->n_entries;
    shown->entries = RESULT_ARRAY(shown, count, struct creel_conf_entry);
    for (size_t i = 0; i < pages->count; i++)
        for (size_t k = 0; k < pages->items[i]->configuration->n_entries; k++)
            shown->entries[shown->count++] = convert_entry(pages->items[i]->configuration->entries[k]);
    return shown;
}

static bool next_entries(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->get_configuration->first = reply->configuration->next;
    return request->get_configuration->first != 0;
}

CREEL_EXPORT
int creel_conf_get(struct creel_client *client, struct creel_conf **ret, struct creel_error *error)
{
    Creel__GetConfiguration get = CREEL__GET_CONFIGURATION__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = request_pages(client, REQUEST(GET_CONFIGURATION, &get), ANSWER(CONFIGURATION), next_entries,
                          &pages, &err);

    if (r == 0)
        *ret = show_conf(&pages);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
int creel_refresh_access(struct creel_client *client, enum creel_access_part part, struct creel_conf **ret,
                         struct creel_error *error)
{
    Creel__RefreshAccess refresh = CREEL__REFRESH_ACCESS__INIT;
    const Creel__RefreshAccessReply *answer;
    struct pages pages = { 0 };
    struct err err = { 0 };
    struct creel_conf *shown;
    int r;

    refresh.part = (Creel__AccessPart)part;
    r = request_pages(client, REQUEST(REFRESH_ACCESS, &refresh), ANSWER(REFRESH_ACCESS_REPLY), NULL, &pages,
                      &err);
    if (r < 0)
        return client_set_error(error, &err, r == -EPROTO ? -EOPNOTSUPP : r);
    answer = pages.items[0]->refresh_access_reply;
    shown = RESULT_NEW(struct creel_conf, &pages);
    shown->entries = RESULT_ARRAY(shown, answer->n_entries, struct creel_conf_entry);
    for (size_t i = 0; i < answer->n_entries; i++)
        shown->entries[shown->count++] = convert_entry(answer->entries[i]);
    *ret = shown;
    return 0;
}

CREEL_EXPORT
void creel_conf_free(struct creel_conf *conf)
{
    result_free(conf);
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

/* Adds the changes of VERSION, or of a part of it, to SHOWN, which has room for them. */
static void add_changes(struct creel_conf_version *shown, const Creel__SchedulerConfVersion *version)
{
    for (size_t i = 0; i < version->n_changed; i++) {
        const Creel__ConfOverride *changed = version->changed[i];

        shown->changes[shown->change_count++] = (struct creel_conf_change){
            .key = changed->key,
            .value = changed->removed || changed->as_file ? NULL : changed->value,
            .as_file = changed->as_file,
        };
    }
}

/* Adds VERSION, or the further changes of the version that was added last. *NEXT is the place of its changes,
 * and moves behind them. */
static void add_version(struct creel_conf_versions *shown, const Creel__SchedulerConfVersion *version,
                        struct creel_conf_change **next)
{
    if (shown->count == 0 || shown->items[shown->count - 1].version != version->version)
        shown->items[shown->count++] = (struct creel_conf_version){
            .version = version->version,
            .by = version->by,
            .at_ms = version->at_ms,
            .summary = version->summary,
            .changes = *next,
        };
    add_changes(&shown->items[shown->count - 1], version);
    *next += version->n_changed;
}

/* Takes PAGES. */
static struct creel_conf_versions *show_versions(struct pages *taken)
{
    struct creel_conf_versions *shown = RESULT_NEW(struct creel_conf_versions, taken);
    const struct pages *pages = result_pages(shown);
    struct creel_conf_change *next;
    size_t count = 0, changes = 0;

    for (size_t i = 0; i < pages->count; i++) {
        const Creel__SchedulerConf *conf = pages->items[i]->scheduler_conf;

        count += conf->n_versions;
        for (size_t k = 0; k < conf->n_versions; k++)
            changes += conf->versions[k]->n_changed;
    }
    shown->items = RESULT_ARRAY(shown, count, struct creel_conf_version);
    next = RESULT_ARRAY(shown, changes, struct creel_conf_change);
    for (size_t i = 0; i < pages->count; i++)
        for (size_t k = 0; k < pages->items[i]->scheduler_conf->n_versions; k++)
            add_version(shown, pages->items[i]->scheduler_conf->versions[k], &next);
    for (size_t i = 0; i < shown->count; i++)
        shown->items[i].in_force = shown->items[i].version == pages->items[0]->scheduler_conf->version;
    return shown;
}

CREEL_EXPORT
int creel_conf_version_list(struct creel_client *client, struct creel_conf_versions **ret,
                            struct creel_error *error)
{
    Creel__GetSchedulerConf get = CREEL__GET_SCHEDULER_CONF__INIT;
    Creel__Envelope request = request_of(REQUEST(GET_SCHEDULER_CONF, &get));
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    get.versions = true;
    r = fetch_scheduler_conf(client, &request, &pages, &err);
    if (r == 0)
        *ret = show_versions(&pages);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
void creel_conf_versions_free(struct creel_conf_versions *versions)
{
    result_free(versions);
}

CREEL_EXPORT
int creel_conf_roll_back(struct creel_client *client, uint64_t version, uint64_t *ret,
                         struct creel_error *error)
{
    Creel__Envelope *reply;
    Creel__ChangeSchedulerConf change = CREEL__CHANGE_SCHEDULER_CONF__INIT;
    struct err err = { 0 };
    int r;

    change.rollback_to = version;
    r = request_reply(client, REQUEST(CHANGE_SCHEDULER_CONF, &change), ANSWER(SCHEDULER_CONF), &reply, &err);
    if (r < 0)
        return client_set_error(error, &err, refuse_older(r));
    *ret = reply->scheduler_conf->version;
    wire_free(reply);
    return 0;
}

/* --- properties of queues --------------------------------------------------------- */

/* Takes PAGES. */
static struct creel_scheduler_conf *show_properties(struct pages *taken)
{
    struct creel_scheduler_conf *shown = RESULT_NEW(struct creel_scheduler_conf, taken);
    const struct pages *pages = result_pages(shown);
    const Creel__SchedulerConf *first = pages->items[0]->scheduler_conf;
    size_t count = 0;

    shown->version = first->version;
    shown->warnings = result_texts(shown, first->warnings, first->n_warnings);
    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->scheduler_conf->n_entries;
    shown->entries = RESULT_ARRAY(shown, count, struct creel_conf_entry);
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__SchedulerConf *conf = pages->items[i]->scheduler_conf;

        for (size_t k = 0; k < conf->n_entries; k++)
            shown->entries[shown->count++] = convert_entry(conf->entries[k]);
    }
    return shown;
}

/* Sends BODY, a message of KIND, which is answered by a SchedulerConf. */
static int ask_properties(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
                          struct creel_scheduler_conf **ret, struct creel_error *error)
{
    Creel__Envelope request = request_of(kind, body);
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = fetch_scheduler_conf(client, &request, &pages, &err);

    if (r == 0)
        *ret = show_properties(&pages);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
int creel_scheduler_conf_get(struct creel_client *client, struct creel_scheduler_conf **ret,
                             struct creel_error *error)
{
    Creel__GetSchedulerConf get = CREEL__GET_SCHEDULER_CONF__INIT;

    return ask_properties(client, REQUEST(GET_SCHEDULER_CONF, &get), ret, error);
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
    Creel__ChangeSchedulerConf *change = mem_new0(Creel__ChangeSchedulerConf);
    int r;

    creel__change_scheduler_conf__init(change);
    change->validate = validate;
    change->edits = mem_array0(count + 1, sizeof(*change->edits));
    for (; change->n_edits < count; change->n_edits++)
        change->edits[change->n_edits] = edit_new(&edits[change->n_edits]);
    r = ask_properties(client, REQUEST(CHANGE_SCHEDULER_CONF, change), ret, error);
    creel__change_scheduler_conf__free_unpacked(change, NULL);
    return r;
}

CREEL_EXPORT
void creel_scheduler_conf_free(struct creel_scheduler_conf *conf)
{
    result_free(conf);
}
