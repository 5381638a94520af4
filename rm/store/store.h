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

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/io/wire/token.h"
#include "common/proto/creel.pb-c.h"

struct store; /* opaque */

/* Opens the store in DIRECTORY, which must exist. The first start creates the store (NOW_MS becomes the
 * cluster's number). Each start is counted. The directory is locked against other resource managers until
 * store_close. Checks every row, and whether the newest commit exists (head.h). If a check fails, nothing is
 * written, so that an operator can decide (store_maintenance.h). ERR names the file and the remedy. -EBUSY:
 * another process uses the directory or the database. -EBADMSG: the database is damaged, has lost commits,
 * or is not creel's. -EPROTO: a newer creel wrote it. -EACCES, -EROFS, -ENOSPC, -EIO: errors of the file
 * system. */
int store_open_sqlite(const char *directory, int64_t now_ms, struct store **ret, struct err *err);
void store_close(struct store *store); /* NULL is fine; uncommitted rows are lost */

int64_t store_cluster_ms(const struct store *store);
uint32_t store_epoch(const struct store *store); /* 0 at the first start, then 1, 2, ... */
/* Returns the highest number that an application ever had in this store, including forgotten and quarantined
 * applications. */
uint32_t store_last_app_seq(const struct store *store);

/* --- reading it all, once, at start ---------------------------------------- */

/* Each callback takes one row and returns 0, or -errno with the reason why the row is invalid. An invalid row
 * fails the load, unless an operator has accepted the state since the last load: such rows are then moved to
 * the quarantine. */
struct store_sink {
    int (*app)(void *context, const Creel__StoredApp *row, struct err *err);
    int (*attempt)(void *context, const Creel__StoredAttempt *row, struct err *err);
    int (*container)(void *context, const Creel__StoredContainer *row, struct err *err);
    int (*setting)(void *context, const Creel__StoredSetting *row, struct err *err);
    int (*node)(void *context, const Creel__StoredNode *row, struct err *err);
    /* Called for each row moved to the quarantine, for the log; KIND is "app", "attempt", "container",
     * "setting" or "node". */
    void (*quarantined)(void *context, const char *kind, const char *id, const char *reason);
    void *context;
};

/* Passes every row to SINK: settings and nodes; then applications in order of id, each followed by its
 * attempts and its containers. -EBADMSG: damaged, or a row was refused; other -errno: not readable. */
int store_load(struct store *store, const struct store_sink *sink, struct err *err);

/* --- configurations of queues ------------------------------------------------- */

#define STORE_SCHEDULER_CONFS_KEPT 100 /* older versions are deleted */

/* Passes each stored version to TAKE, oldest first; called at start, before store_load. TAKE owns ROW, and
 * frees it with creel__stored_scheduler_conf__free_unpacked. -EBADMSG: a row is invalid. */
typedef void store_scheduler_conf_fn(void *context, Creel__StoredSchedulerConf *row);
int store_load_scheduler_confs(struct store *store, store_scheduler_conf_fn *take, void *context,
                               struct err *err);

/* --- history ---------------------------------------------------------------- */

/* Sets RET to the committed history. RET has pointers into the store, valid until its next commit. */
void store_history(const struct store *store, Creel__History *ret);

enum store_compared {
    STORE_COMPARED_SEEN,     /* the seen history is part of this store's history */
    STORE_COMPARED_ACCEPTED, /* the seen history is lost, and an operator accepted that */
    STORE_COMPARED_NEWER,    /* commits were seen that this store lacks: it is an old copy */
    STORE_COMPARED_OTHER,    /* the seen history is of another store */
};
enum store_compared store_compare(const struct store *store, const Creel__History *seen);

/* Stores, in a transaction of its own, that an operator accepts the loss of the history SEEN and of all
 * earlier ones of the same store. If SEEN is of this store, a new start begins (store_epoch grows), so that
 * no id of a container is assigned twice, and store_last_app_seq becomes at least that of SEEN. */
int store_accept(struct store *store, const Creel__History *seen, struct err *err);

/* --- writing --------------------------------------------------------------- */

/* A transaction: begin, any number of rows in the order in which the master issued them, commit. If one of
 * these calls fails, the whole transaction is undone (a call of store_rollback then does nothing): -ENOSPC,
 * -EIO, -EBUSY (locked by another process; try again), -EBADMSG, -EINVAL (a row without a valid id). */
int store_begin(struct store *store, struct err *err);
/* PACKED: ROW, packed, of SIZE bytes. */
int store_put_app(struct store *store, const Creel__StoredApp *row, const uint8_t *packed, size_t size,
                  struct err *err);
int store_put_attempt(struct store *store, const Creel__StoredAttempt *row, struct err *err);
int store_put_container(struct store *store, const Creel__StoredContainer *row, struct err *err);
int store_put_setting(struct store *store, const Creel__StoredSetting *row, struct err *err);
int store_put_node(struct store *store, const Creel__StoredNode *row, struct err *err);
int store_put_scheduler_conf(struct store *store, const Creel__StoredSchedulerConf *row, struct err *err);
int store_forget_app(struct store *store, const char *app_id, struct err *err);
int store_forget_container(struct store *store, const char *container_id, struct err *err);
int store_commit(struct store *store, struct err *err);
void store_rollback(struct store *store);

/* Checks whether the disk accepts writes again, by a transaction that changes only a counter of checks. */
int store_probe(struct store *store, struct err *err);

/* Returns whether DIRECTORY is on a file system that is known to be on a disk of this host, and its type as
 * statfs has it; 0: that is not known. On another one, the times of files may be those of a server, so that
 * store_watch does not notice that another process has written to a file without making it shorter. */
bool store_is_local(const char *directory, uint32_t *ret_type);
/* The same for a type, for tests. */
bool store_is_local_type(uint32_t type);

/* Looks whether the files of the open store are still those in its directory, without a query. -ESTALE, with
 * the file in ERR: one was removed or replaced, or another process has written to it. Rows are still
 * committed, but the next start does not find them. -ENOLCK: `lock` cannot be made again; rows last, but the
 * directory seems unused. Another -errno: `head` cannot be made again, as on a full disk, so that no commit
 * succeeds. Returns 1, with a sentence for the log in ERR, if a file was gone that the store can make again,
 * as `head`. */
int store_watch(struct store *store, struct err *err);
/* Writes all that is committed to the new file FILE, for store_restore, and checks it. Refuses an existing
 * file. -EBADMSG: the copy, which stays, is not whole. */
int store_rescue(struct store *store, const char *file, struct err *err);

/* Returns the name of the kind of store, "sqlite", and the size of its files. */
const char *store_backend(const struct store *store);
uint64_t store_bytes(const struct store *store);

/* --- token keys ------------------------------------------------------------ */

/* Returns the ring NAME and the time at which it was last rolled; -ENOENT if there is none. */
int store_get_ring(struct store *store, const char *name, struct token_ring *ring, int64_t *rolled_ms,
                   struct err *err);
/* Replaces the ring NAME, in a transaction of its own. */
int store_put_ring(struct store *store, const char *name, const struct token_ring *ring, int64_t rolled_ms,
                   struct err *err);

#endif
