/* SPDX-License-Identifier: Apache-2.0 */
/* history_writer.c - collects rows of the history, and writes them in a thread */
#include "rm/net/history/history_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "common/base/mem.h"
#include "common/io/loop/log.h"
#include "rm/net/history/history_loss.h"
#include "rm/net/history/history_rows.h"
#include "rm/net/parts/clock.h"
#include "rm/net/parts/worker.h"
#include "rm/store/job_history.h"
#include "rm/store/store_ended.h"

#define RETRY_FIRST_MS 1000
#define RETRY_MAX_MS 60000
#define READ_ROWS 1000 /* of the state, for one transaction */

struct batch {
    struct worker_job job; /* first member */
    struct history_writer *writer;
    bool reads_state; /* the thread reads the rows from the state */
    struct history_rows rows;
    uint64_t last; /* when it is written, the history has all rows up to this number */
    int64_t now_ms;
    int result;
    char *set_aside;                    /* name of a damaged file; NULL: there was none */
    size_t rows_in_file;                /* rows written so far */
    struct job_history_removed removed; /* rows of users with too many that were deleted, since the start */
    struct err removal_error;           /* of the last such deletion; code 0: none */
    bool rows_missing;                  /* the damaged file had rows of the state, or of this batch */
    struct err err;
};

struct forgotten { /* an application that the master has forgotten */
    struct app_id id;
    uint64_t last; /* number of the last row that was added before */
    STAILQ_ENTRY(forgotten) link;
};

STAILQ_HEAD(forgotten_apps, forgotten);

struct forgotten_container { /* the same for a container */
    struct container_id id;
    uint64_t last;
    STAILQ_ENTRY(forgotten_container) link;
};

STAILQ_HEAD(forgotten_containers, forgotten_container);

/* Rows are numbered. Those that the state had at the start have the number 1 together. */
struct history_writer {
    struct loop *loop;
    struct clock clock; /* a jump of the wall clock must not make all files too old */
    struct worker *worker;
    char *state_directory;
    struct job_history *history; /* used in the thread only */
    atomic_bool closing;         /* the thread stops reading the state */
    struct batch *filling;       /* rows not yet passed to the thread; NULL: none */
    struct batch *waiting;       /* rows that could not be written, for the next try; NULL: none */
    bool must_read;              /* rows up to ADDED are not in memory: the state is read next */
    bool busy;                   /* a batch is in the thread */
    uint64_t added, written;     /* numbers of the last row that was added, and that the history has */
    struct forgotten_apps forgotten;
    struct forgotten_containers containers;
    uint64_t kept;
    struct job_history_removed removed; /* that are in the log */
    uint64_t kept_containers;
    struct history_loss loss;
    bool losing;       /* an application was lost in this run */
    int64_t behind_ms; /* when the oldest row was added that the history lacks; 0: it lacks none */
    int64_t keep_ms, retry_ms;
    int timer;                /* 0: none is set */
    struct err problem;       /* code 0: none */
    struct err removal_error; /* the last one that is in the log; code 0: none, or it is over */
};

static struct batch *batch_new(struct history_writer *writer)
{
    struct batch *batch = mem_new0(struct batch);

    batch->writer = writer;
    return batch;
}

static int64_t now_ms(struct history_writer *writer)
{
    return clock_tick(&writer->clock, loop_now_ms(), loop_monotonic_ms());
}

static void batch_free(struct batch *batch)
{
    if (batch == NULL)
        return;
    history_rows_clear(&batch->rows);
    free(batch->set_aside);
    free(batch);
}

/* --- in the thread --------------------------------------------------------- */

static int write_rows(struct batch *batch)
{
    char *set_aside = NULL;
    const struct err *error;
    int r = job_history_write(batch->writer->history, batch->rows.rows, batch->rows.count, batch->now_ms,
                              &set_aside, &batch->err);

    if (set_aside != NULL) {
        free(batch->set_aside);
        batch->set_aside = set_aside;
        batch->rows_missing = !batch->reads_state || batch->rows_in_file > 0;
    }
    batch->rows_in_file += batch->rows.count;
    error = job_history_removal_error(batch->writer->history);
    batch->removal_error = error != NULL ? *error : (struct err){ .code = 0 };
    return r;
}

static void add_row(void *context, const Creel__StoredApp *app, const Creel__StoredContainer *container)
{
    struct batch *batch = context;

    if (app != NULL && history_rows_has_app(app))
        history_rows_add_app(&batch->rows, app);
    if (container != NULL && history_rows_has_container(container->report))
        history_rows_add_container(&batch->rows, container->report);
}

/* Writes all rows that the state has. Ends early if the daemon ends: the next start reads the state again. */
static int write_state(struct batch *batch)
{
    struct store_ended *ended;
    int r = store_ended_open(batch->writer->state_directory, &ended, &batch->err);

    if (r < 0)
        return r == -ENOENT ? 0 : r;
    while (!batch->writer->closing &&
           (r = store_ended_next(ended, READ_ROWS, add_row, batch, &batch->err)) > 0) {
        r = write_rows(batch);
        history_rows_clear(&batch->rows);
        if (r < 0)
            break;
    }
    store_ended_close(ended);
    return r;
}

static void run_batch(struct worker_job *job)
{
    struct batch *batch = (struct batch *)job;

    batch->result = batch->reads_state ? write_state(batch) : write_rows(batch);
    batch->removed = job_history_removed(batch->writer->history);
}

/* --- in the loop ----------------------------------------------------------- */

static void write_next(struct history_writer *writer);

static void retry_due(void *context)
{
    struct history_writer *writer = context;

    writer->timer = 0;
    write_next(writer);
}

/* Drops the rows in memory: the state has them, and is read when the history can be written. */
static void read_state_next(struct history_writer *writer)
{
    batch_free(writer->waiting);
    batch_free(writer->filling);
    writer->waiting = writer->filling = NULL;
    writer->must_read = true;
}

static void on_failed(struct history_writer *writer, struct batch *batch)
{
    if (writer->problem.code == 0)
        log_line(LOG_LEVEL_WARN,
                 "the history is not written: %s; jobs continue, and the state keeps the rows",
                 batch->err.text);
    writer->retry_ms = writer->problem.code == 0 ? RETRY_FIRST_MS : writer->retry_ms * 2;
    if (writer->retry_ms > RETRY_MAX_MS)
        writer->retry_ms = RETRY_MAX_MS;
    writer->problem = batch->err;
    if (batch->reads_state)
        read_state_next(writer);
    if (writer->must_read || writer->closing)
        batch_free(batch);
    else
        writer->waiting = batch;
    if (!writer->closing)
        writer->timer = loop_add_timer(writer->loop, writer->retry_ms, retry_due, writer);
}

static void on_written(struct history_writer *writer, struct batch *batch)
{
    if (writer->problem.code != 0)
        log_line(LOG_LEVEL_INFO, "the history is written again");
    writer->problem.code = 0;
    if (writer->written == writer->added)
        writer->behind_ms = 0;
    else if (writer->written == batch->last) /* the other rows were added later */
        writer->behind_ms = batch->now_ms;
    batch_free(batch);
}

static void on_set_aside(struct history_writer *writer, const struct batch *batch)
{
    log_line(LOG_LEVEL_ERROR,
             "a history file was damaged and is now %s; a new one is begun, with the rows that the state has",
             batch->set_aside);
    if (batch->rows_missing) {
        writer->written = 0;
        read_state_next(writer);
    }
}

static void note_removed(struct history_writer *writer, struct job_history_removed removed)
{
    uint64_t apps = removed.apps - writer->removed.apps;
    uint64_t containers = removed.containers - writer->removed.containers;

    if (apps > 0)
        log_line(LOG_LEVEL_INFO,
                 "%" PRIu64 " applications were removed from the history: their user has more than "
                 "creel.history.user-size-max allows",
                 apps);
    if (containers > 0)
        log_line(LOG_LEVEL_INFO,
                 "%" PRIu64
                 " containers of running applications were removed from the history: their user has "
                 "more than creel.history.user-size-max allows",
                 containers);
    writer->removed = removed;
}

/* Logs an error once, until it is another one or is gone. */
static void note_removal_error(struct history_writer *writer, const struct err *error)
{
    if (error->code != 0 && strcmp(error->text, writer->removal_error.text) != 0)
        log_line(
            LOG_LEVEL_WARN,
            "the rows of users with more than creel.history.user-size-max allows could not all be removed "
            "from the history: %s",
            error->text);
    writer->removal_error = *error;
}

static void batch_done(struct worker_job *job)
{
    struct batch *batch = (struct batch *)job;
    struct history_writer *writer = batch->writer;

    writer->busy = false;
    if (batch->result == 0)
        writer->written = batch->last;
    if (batch->set_aside != NULL)
        on_set_aside(writer, batch);
    note_removed(writer, batch->removed);
    if (batch->result == 0)
        note_removal_error(writer, &batch->removal_error);
    if (batch->result < 0)
        on_failed(writer, batch);
    else
        on_written(writer, batch);
    if (!writer->closing)
        write_next(writer);
}

static void pass(struct history_writer *writer, struct batch *batch)
{
    batch->job.run = run_batch;
    batch->job.done = batch_done;
    batch->now_ms = now_ms(writer);
    writer->busy = true;
    worker_add(writer->worker, &batch->job);
}

/* Passes a batch to the thread, unless the thread has one or the timer of the next try runs. */
static void write_next(struct history_writer *writer)
{
    struct batch *batch = writer->waiting ? writer->waiting : writer->filling;

    if (writer->busy || writer->timer != 0)
        return;
    if (writer->must_read) {
        writer->must_read = false;
        batch = batch_new(writer);
        batch->reads_state = true;
        batch->last = writer->added;
    } else if (batch == NULL) {
        return;
    } else if (batch == writer->waiting) {
        writer->waiting = NULL;
    } else {
        writer->filling = NULL;
        batch->last = writer->added;
    }
    pass(writer, batch);
}

/* --- rows ------------------------------------------------------------------ */

/* Counts a row. Returns the rows to which it is added; NULL: the state is read later. */
static struct history_rows *begin_row(struct history_writer *writer)
{
    if (writer->behind_ms == 0)
        writer->behind_ms = now_ms(writer);
    writer->added++;
    if (writer->must_read)
        return NULL;
    if (writer->filling == NULL)
        writer->filling = batch_new(writer);
    return &writer->filling->rows;
}

static void end_row(struct history_writer *writer)
{
    size_t bytes = writer->filling->rows.bytes + (writer->waiting ? writer->waiting->rows.bytes : 0);

    if (bytes > HISTORY_WAITING_MAX)
        read_state_next(writer);
    write_next(writer);
}

void history_writer_add_app(struct history_writer *writer, const Creel__StoredApp *app)
{
    struct history_rows *rows;

    if (writer->keep_ms == 0 || !history_rows_has_app(app) || (rows = begin_row(writer)) == NULL)
        return;
    history_rows_add_app(rows, app);
    end_row(writer);
}

void history_writer_add_container(struct history_writer *writer, const Creel__ContainerReport *container)
{
    struct history_rows *rows;

    if (writer->keep_ms == 0 || !history_rows_has_container(container) || (rows = begin_row(writer)) == NULL)
        return;
    history_rows_add_container(rows, container);
    end_row(writer);
}

/* --- deletions --------------------------------------------------------------- */

static void drop_container(struct history_writer *writer)
{
    struct forgotten_container *container = STAILQ_FIRST(&writer->containers);

    STAILQ_REMOVE_HEAD(&writer->containers, link);
    writer->kept_containers--;
    free(container);
}

static void forget_container(struct history_writer *writer, const struct container_id *id)
{
    struct forgotten_container *container = mem_new0(struct forgotten_container);

    if (writer->kept_containers == HISTORY_KEPT_CONTAINERS_MAX)
        drop_container(writer); /* its row is deleted with its application */
    container->id = *id;
    container->last = writer->added;
    STAILQ_INSERT_TAIL(&writer->containers, container, link);
    writer->kept_containers++;
}

void history_writer_forget(struct history_writer *writer, const char *id)
{
    struct container_id container;
    struct app_id app_id;
    struct forgotten *app;

    if (container_id_parse(id, &container))
        forget_container(writer, &container);
    if (!app_id_parse(id, &app_id))
        return;
    app = mem_new0(struct forgotten);
    app->id = app_id;
    app->last = writer->added;
    STAILQ_INSERT_TAIL(&writer->forgotten, app, link);
    writer->kept++;
}

/* Returns true if the history has the rows up to LAST, or is not kept. */
static bool is_written(const struct history_writer *writer, uint64_t last)
{
    return writer->keep_ms == 0 || last <= writer->written;
}

static bool is_beyond_limits(const struct history_writer *writer, const struct forgotten *app)
{
    return writer->kept > HISTORY_KEPT_APPS_MAX || writer->added - app->last > HISTORY_KEPT_ROWS_MAX;
}

bool history_writer_next_deletion(struct history_writer *writer, char app_id[ID_TEXT_MAX])
{
    struct forgotten *app = STAILQ_FIRST(&writer->forgotten);

    if (app == NULL)
        return false;
    if (!is_written(writer, app->last)) {
        if (!is_beyond_limits(writer, app))
            return false;
        if (!writer->losing)
            log_line(LOG_LEVEL_ERROR,
                     "%" PRIu64 " ended applications wait for the history: from now on the oldest are lost",
                     writer->kept);
        writer->losing = true;
        history_loss_add(&writer->loss, now_ms(writer));
    }
    app_id_format(&app->id, app_id);
    STAILQ_REMOVE_HEAD(&writer->forgotten, link);
    writer->kept--;
    free(app);
    return true;
}

bool history_writer_next_container(struct history_writer *writer, char container_id[ID_TEXT_MAX])
{
    const struct forgotten_container *container = STAILQ_FIRST(&writer->containers);

    if (container == NULL || !is_written(writer, container->last))
        return false;
    container_id_format(&container->id, container_id);
    drop_container(writer);
    return true;
}

/* --- state ------------------------------------------------------------------- */

struct history_writer_state history_writer_state(const struct history_writer *writer)
{
    return (struct history_writer_state){
        .problem = writer->problem.code != 0 ? writer->problem.text : NULL,
        .kept = writer->kept,
        .lost = writer->loss.lost,
        .behind_ms = writer->behind_ms,
    };
}

void history_writer_record_loss(struct history_writer *writer, bool moved)
{
    if (writer->keep_ms == 0)
        return;
    history_loss_note_moved(&writer->loss, moved, now_ms(writer));
    history_loss_record(&writer->loss, writer->keep_ms, now_ms(writer));
}

char *history_writer_warning(const struct history_writer *writer)
{
    const struct history_writer_state state = history_writer_state(writer);
    scoped_free char *lost = history_loss_text(&writer->loss);

    if (state.problem == NULL)
        return mem_strdup(lost);
    return mem_printf("the history is not written: %s; the state keeps %" PRIu64
                      " forgotten application%s for it, at most %d%s%s",
                      state.problem, state.kept, state.kept == 1 ? "" : "s", HISTORY_KEPT_APPS_MAX,
                      *lost != '\0' ? "; " : "", lost);
}

/* --- start and end ----------------------------------------------------------- */

int history_writer_new(struct loop *loop, const char *state_directory, int64_t keep_ms,
                       int64_t user_bytes_max, struct history_writer **ret, struct err *err)
{
    struct history_writer *writer = mem_new0(struct history_writer);
    int r = worker_new(loop, &writer->worker, err);

    if (r < 0) {
        free(writer);
        return r;
    }
    writer->loop = loop;
    writer->keep_ms = keep_ms;
    clock_start(&writer->clock, loop_now_ms(), loop_monotonic_ms());
    writer->state_directory = mem_strdup(state_directory);
    writer->history = job_history_new(state_directory, keep_ms, user_bytes_max);
    history_loss_open(&writer->loss, state_directory);
    writer->added = 1;
    STAILQ_INIT(&writer->forgotten);
    STAILQ_INIT(&writer->containers);
    if (keep_ms > 0) {
        writer->behind_ms = now_ms(writer);
        read_state_next(writer);
        write_next(writer);
    }
    *ret = writer;
    return 0;
}

bool history_writer_free(struct history_writer *writer)
{
    struct forgotten *app;

    if (writer == NULL)
        return true;
    writer->closing = true;
    loop_cancel_timer(writer->loop, writer->timer);
    if (writer->waiting != NULL)
        pass(writer, writer->waiting);
    if (writer->filling != NULL)
        pass(writer, writer->filling);
    writer->waiting = writer->filling = NULL;
    if (!worker_free(writer->worker, HISTORY_STOP_MS)) {
        log_line(LOG_LEVEL_WARN,
                 "the history is abandoned: %s/history does not answer; the state has its rows",
                 writer->state_directory);
        return false;
    }
    while ((app = STAILQ_FIRST(&writer->forgotten)) != NULL) {
        STAILQ_REMOVE_HEAD(&writer->forgotten, link);
        free(app);
    }
    while (!STAILQ_EMPTY(&writer->containers))
        drop_container(writer);
    job_history_free(writer->history);
    history_loss_done(&writer->loss);
    free(writer->state_directory);
    free(writer);
    return true;
}
