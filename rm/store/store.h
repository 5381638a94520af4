/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - the durable state of the resource manager
 *
 * Rows of applications, attempts, containers, nodes, queues and labels, the cluster's number, the number of
 * starts, and the signing keys. There is one writer, with many rows in a transaction. When store_commit has
 * succeeded, its rows survive a crash and a power cut. The calls go through a table of functions
 * (store_ops.h), so that another store can replace SQLite.
 *
 * The store does not log, and no error of the disk ends the process: after a failed call the store is as it
 * was at the last commit, and the call can be repeated.
 */
#ifndef CREEL_RM_STORE_H
#define CREEL_RM_STORE_H

#include <stdint.h>

#include "common/base/err.h"
#include "common/io/token.h"
#include "common/proto/creel.pb-c.h"

struct store;                           /* opaque */

/* Open the store in DIRECTORY, which exists. The first start creates it (NOW_MS becomes the cluster's
 * number). Each start is counted. The directory is locked against other resource managers until
 * store_close.
 * Every row is checked, and that the newest commit is there (head.h). If a check fails, nothing is written,
 * so that an operator can decide (store_care.h).
 * ERR names the file and what to do:
 *   -EBUSY     another process has the directory or the database
 *   -EBADMSG   the database is damaged, has lost commits, or is not one of creel's
 *   -EPROTO    a newer creel wrote it
 *   -EACCES, -EROFS, -ENOSPC, -EIO   errors of the file system */
int store_open_sqlite(const char *directory, int64_t now_ms, struct store **ret, struct err *err);
void store_close(struct store *store);          /* NULL is fine; what is not committed is lost */

int64_t store_cluster_ms(const struct store *store);
uint32_t store_epoch(const struct store *store);        /* 0 at the first start, then 1, 2, ... */
/* The highest number that an app ever had here, forgotten ones and those set aside included. */
uint32_t store_last_app_seq(const struct store *store);

/* --- reading it all, once, at start ---------------------------------------- */

/* Each takes one row: 0, or -errno with the reason why the row makes no sense. Then the load fails, unless an
 * operator accepted what is there since the last load: in that case such rows are moved to the
 * quarantine. */
struct store_sink {
    int (*app)(void *context, const Creel__StoredApp *row, struct err *err);
    int (*attempt)(void *context, const Creel__StoredAttempt *row, struct err *err);
    int (*container)(void *context, const Creel__StoredContainer *row, struct err *err);
    int (*setting)(void *context, const Creel__StoredSetting *row, struct err *err);
    int (*node)(void *context, const Creel__StoredNode *row, struct err *err);
    /* A row was set aside; KIND is "app", "attempt", "container", "setting" or "node". For the log. */
    void (*quarantined)(void *context, const char *kind, const char *id, const char *reason);
    void *context;
};

/* Hand out every row: settings and nodes; then apps in order of id, behind each app its attempts and
 * then its containers. -EBADMSG damaged, or a row was refused; other -errno not readable. */
int store_load(struct store *store, const struct store_sink *sink, struct err *err);

/* --- history ---------------------------------------------------------------- */

/* What is safe on disk; RET points into the store until its next commit. */
void store_history(const struct store *store, Creel__History *ret);

enum store_compared {
    STORE_COMPARED_SEEN,                /* what was seen is part of this store's history */
    STORE_COMPARED_ACCEPTED,            /* it is not, and an operator accepted that */
    STORE_COMPARED_NEWER,               /* commits were seen that this store has not: it is an old copy */
    STORE_COMPARED_OTHER,               /* of another store */
};
enum store_compared store_compare(const struct store *store, const Creel__History *seen);

/* An operator accepts that SEEN, and what came before, is lost. If it was of this store, a new start
 * begins (store_epoch grows), so that ids of containers are not given out twice; store_last_app_seq is
 * at least that of SEEN then. In a transaction of its own. */
int store_accept(struct store *store, const Creel__History *seen, struct err *err);

/* --- writing --------------------------------------------------------------- */

/* One transaction: begin, any number of rows in the order in which the master
 * gave them, commit. When any of them fails the whole transaction is undone
 * (store_rollback may follow, and does nothing): -ENOSPC, -EIO, -EBUSY (a
 * foreign lock; try again), -EBADMSG, -EINVAL (a row without a valid id). */
int store_begin(struct store *store, struct err *err);
int store_put_app(struct store *store, const Creel__StoredApp *row, struct err *err);
int store_put_attempt(struct store *store, const Creel__StoredAttempt *row, struct err *err);
int store_put_container(struct store *store, const Creel__StoredContainer *row, struct err *err);
int store_put_setting(struct store *store, const Creel__StoredSetting *row, struct err *err);
int store_put_node(struct store *store, const Creel__StoredNode *row, struct err *err);
int store_forget_app(struct store *store, const char *app_id, struct err *err);
int store_commit(struct store *store, struct err *err);
void store_rollback(struct store *store);

/* Is there room again? A transaction that changes nothing anybody reads. */
int store_probe(struct store *store, struct err *err);

/* --- token keys ------------------------------------------------------------ */

/* The ring called NAME and when it was last rolled; -ENOENT if there is none. */
int store_get_ring(struct store *store, const char *name, struct token_ring *ring,
                   int64_t *rolled_ms, struct err *err);
/* Replace it, in a transaction of its own. */
int store_put_ring(struct store *store, const char *name, const struct token_ring *ring,
                   int64_t rolled_ms, struct err *err);

#endif
