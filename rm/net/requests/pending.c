/* SPDX-License-Identifier: Apache-2.0 */
/* pending.c - queue of rows that are not on disk yet */
#include "rm/net/requests/pending.h"

#include <assert.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/io/wire/wire.h"

struct row {
    enum master_effect_kind kind;
    ProtobufCMessage *message; /* owned; for STORE effects, of an application once app_of has unpacked it */
    uint8_t *packed;           /* owned; the row of an application as the master packed it */
    size_t size;
    char app_id[ID_TEXT_MAX]; /* application of the row */
    char *container_id;       /* owned; of MASTER_FORGET_CONTAINER */
    bool later;               /* of FORGET effects: the row is deleted later */
    STAILQ_ENTRY(row) link;
};

STAILQ_HEAD(rows, row);

struct pending {
    struct rows rows;
    size_t count;
    uint64_t last_seq;
};

struct pending *pending_new(void)
{
    struct pending *pending = mem_new0(struct pending);

    STAILQ_INIT(&pending->rows);
    return pending;
}

static const Creel__StoredApp *app_of(struct row *row)
{
    if (row->message == NULL)
        row->message =
            protobuf_c_message_unpack(&creel__stored_app__descriptor, NULL, row->size, row->packed);
    if (row->message == NULL)
        abort(); /* it was packed by this process: memory ran out */
    return (const Creel__StoredApp *)row->message;
}

static void row_free(struct row *row)
{
    free(row->packed);
    if (row->message != NULL)
        protobuf_c_message_free_unpacked(row->message, NULL);
    free(row->container_id);
    free(row);
}

static void clear(struct pending *pending)
{
    struct row *row;

    while ((row = STAILQ_FIRST(&pending->rows)) != NULL) {
        STAILQ_REMOVE_HEAD(&pending->rows, link);
        row_free(row);
    }
    pending->count = 0;
}

void pending_free(struct pending *pending)
{
    if (pending == NULL)
        return;
    clear(pending);
    free(pending);
}

static void set_app_of(struct row *row, const char *container_id)
{
    struct container_id id;

    if (container_id_parse(container_id, &id))
        app_id_format(&id.attempt.app, row->app_id);
}

/* Sets the application of a row. An invalid id is not reported here: the store refuses the row. */
static void set_app_id(struct row *row, const struct master_effect *effect)
{
    struct attempt_id attempt;
    const char *text = effect->app_id;

    if (effect->kind == MASTER_STORE_SETTING || effect->kind == MASTER_STORE_NODE ||
        effect->kind == MASTER_STORE_SCHEDULER_CONF)
        return;
    if (effect->kind == MASTER_STORE_ATTEMPT) {
        if (attempt_id_parse(effect->attempt->attempt_id, &attempt))
            app_id_format(&attempt.app, row->app_id);
    } else if (effect->kind == MASTER_STORE_CONTAINER) {
        set_app_of(row, effect->container->report->container_id);
    } else if (effect->kind == MASTER_FORGET_CONTAINER) {
        set_app_of(row, effect->container_id);
    } else {
        assert(strlen(text) < sizeof(row->app_id));
        memcpy(row->app_id, text, strlen(text) + 1);
    }
}

void pending_add(struct pending *pending, const struct master_effect *effect)
{
    struct row *row = mem_new0(struct row);

    assert(effect->kind != MASTER_SEND && effect->kind != MASTER_RELOAD &&
           effect->kind != MASTER_RELOAD_HOSTS && effect->kind != MASTER_SCHEDULER_CONF &&
           effect->kind != MASTER_ACCEPT && effect->kind != MASTER_LOG_LEVEL &&
           effect->kind != MASTER_REFRESH_ACCESS);
    assert(effect->store_seq == pending->last_seq + 1);
    row->kind = effect->kind;
    row->later =
        effect->kind == MASTER_FORGET_CONTAINER || (effect->kind == MASTER_FORGET_APP && effect->ended);
    if (effect->kind == MASTER_STORE_APP) {
        row->size = effect->app.len;
        row->packed = mem_dup(effect->app.data, row->size);
    } else if (effect->kind == MASTER_STORE_ATTEMPT) {
        row->message = wire_copy(&effect->attempt->base);
    } else if (effect->kind == MASTER_STORE_CONTAINER) {
        row->message = wire_copy(&effect->container->base);
    } else if (effect->kind == MASTER_STORE_SETTING) {
        row->message = wire_copy(&effect->setting->base);
    } else if (effect->kind == MASTER_STORE_NODE) {
        row->message = wire_copy(&effect->node->base);
    } else if (effect->kind == MASTER_STORE_SCHEDULER_CONF) {
        row->message = wire_copy(&effect->scheduler_conf->base);
    } else if (effect->kind == MASTER_FORGET_CONTAINER) {
        row->container_id = mem_strdup(effect->container_id);
    }
    set_app_id(row, effect);
    STAILQ_INSERT_TAIL(&pending->rows, row, link);
    pending->count++;
    pending->last_seq = effect->store_seq;
}

void pending_delete(struct pending *pending, const char *id)
{
    struct row *row = mem_new0(struct row);
    struct container_id container;

    assert(strlen(id) < sizeof(row->app_id));
    if (container_id_parse(id, &container)) {
        row->kind = MASTER_FORGET_CONTAINER;
        row->container_id = mem_strdup(id);
        app_id_format(&container.attempt.app, row->app_id);
    } else {
        row->kind = MASTER_FORGET_APP;
        memcpy(row->app_id, id, strlen(id) + 1);
    }
    STAILQ_INSERT_TAIL(&pending->rows, row, link);
    pending->count++;
}

size_t pending_count(const struct pending *pending)
{
    return pending->count;
}

uint64_t pending_last_seq(const struct pending *pending)
{
    return pending->last_seq;
}

static int put(struct store *store, struct row *row, struct err *err)
{
    switch (row->kind) {
    case MASTER_STORE_APP:
        return store_put_app(store, app_of(row), row->packed, row->size, err);
    case MASTER_STORE_ATTEMPT:
        return store_put_attempt(store, (const Creel__StoredAttempt *)row->message, err);
    case MASTER_STORE_CONTAINER:
        return store_put_container(store, (const Creel__StoredContainer *)row->message, err);
    case MASTER_STORE_SETTING:
        return store_put_setting(store, (const Creel__StoredSetting *)row->message, err);
    case MASTER_STORE_NODE:
        return store_put_node(store, (const Creel__StoredNode *)row->message, err);
    case MASTER_STORE_SCHEDULER_CONF:
        return store_put_scheduler_conf(store, (const Creel__StoredSchedulerConf *)row->message, err);
    case MASTER_FORGET_APP:
        return row->later ? 0 : store_forget_app(store, row->app_id, err);
    case MASTER_FORGET_CONTAINER:
        return row->later ? 0 : store_forget_container(store, row->container_id, err);
    case MASTER_SEND:
    case MASTER_RELOAD:
    case MASTER_RELOAD_HOSTS:
    case MASTER_LOG_LEVEL:
    case MASTER_EVENT:
    case MASTER_REFRESH_ACCESS:
    case MASTER_SCHEDULER_CONF:
    case MASTER_ACCEPT:
        break;
    }
    abort();
}

static void report_written(const struct pending *pending, pending_written_fn *written, void *context)
{
    struct row *row;

    STAILQ_FOREACH(row, &pending->rows, link) {
        if (row->kind == MASTER_STORE_APP)
            written(context, app_of(row), NULL, NULL);
        if (row->kind == MASTER_STORE_CONTAINER)
            written(context, NULL, (const Creel__StoredContainer *)row->message, NULL);
        if (row->later)
            written(context, NULL, NULL, row->container_id ? row->container_id : row->app_id);
    }
}

int pending_write(struct pending *pending, struct store *store, pending_written_fn *written, void *context,
                  struct err *err)
{
    struct row *row;
    int r;

    if (pending->count == 0)
        return store_probe(store, err);
    r = store_begin(store, err);
    if (r < 0)
        return r;
    STAILQ_FOREACH(row, &pending->rows, link) {
        r = put(store, row, err);
        if (r < 0)
            return r;
    }
    r = store_commit(store, err);
    if (r < 0)
        return r;
    if (written != NULL)
        report_written(pending, written, context);
    clear(pending);
    return 0;
}

struct new_app { /* an application whose first row is pending */
    char app_id[ID_TEXT_MAX];
    bool refused;
    UT_hash_handle hh;
};

static bool is_submission(struct row *row)
{
    return row->kind == MASTER_STORE_APP && app_of(row)->state == CREEL__APP_STATE__APP_NEW_SAVING;
}

static struct new_app *find_new(struct new_app *apps, const char *app_id)
{
    struct new_app *app;

    HASH_FIND_STR(apps, app_id, app);
    return app;
}

/* Returns the applications whose first rows are pending. REFUSED is set if the deletion is pending, too. */
static struct new_app *collect_new(const struct pending *pending)
{
    struct new_app *apps = NULL, *app;
    struct row *row;

    STAILQ_FOREACH(row, &pending->rows, link) {
        app = find_new(apps, row->app_id);
        if (app == NULL && is_submission(row)) {
            app = mem_new0(struct new_app);
            memcpy(app->app_id, row->app_id, sizeof(app->app_id));
            HASH_ADD_STR(apps, app_id, app);
        } else if (app != NULL && row->kind == MASTER_FORGET_APP) {
            app->refused = true;
        }
    }
    return apps;
}

size_t pending_drop_refused(struct pending *pending)
{
    struct new_app *apps = collect_new(pending), *app, *next_app;
    struct rows kept = STAILQ_HEAD_INITIALIZER(kept);
    struct row *row;
    size_t dropped = 0;

    while ((row = STAILQ_FIRST(&pending->rows)) != NULL) {
        STAILQ_REMOVE_HEAD(&pending->rows, link);
        app = find_new(apps, row->app_id);
        if (app == NULL || !app->refused) {
            STAILQ_INSERT_TAIL(&kept, row, link);
            continue;
        }
        row_free(row);
        pending->count--;
    }
    STAILQ_CONCAT(&pending->rows, &kept);
    HASH_ITER(hh, apps, app, next_app) {
        dropped += app->refused;
        HASH_DEL(apps, app);
        free(app);
    }
    return dropped;
}
