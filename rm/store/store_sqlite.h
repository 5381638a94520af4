/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_sqlite.h - internal declarations of the SQLite store
 *
 *   store_open.c         opens the store in a directory
 *   store_check.c        checks whether the state is valid and the newest; changes nothing
 *   store_schema.c       the tables
 *   store_sums.c         checksums of rows, and sums over tables
 *   store_chain.c        the chain of commits, the head, starts, losses accepted by an operator
 *   store_statements.c   the prepared statements, their parameters and error messages
 *   store_sqlite.c       transactions, and the rows that are written in them
 *   store_load.c         reads rows
 *   store_files.c        are the files of the open store still in their place?
 *   store_maintenance.c  check, backup, restore, accept
 */
#ifndef CREEL_RM_STORE_SQLITE_H
#define CREEL_RM_STORE_SQLITE_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "rm/store/head.h"
#include "rm/store/store_maintenance.h"
#include "rm/store/store_ops.h"

#define DATABASE_NAME "state.db"
#define LOCK_NAME "lock"
#define STORE_CHOICES \
    "see creel admin state check; then put a backup there (creel admin state restore " \
    "FILE), or continue with the state as it is (creel admin state accept)"

enum statement {
    STATEMENT_BEGIN,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_PUT_APP,
    STATEMENT_PUT_ATTEMPT,
    STATEMENT_PUT_CONTAINER,
    STATEMENT_PUT_NODE,
    STATEMENT_FORGET_NODE,
    STATEMENT_PUT_SETTING,
    STATEMENT_FORGET_SETTING,
    STATEMENT_PUT_SCHEDULER_CONF,
    STATEMENT_FORGET_SCHEDULER_CONFS,
    STATEMENT_FORGET_APP,
    STATEMENT_FORGET_ATTEMPTS,
    STATEMENT_FORGET_CONTAINERS,
    STATEMENT_FORGET_CONTAINER,
    STATEMENT_PUT_META,
    STATEMENT_GET_META,
    STATEMENT_GET_RING,
    STATEMENT_CLEAR_RING,
    STATEMENT_PUT_KEY,
    STATEMENT_PUT_HISTORY,
    STATEMENT_PUT_START,
    STATEMENT_PUT_ACCEPTED,
    STATEMENT_COUNT
};

/* Tables whose rows have checksums. */
enum summed_table {
    SUMMED_META,
    SUMMED_KEYS,
    SUMMED_APPS,
    SUMMED_ATTEMPTS,
    SUMMED_CONTAINERS,
    SUMMED_SETTINGS,
    SUMMED_NODES,
    SUMMED_STARTS,
    SUMMED_ACCEPTED,
    SUMMED_SCHEDULER_CONFS,
    SUMMED_TABLES
};
#define SUMMED_TABLES_OLDEST SUMMED_SCHEDULER_CONFS /* number of tables with checksums in schema 4 */

/* The tally of one table: the number of rows, and the sum of their checksums modulo 2^64. */
struct tally {
    uint64_t count, sum;
};

/* The newest commit. Its hash covers the hash of the previous commit and the tallies of all tables, so that
 * missing, duplicate or outdated rows are detected. */
struct chain {
    uint8_t store_id[STORE_ID_BYTES];
    uint64_t number; /* 0: none yet */
    int64_t written_ms;
    uint8_t previous[STORE_HASH_BYTES], hash[STORE_HASH_BYTES];
    struct tally tallies[SUMMED_TABLES];
    size_t tables; /* number of tallies in this commit; fewer in a commit of an earlier schema */
};

struct start { /* a start of a resource manager with this store */
    uint32_t epoch;
    uint8_t id[STORE_ID_BYTES]; /* random: two copies of a store differ from their next start on */
    uint64_t first_commit;
};

struct accepted { /* a history whose loss an operator has accepted */
    uint8_t store_id[STORE_ID_BYTES];
    uint32_t epoch; /* epoch of the last start of that history */
};

enum store_file {
    STORE_FILE_DATABASE,
    STORE_FILE_LOG,   /* write-ahead log */
    STORE_FILE_INDEX, /* of the log, in shared memory */
    STORE_FILES
};

struct file_mark {
    struct stat status; /* after the last write of this process */
    bool known;
    bool changed; /* by another process since */
};

struct sqlite_store {
    struct store base; /* first member: callers have a pointer to it */
    sqlite3 *database;
    char *directory, *file;
    int lock_fd, head_fd;
    int second_lock_fd; /* lock file made again in place of LOCK_FD's; -1: none */
    struct file_mark marks[STORE_FILES], directory_mark;
    int64_t head_synced_ms;
    bool head_due;                       /* the newest commit is not in the head yet */
    struct chain chain;                  /* the newest committed one */
    struct tally tallies[SUMMED_TABLES]; /* including the open transaction */
    struct start *starts;                /* by epoch; the newest STARTS_KEPT */
    size_t start_count, start_capacity;
    struct accepted *accepted;
    size_t accepted_count, accepted_capacity;
    sqlite3_stmt *statements[STATEMENT_COUNT];
};

extern const struct store_ops store_sqlite_ops;

/* --- store_statements.c ------------------------------------------------------- */

/* Returns the last error of the database as -errno. ERR has DOING (the failed action), the file's name, and
 * the remedy. */
int store_sqlite_fail(const struct sqlite_store *store, const char *doing, struct err *err);

/* Runs SQL that returns no rows. */
int store_sqlite_run(struct sqlite_store *store, const char *sql, const char *doing, struct err *err);
/* Reads the integer in the first column of the first row of SQL. */
int store_sqlite_number(struct sqlite_store *store, const char *sql, int64_t *value, struct err *err);

int store_sqlite_prepare(struct sqlite_store *store, struct err *err);

/* Meta values are integers by name; -ENOENT if there is none. */
int store_sqlite_get_meta(struct sqlite_store *store, const char *name, int64_t *value, struct err *err);
int store_sqlite_put_meta(struct sqlite_store *store, const char *name, int64_t value, struct err *err);

/* Binds the parameters of a statement one after another; store_bind_finish executes the statement. Errors of
 * binding (lack of memory, a wrong index) are ignored: executing the statement then fails. */
struct binder {
    sqlite3_stmt *statement;
    int next;
};
struct binder store_bind_start(struct sqlite_store *store, enum statement which);
void store_bind_number(struct binder *binder, int64_t value);
void store_bind_text(struct binder *binder, const char *text);
void store_bind_bytes(struct binder *binder, const void *bytes, size_t size);
int store_bind_finish(struct sqlite_store *store, struct binder *binder, const char *doing, struct err *err);

/* --- store_load.c --------------------------------------------------------------- */

int store_sqlite_load_scheduler_confs(struct store *store, store_scheduler_conf_fn *take, void *context,
                                      struct err *err);
int store_sqlite_load(struct store *store, const struct store_sink *sink, struct err *err);

/* --- store_schema.c ----------------------------------------------------------- */

#define SCHEMA_SUMMED 4 /* from this version on rows have checksums */

/* Migrates the tables to this build's schema (in a new file: creates them), inside a transaction of the
 * caller. */
int store_schema_prepare(struct sqlite_store *store, struct err *err);
/* Returns the number of the newest schema. */
int64_t store_schema_newest(void);
/* Checks that the file is creel's, and not of a newer schema. An empty file passes: *VERSION is 0 then. */
int store_schema_check(struct sqlite_store *store, int64_t *version, struct err *err);

/* --- store_sums.c -------------------------------------------------------------- */

/* The columns that a checksum covers, in its order. */
#define META_COLUMNS "name, value"
#define KEY_COLUMNS "ring, place, key_id, key, rolled_ms"
#define APP_COLUMNS \
    "cluster_ms, seq, id, user, queue, name, state, final_status, exit_status, " \
    "submitted_ms, finished_ms, row"
#define ATTEMPT_COLUMNS \
    "cluster_ms, seq, id, attempt, master_container, master_node, over, " \
    "exit_status, row"
#define CONTAINER_COLUMNS \
    "cluster_ms, seq, id, attempt, epoch, number, user, node, state, " \
    "exit_status, finished_ms, row"
#define SETTING_COLUMNS "kind, name, value, row"
#define NODE_COLUMNS "id, state, who, reason, since_ms, deadline_ms, row"
#define START_COLUMNS "epoch, start_id, first_commit, started_ms"
#define ACCEPTED_COLUMNS "store_id, epoch, accepted_ms"
#define SCHEDULER_CONF_COLUMNS "id, who, changed_ms, summary, row"

/* The SQL function row_sum(TABLE, COLUMN...), which all writing statements use. */
int store_sums_define(struct sqlite_store *store, struct err *err);
/* Installs triggers: each row that this connection writes or deletes changes store->tallies. */
int store_sums_watch(struct sqlite_store *store, struct err *err);
/* Sums up the stored checksums into store->tallies. */
int store_sums_count(struct sqlite_store *store, struct err *err);
/* Computes the checksum of every row, and compares each table with its tally in CHAIN. PROBLEM is called for
 * each difference with a sentence that names table and key. -errno: the database could not be read. */
int store_sums_verify(struct sqlite_store *store, const struct chain *chain,
                      void (*problem)(void *context, const char *text), void *context, struct err *err);
/* Moves rows with a wrong checksum to the table quarantine, inside the caller's transaction. In tables whose
 * rows cannot be quarantined, deletes them. */
int store_sums_set_aside(struct sqlite_store *store, struct err *err);

/* --- store_chain.c --------------------------------------------------------------- */

#define STARTS_KEPT 1000

/* Reads the newest commit; -ENOENT there is none, -EBADMSG it is inconsistent. */
int store_chain_read(struct sqlite_store *store, struct chain *chain, struct err *err);
/* Executes COMMIT for the extended chain, and writes the head. */
int store_chain_commit(struct sqlite_store *store, struct err *err);
/* Writes the head, unless it has the newest commit already. */
int store_chain_write_head(struct sqlite_store *store, struct err *err);
/* Reads starts and accepted losses. */
int store_chain_load(struct sqlite_store *store, struct err *err);
/* Inside the caller's transaction, store_chain_begin_start stores that the start EPOCH begins, and
 * store_chain_accept that the loss of the history of STORE_ID up to the start EPOCH is accepted. */
int store_chain_begin_start(struct sqlite_store *store, uint32_t epoch, int64_t now_ms, struct err *err);
int store_chain_accept(struct sqlite_store *store, const uint8_t store_id[STORE_ID_BYTES], uint32_t epoch,
                       int64_t now_ms, struct err *err);
/* Returns true if commit COMMIT of the start EPOCH is part of this history. For a start that is no longer
 * kept only COMMIT is compared. Call store_chain_load first. */
bool store_chain_has(const struct sqlite_store *store, uint32_t epoch, const uint8_t start_id[STORE_ID_BYTES],
                     uint64_t commit);
int64_t store_wall_ms(void);
void store_sqlite_history(const struct store *store, Creel__History *ret);
enum store_compared store_sqlite_compare(const struct store *store, const Creel__History *seen);

/* --- store_check.c ---------------------------------------------------------------- */

/* Creates the store object for a directory, without a database; freed by store_close. */
struct sqlite_store *store_sqlite_new(const char *directory);
/* Opens the existing DATABASE for reading and writing, with row_sum. Opening writes nothing, and closing
 * leaves the files as they are. */
int store_sqlite_connect(struct sqlite_store *store, struct err *err);
int store_sqlite_set_checkpoints(struct sqlite_store *store, bool on, struct err *err);
int store_lock_directory(const char *directory, int *ret, struct err *err);

/* Checks a locked directory, and opens the database if there is one. The verdict is in REPORT. -EBADMSG: the
 * database is not creel's; -EPROTO: a newer creel wrote it; other -errno: the check could not be made. */
int store_examine(struct sqlite_store *store, struct store_report *report, struct err *err);
/* The same check for one file without a head. */
int store_examine_file(struct sqlite_store *store, struct store_report *report, struct err *err);

/* --- store_open.c ------------------------------------------------------------------- */

/* Makes a checked database ready for use, creating it if necessary, and writes the rows of a start. RANGE has
 * the lower bounds of new ids. */
struct store_range {
    bool raise;              /* start a new range of ids */
    const struct head *head; /* NULL: the assigned ids are unknown */
    uint64_t commit;         /* numbers of new commits are above this */
};
int store_open_ready(struct sqlite_store *store, int64_t now_ms, const struct store_range *range,
                     struct err *err);

/* --- store_files.c ------------------------------------------------------------------ */

/* Called after each transaction, also one that failed: notes the files as this process has left them. */
void store_files_note(struct sqlite_store *store);
/* Called before each transaction: notes which files another process has written to. */
void store_files_look(struct sqlite_store *store);
/* See store_watch. */
int store_files_watch(struct sqlite_store *store, struct err *err);

/* --- store_maintenance.c ------------------------------------------------------ */

/* Writes a file, or the entries of a directory (FLAGS: O_DIRECTORY), to the disk. */
int store_sync_path(const char *path, int flags, struct err *err);
/* Copies the database into the new file PATH, which is complete without a write-ahead log. */
int store_copy_database(struct sqlite_store *from, const char *path, struct err *err);
/* Checks the database FILE. -EBADMSG: it is not sound. */
int store_examine_copy(const char *file, struct store_report *report, struct err *err);

#endif
