/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_read.c - reads history files: pages of applications, one application, its containers */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/wire/wire_fit.h"
#include "rm/store/job_history.h"
#include "rm/store/job_history_file.h"
#include "rm/store/job_history_reader.h"

#define NODES_MAX 64 /* names of nodes in a report */

static const char sum_containers[] =
    "SELECT count(*), total(exit_status != 0), total(cpu_time_us), max(memory_peak_bytes),"
    " total(read_bytes), total(written_bytes), count(DISTINCT node), total(memory_used_mb_seconds)"
    " FROM containers"
    " WHERE cluster_ms = ?1 AND seq = ?2";

static ProtobufCMessage *unpack(sqlite3_stmt *statement, int column, const ProtobufCMessageDescriptor *type)
{
    const uint8_t *packed = sqlite3_column_blob(statement, column);
    ProtobufCMessage *message =
        protobuf_c_message_unpack(type, NULL, (size_t)sqlite3_column_bytes(statement, column), packed);

    if (message != NULL)
        wire_fit(message);
    return message;
}

/* --- sums of containers ---------------------------------------------------- */

static bool has_containers_of(const struct history_reader *reader, size_t i, const Creel__AppReport *app)
{
    return reader->months[i] >= history_first_month(app) && reader->months[i] <= history_last_month(app);
}

static uint64_t add_column(uint64_t sum, sqlite3_stmt *statement, int column)
{
    int64_t value = sqlite3_column_int64(statement, column);

    return sum + (value > 0 ? (uint64_t)value : 0);
}

static void add_sums(struct history_reader *reader, size_t i, const struct app_id *id, Creel__AppReport *app)
{
    sqlite3_stmt *statement = reader->sums[i];
    uint64_t peak;

    if (statement == NULL && !history_reader_begin(reader, i, sum_containers, &reader->sums[i]))
        return;
    statement = reader->sums[i];
    sqlite3_bind_int64(statement, 1, id->cluster_ms);
    sqlite3_bind_int64(statement, 2, id->seq);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        app->ended_containers += (uint32_t)sqlite3_column_int64(statement, 0);
        app->failed_containers += (uint32_t)sqlite3_column_int64(statement, 1);
        app->cpu_time_us = add_column(app->cpu_time_us, statement, 2);
        peak = add_column(0, statement, 3);
        if (peak > app->memory_peak_bytes)
            app->memory_peak_bytes = peak;
        app->read_bytes = add_column(app->read_bytes, statement, 4);
        app->written_bytes = add_column(app->written_bytes, statement, 5);
        app->node_count += (uint32_t)sqlite3_column_int64(statement, 6);
        app->memory_used_mb_seconds = add_column(app->memory_used_mb_seconds, statement, 7);
    } else {
        history_reader_mark(reader, i);
    }
    sqlite3_reset(statement);
}

/* Adds up the containers of APP in all files that may have some. A node on which containers ended in two
 * months is counted twice, unless add_all_nodes, which reads the names, corrects the number. */
static void sum_up(struct history_reader *reader, const struct app_id *id, Creel__AppReport *app)
{
    for (size_t i = 0; i < reader->count; i++)
        if (has_containers_of(reader, i, app))
            add_sums(reader, i, id, app);
}

/* --- nodes ------------------------------------------------------------------- */

static bool has_node(const Creel__AppReport *app, const char *name)
{
    for (size_t i = 0; i < app->n_nodes; i++)
        if (strcmp(app->nodes[i], name) == 0)
            return true;
    return false;
}

/* Adds the nodes of month I; the report owns the names. */
static void add_nodes(struct history_reader *reader, size_t i, const struct app_id *id, Creel__AppReport *app)
{
    sqlite3_stmt *statement;

    if (!history_reader_begin(reader, i,
                              "SELECT DISTINCT node FROM containers WHERE cluster_ms = ?1 AND seq = ?2"
                              " ORDER BY node",
                              &statement))
        return;
    sqlite3_bind_int64(statement, 1, id->cluster_ms);
    sqlite3_bind_int64(statement, 2, id->seq);
    while (sqlite3_step(statement) == SQLITE_ROW && app->n_nodes < NODES_MAX) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);

        if (name == NULL || has_node(app, name))
            continue;
        app->nodes = mem_resize(app->nodes, app->n_nodes + 1, sizeof(*app->nodes));
        app->nodes[app->n_nodes++] = mem_strdup(name);
    }
    sqlite3_finalize(statement);
}

static void add_all_nodes(struct history_reader *reader, const struct app_id *id, Creel__AppReport *app)
{
    for (size_t i = 0; i < reader->count; i++)
        if (has_containers_of(reader, i, app))
            add_nodes(reader, i, id, app);
    if (app->n_nodes < NODES_MAX)
        app->node_count = (uint32_t)app->n_nodes;
}

/* --- pages of applications -------------------------------------------------- */

struct position { /* of the last row of a page */
    int64_t finished_ms;
    struct app_id id;
};

static int parse_position(const char *text, struct position *position, struct err *err)
{
    int length = 0;

    if (sscanf(text, "%" SCNd64 "/%n", &position->finished_ms, &length) != 1 || length == 0 ||
        !app_id_parse(text + length, &position->id))
        return err_set(err, EINVAL, "\"%s\" is no position in the history", text);
    return 0;
}

/* A row that the filter does not choose has no report: so the page can end after any row. */
static char *page_sql(const struct job_history_filter *filter, bool from_position)
{
    struct history_sql sql = { .length = 0 };

    history_sql_add(&sql, "SELECT CASE WHEN ");
    history_sql_add_choice(&sql, filter);
    history_sql_add(&sql, " THEN report END, finished_ms, cluster_ms, seq FROM apps WHERE ");
    history_sql_add_filter(&sql, filter);
    if (from_position)
        history_sql_add(&sql, " AND (finished_ms, cluster_ms, seq) < (?, ?, ?)");
    history_sql_add(&sql, " ORDER BY finished_ms DESC, cluster_ms DESC, seq DESC");
    return sql.text;
}

static void bind_page(sqlite3_stmt *statement, const struct job_history_filter *filter,
                      const struct position *position)
{
    int next = history_filter_bind(statement, history_choice_bind(statement, 1, filter), filter);

    if (position == NULL)
        return;
    sqlite3_bind_int64(statement, next++, position->finished_ms);
    sqlite3_bind_int64(statement, next++, position->id.cluster_ms);
    sqlite3_bind_int64(statement, next++, position->id.seq);
}

struct page {
    const struct job_history_filter *filter;
    const struct position *from; /* NULL: the first page */
    job_history_app_fn *each;
    void *context;
    struct position last;
    size_t rows;
    bool full, more, has_last;
};

static void add_row(struct history_reader *reader, size_t i, sqlite3_stmt *statement, bool chosen,
                    struct page *page)
{
    Creel__AppReport *app;

    page->last = (struct position){ sqlite3_column_int64(statement, 1),
                                    { sqlite3_column_int64(statement, 2),
                                      (uint32_t)sqlite3_column_int64(statement, 3) } };
    page->has_last = true;
    if (!chosen)
        return;
    page->rows++;
    app = (Creel__AppReport *)unpack(statement, 0, &creel__app_report__descriptor);
    if (app == NULL) {
        history_reader_mark(reader, i);
        return;
    }
    sum_up(reader, &page->last.id, app);
    if (page->filter->nodes)
        add_all_nodes(reader, &page->last.id, app);
    page->full = !page->each(page->context, app) || page->rows == page->filter->limit;
}

/* Adds the rows of month I to the page, until it is full. */
static void read_month(struct history_reader *reader, size_t i, const char *sql, struct page *page)
{
    sqlite3_stmt *statement;
    int code;

    if (!history_reader_begin(reader, i, sql, &statement))
        return;
    bind_page(statement, page->filter, page->from);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        bool chosen = sqlite3_column_type(statement, 0) != SQLITE_NULL;

        if (!page->full)
            add_row(reader, i, statement, chosen, page);
        else if (chosen)
            page->more = true;
        page->more = page->more || history_reader_is_late(reader);
        if (page->more)
            break;
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        history_reader_mark(reader, i);
    sqlite3_finalize(statement);
}

static bool is_wanted(const struct page *page, int month)
{
    const struct job_history_filter *filter = page->filter;

    return history_filter_has_month(filter, month) &&
           (page->from == NULL || month <= history_month_of(page->from->finished_ms));
}

int job_history_list(const char *state_directory, const struct job_history_filter *filter,
                     job_history_app_fn *each, void *context, char next[JOB_HISTORY_NEXT_MAX],
                     size_t *damaged, struct err *err)
{
    struct page page = { .filter = filter, .each = each, .context = context };
    scoped_free char *sql = NULL;
    struct position from;
    struct history_reader reader;
    char id[ID_TEXT_MAX];
    int r;

    if (filter->after != NULL && filter->after[0] != '\0') {
        r = parse_position(filter->after, &from, err);
        if (r < 0)
            return r;
        page.from = &from;
    }
    r = history_reader_open(&reader, state_directory, err);
    if (r < 0)
        return r;
    history_reader_filter(&reader, filter);
    sql = page_sql(filter, page.from != NULL);
    for (size_t i = 0; i < reader.count && !page.more; i++)
        if (is_wanted(&page, reader.months[i]))
            read_month(&reader, i, sql, &page);
    *damaged = reader.damaged;
    page.more = page.more || (reader.too_long && page.has_last);
    r = page.more ? 0 : history_reader_judge(&reader, err);
    history_reader_close(&reader);
    if (r < 0)
        return r;
    next[0] = '\0';
    if (page.more)
        snprintf(next, JOB_HISTORY_NEXT_MAX, "%" PRId64 "/%s", page.last.finished_ms,
                 app_id_format(&page.last.id, id));
    return 0;
}

#define TASKS_LOOKED_AT_MAX 200000 /* rows of tasks read in a month to find one by its array */

/* --- one application -------------------------------------------------------- */

static Creel__AppReport *find_in_month(struct history_reader *reader, size_t i, const struct app_id *id)
{
    Creel__AppReport *app = NULL;
    sqlite3_stmt *statement;
    int code;

    if (!history_reader_begin(reader, i, "SELECT report FROM apps WHERE cluster_ms = ?1 AND seq = ?2",
                              &statement))
        return NULL;
    sqlite3_bind_int64(statement, 1, id->cluster_ms);
    sqlite3_bind_int64(statement, 2, id->seq);
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        app = (Creel__AppReport *)unpack(statement, 0, &creel__app_report__descriptor);
    if (app == NULL && code != SQLITE_DONE)
        history_reader_mark(reader, i);
    sqlite3_finalize(statement);
    return app;
}

/* Returns the task with INDEX of the array ID. The tasks of an array have higher numbers than the array. */
static Creel__AppReport *find_task_in_month(struct history_reader *reader, size_t i, const struct app_id *id,
                                            uint32_t index)
{
    char array_id[ID_TEXT_MAX];
    sqlite3_stmt *statement;
    int code;

    if (!history_reader_begin(reader, i,
                              "SELECT report FROM apps WHERE cluster_ms = ?1 AND seq > ?2 AND is_task = 1 "
                              "ORDER BY seq LIMIT ?3",
                              &statement))
        return NULL;
    app_id_format(id, array_id);
    sqlite3_bind_int64(statement, 1, id->cluster_ms);
    sqlite3_bind_int64(statement, 2, id->seq);
    sqlite3_bind_int64(statement, 3, TASKS_LOOKED_AT_MAX);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const void *blob = sqlite3_column_blob(statement, 0);
        size_t size = (size_t)sqlite3_column_bytes(statement, 0);
        Creel__AppReport *app;

        if (blob == NULL || memmem(blob, size, array_id, strlen(array_id)) == NULL)
            continue; /* of another array: not unpacked */
        app = (Creel__AppReport *)unpack(statement, 0, &creel__app_report__descriptor);
        if (app != NULL && app->array_index == index && text_equal(app->array_id, array_id)) {
            sqlite3_finalize(statement);
            return app;
        }
        if (app != NULL)
            protobuf_c_message_free_unpacked(&app->base, NULL);
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        history_reader_mark(reader, i);
    sqlite3_finalize(statement);
    return NULL;
}

/* INDEX NULL: finds ID itself, else the task of the array ID. */
static int find(const char *state_directory, const struct app_id *id, const uint32_t *index,
                Creel__AppReport **ret, struct err *err)
{
    Creel__AppReport *app = NULL;
    struct history_reader reader;
    char text[ID_TEXT_MAX], task[16] = "";
    struct app_id found = *id;
    size_t damaged;
    int r = history_reader_open(&reader, state_directory, err);

    if (r < 0)
        return r;
    for (size_t i = 0; i < reader.count && app == NULL; i++)
        app = index ? find_task_in_month(&reader, i, id, *index) : find_in_month(&reader, i, id);
    if (app != NULL && app_id_parse(app->app_id, &found)) {
        sum_up(&reader, &found, app);
        add_all_nodes(&reader, &found, app);
    }
    damaged = reader.damaged;
    r = app != NULL ? 0 : history_reader_judge(&reader, err);
    history_reader_close(&reader);
    *ret = app;
    if (app != NULL || r < 0)
        return r;
    if (index)
        snprintf(task, sizeof(task), "_%" PRIu32, *index);
    return err_set(err, ENOENT,
                   "no application %s%s: neither among those that the resource manager keeps, nor "
                   "in the history%s%s",
                   app_id_format(id, text), task, damaged > 0 ? " (some of its files cannot be read)" : "",
                   index ? "; a task that was killed before it began is counted by its array alone" : "");
}

int job_history_find(const char *state_directory, const struct app_id *id, Creel__AppReport **ret,
                     struct err *err)
{
    return find(state_directory, id, NULL, ret, err);
}

int job_history_find_task(const char *state_directory, const struct app_id *array, uint32_t index,
                          Creel__AppReport **ret, struct err *err)
{
    return find(state_directory, array, &index, ret, err);
}

/* --- containers ------------------------------------------------------------- */

static void bind_container_page(sqlite3_stmt *statement, const struct app_id *id,
                                const struct container_id *after)
{
    sqlite3_bind_int64(statement, 1, id->cluster_ms);
    sqlite3_bind_int64(statement, 2, id->seq);
    sqlite3_bind_int64(statement, 3, after ? after->attempt.attempt : 0);
    sqlite3_bind_int64(statement, 4, after ? after->epoch : 0);
    sqlite3_bind_int64(statement, 5, after ? after->number : 0);
}

struct found { /* containers of all months, to be sorted */
    Creel__ContainerReport **items;
    size_t count, capacity;
};

static void read_containers(struct history_reader *reader, size_t i, const struct app_id *id,
                            const struct container_id *after, size_t limit, struct found *found)
{
    static const char sql[] = "SELECT report FROM containers WHERE cluster_ms = ?1 AND seq = ?2"
                              " AND (attempt, epoch, number) > (?3, ?4, ?5)"
                              " ORDER BY attempt, epoch, number LIMIT ?6";
    sqlite3_stmt *statement;

    if (!history_reader_begin(reader, i, sql, &statement))
        return;
    bind_container_page(statement, id, after);
    sqlite3_bind_int64(statement, 6, (int64_t)limit + 1);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        ProtobufCMessage *report = unpack(statement, 0, &creel__container_report__descriptor);

        if (report == NULL)
            continue;
        mem_grow(found->items, found->count, found->capacity);
        found->items[found->count++] = (Creel__ContainerReport *)report;
    }
    sqlite3_finalize(statement);
}

static int compare_containers(const void *a, const void *b)
{
    const Creel__ContainerReport *x = *(Creel__ContainerReport *const *)a;
    const Creel__ContainerReport *y = *(Creel__ContainerReport *const *)b;
    struct container_id x_id = { .number = 0 }, y_id = { .number = 0 };

    (void)container_id_parse(x->container_id, &x_id);
    (void)container_id_parse(y->container_id, &y_id);
    return container_id_compare(&x_id, &y_id);
}

int job_history_containers(const char *state_directory, const Creel__AppReport *app,
                           const struct container_id *after, size_t limit, job_history_container_fn *each,
                           void *context, bool *more, struct err *err)
{
    struct found found = { .count = 0 };
    struct history_reader reader;
    struct app_id id;
    int r;

    if (!app_id_parse(app->app_id, &id))
        return err_set(err, EINVAL, "\"%s\" is no id of an application", app->app_id);
    r = history_reader_open(&reader, state_directory, err);
    if (r < 0)
        return r;
    for (size_t i = 0; i < reader.count; i++)
        if (has_containers_of(&reader, i, app))
            read_containers(&reader, i, &id, after, limit, &found);
    r = history_reader_judge(&reader, err);
    history_reader_close(&reader);
    if (found.count > 0)
        qsort(found.items, found.count, sizeof(*found.items), compare_containers);
    *more = found.count > limit;
    for (size_t i = 0; i < found.count; i++) {
        if (r == 0 && i < limit)
            each(context, found.items[i]);
        else
            protobuf_c_message_free_unpacked(&found.items[i]->base, NULL);
    }
    free(found.items);
    return r;
}
