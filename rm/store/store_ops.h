/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_ops.h - the functions that an implementation of the store provides
 *
 * Private to rm/store. An implementation embeds struct store as its first member; the contracts are those of
 * store.h. store.c checks the calls (a row outside a transaction is a bug, a failed call ends the
 * transaction).
 */
#ifndef CREEL_RM_STORE_OPS_H
#define CREEL_RM_STORE_OPS_H

#include <stdbool.h>

#include "common/base/id.h"
#include "rm/store/store.h"

struct store_ops {
    const char *backend;
    uint64_t (*bytes)(const struct store *store);
    void (*close)(struct store *store);
    int (*load)(struct store *store, const struct store_sink *sink, struct err *err);
    int (*begin)(struct store *store, struct err *err);
    int (*put_app)(struct store *store, const struct app_id *id, const Creel__StoredApp *row,
                   const uint8_t *packed, size_t size, struct err *err);
    int (*put_attempt)(struct store *store, const struct attempt_id *id, const Creel__StoredAttempt *row,
                       struct err *err);
    int (*put_container)(struct store *store, const struct container_id *id,
                         const Creel__StoredContainer *row, struct err *err);
    int (*put_setting)(struct store *store, const Creel__StoredSetting *row, struct err *err);
    int (*put_node)(struct store *store, const Creel__StoredNode *row, struct err *err);
    int (*put_scheduler_conf)(struct store *store, const Creel__StoredSchedulerConf *row, struct err *err);
    int (*load_scheduler_confs)(struct store *store, store_scheduler_conf_fn *take, void *context,
                                struct err *err);
    int (*forget_app)(struct store *store, const struct app_id *id, struct err *err);
    int (*forget_container)(struct store *store, const struct container_id *id, struct err *err);
    int (*put_last_app_seq)(struct store *store, uint32_t seq, struct err *err);
    int (*probe)(struct store *store, struct err *err);
    int (*watch)(struct store *store, struct err *err);
    int (*rescue)(struct store *store, const char *file, struct err *err);
    int (*commit)(struct store *store, struct err *err);
    void (*rollback)(struct store *store);
    void (*history)(const struct store *store, Creel__History *ret);
    enum store_compared (*compare)(const struct store *store, const Creel__History *seen);
    int (*accept)(struct store *store, const Creel__History *seen, struct err *err);
    int (*get_ring)(struct store *store, const char *name, struct token_ring *ring, int64_t *rolled_ms,
                    struct err *err);
    int (*put_ring)(struct store *store, const char *name, const struct token_ring *ring, int64_t rolled_ms,
                    struct err *err);
};

struct store {
    const struct store_ops *ops;
    int64_t cluster_ms;
    uint32_t epoch;
    uint32_t last_app_seq; /* as committed */
    uint32_t new_app_seq;  /* in this transaction */
    bool open;             /* a transaction is open */
};

#endif
