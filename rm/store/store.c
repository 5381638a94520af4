/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - the common front end of stores: checks the order of calls and ids, undoes failed transactions */
#include "rm/store/store.h"

#include <assert.h>
#include <errno.h>

#include "rm/store/store_ops.h"

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    store_rollback(store);
    store->ops->close(store);
}

int64_t store_cluster_ms(const struct store *store)
{
    return store->cluster_ms;
}

uint32_t store_epoch(const struct store *store)
{
    return store->epoch;
}

uint32_t store_last_app_seq(const struct store *store)
{
    return store->last_app_seq;
}

int store_load(struct store *store, const struct store_sink *sink, struct err *err)
{
    assert(!store->open);
    return store->ops->load(store, sink, err);
}

void store_rollback(struct store *store)
{
    if (!store->open)
        return;
    store->open = false;
    store->ops->rollback(store);
}

/* Undoes the transaction if RESULT is an error. Returns RESULT. */
static int end_if_failed(struct store *store, int result)
{
    if (result < 0)
        store_rollback(store);
    return result;
}

int store_begin(struct store *store, struct err *err)
{
    int r;

    assert(!store->open);
    r = store->ops->begin(store, err);
    if (r < 0)
        return r;
    store->open = true;
    store->new_app_seq = store->last_app_seq;
    return 0;
}

static int refuse_id(struct store *store, const char *what, const char *id, struct err *err)
{
    return end_if_failed(store, err_set(err, EINVAL, "%s \"%s\": not an id", what, id));
}

int store_put_app(struct store *store, const Creel__StoredApp *row, const uint8_t *packed, size_t size,
                  struct err *err)
{
    struct app_id id;
    int r;

    assert(store->open);
    if (!app_id_parse(row->app_id, &id))
        return refuse_id(store, "app", row->app_id, err);
    if (id.cluster_ms == store->cluster_ms && id.seq > store->new_app_seq) {
        r = store->ops->put_last_app_seq(store, id.seq, err);
        if (r < 0)
            return end_if_failed(store, r);
        store->new_app_seq = id.seq;
    }
    return end_if_failed(store, store->ops->put_app(store, &id, row, packed, size, err));
}

int store_put_attempt(struct store *store, const Creel__StoredAttempt *row, struct err *err)
{
    struct attempt_id id;

    assert(store->open);
    if (!attempt_id_parse(row->attempt_id, &id))
        return refuse_id(store, "attempt", row->attempt_id, err);
    return end_if_failed(store, store->ops->put_attempt(store, &id, row, err));
}

int store_put_container(struct store *store, const Creel__StoredContainer *row, struct err *err)
{
    struct container_id id;
    const char *text = row->report != NULL ? row->report->container_id : "";

    assert(store->open);
    if (!container_id_parse(text, &id))
        return refuse_id(store, "container", text, err);
    return end_if_failed(store, store->ops->put_container(store, &id, row, err));
}

int store_put_setting(struct store *store, const Creel__StoredSetting *row, struct err *err)
{
    assert(store->open);
    if (*row->kind == '\0' || *row->name == '\0')
        return refuse_id(store, "setting", row->name, err);
    return end_if_failed(store, store->ops->put_setting(store, row, err));
}

int store_put_node(struct store *store, const Creel__StoredNode *row, struct err *err)
{
    assert(store->open);
    if (row->node_id == NULL || row->node_id[0] == '\0')
        return refuse_id(store, "node", "", err);
    return end_if_failed(store, store->ops->put_node(store, row, err));
}

int store_put_scheduler_conf(struct store *store, const Creel__StoredSchedulerConf *row, struct err *err)
{
    assert(store->open);
    if (row->version == 0 || row->version > INT64_MAX)
        return refuse_id(store, "configuration of queues", "", err);
    return end_if_failed(store, store->ops->put_scheduler_conf(store, row, err));
}

int store_load_scheduler_confs(struct store *store, store_scheduler_conf_fn *take, void *context,
                               struct err *err)
{
    assert(!store->open);
    return store->ops->load_scheduler_confs(store, take, context, err);
}

int store_forget_app(struct store *store, const char *app_id, struct err *err)
{
    struct app_id id;

    assert(store->open);
    if (!app_id_parse(app_id, &id))
        return refuse_id(store, "app", app_id, err);
    return end_if_failed(store, store->ops->forget_app(store, &id, err));
}

int store_forget_container(struct store *store, const char *container_id, struct err *err)
{
    struct container_id id;

    assert(store->open);
    if (!container_id_parse(container_id, &id))
        return refuse_id(store, "container", container_id, err);
    return end_if_failed(store, store->ops->forget_container(store, &id, err));
}

int store_commit(struct store *store, struct err *err)
{
    int r;

    assert(store->open);
    r = store->ops->commit(store, err);
    if (r < 0)
        return end_if_failed(store, r);
    store->open = false;
    store->last_app_seq = store->new_app_seq;
    return 0;
}

int store_probe(struct store *store, struct err *err)
{
    int r = store_begin(store, err);

    if (r < 0)
        return r;
    r = end_if_failed(store, store->ops->probe(store, err));
    return r < 0 ? r : store_commit(store, err);
}

int store_watch(struct store *store, struct err *err)
{
    assert(!store->open);
    return store->ops->watch(store, err);
}

int store_rescue(struct store *store, const char *file, struct err *err)
{
    return store->ops->rescue(store, file, err);
}

void store_history(const struct store *store, Creel__History *ret)
{
    store->ops->history(store, ret);
}

enum store_compared store_compare(const struct store *store, const Creel__History *seen)
{
    return store->ops->compare(store, seen);
}

int store_accept(struct store *store, const Creel__History *seen, struct err *err)
{
    Creel__History now;
    int r = store_begin(store, err);

    if (r < 0)
        return r;
    r = end_if_failed(store, store->ops->accept(store, seen, err));
    if (r == 0)
        r = store_commit(store, err);
    if (r == 0) {
        store_history(store, &now);
        store->epoch = now.epoch;
    }
    return r;
}

const char *store_backend(const struct store *store)
{
    return store->ops->backend;
}

uint64_t store_bytes(const struct store *store)
{
    return store->ops->bytes(store);
}

int store_get_ring(struct store *store, const char *name, struct token_ring *ring, int64_t *rolled_ms,
                   struct err *err)
{
    return store->ops->get_ring(store, name, ring, rolled_ms, err);
}

int store_put_ring(struct store *store, const char *name, const struct token_ring *ring, int64_t rolled_ms,
                   struct err *err)
{
    int r = store_begin(store, err);

    if (r < 0)
        return r;
    r = end_if_failed(store, store->ops->put_ring(store, name, ring, rolled_ms, err));
    return r < 0 ? r : store_commit(store, err);
}
