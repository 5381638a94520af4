/* SPDX-License-Identifier: Apache-2.0 */
/* containers.c - containers, with their usage beside their limits: sorted, filtered and paged */
#include "web/page/containers.h"

#include <string.h>
#include <strings.h>

#include "common/base/id.h"
#include "common/base/text.h"
#include "web/page/bar.h"
#include "web/page/container_rows.h"
#include "web/page/list.h"
#include "web/page/list_csv.h"
#include "web/page/page_text.h"
#include "yarn/container.h"

#define ANCHOR "#containers"

#define STATE(state) (1u << CREEL__CONTAINER_STATE__CONTAINER_##state)
#define NAME(state) #state

/* The values of the parameter "state": those of the chips, and the states of the table. */
static const struct state_choice {
    const char *name, *word; /* WORD of its chip; NULL: it has none */
    uint32_t states;
    bool failed;
} choices[] = {
    { "ALL", "all", 0, false },
    { "LIVE", "not ended", ~STATE(COMPLETE), false },
    { NAME(RUNNING), "running", STATE(RUNNING), false },
    { NAME(COMPLETE), "ended", STATE(COMPLETE), false },
    { NAME(FAILED), "failed", STATE(COMPLETE), true },
    { NAME(ALLOCATED), NULL, STATE(ALLOCATED), false },
    { NAME(STARTING), NULL, STATE(STARTING), false },
    { NAME(STOPPING), NULL, STATE(STOPPING), false },
};
#define CHOICE_COUNT (sizeof(choices) / sizeof(*choices))
#define LIVE_CHOICE (&choices[1]) /* the containers of the choices up to it are all that are listed */

/* The choice without the parameter "state". */
static const size_t usual_choice[] = { [CONTAINERS_OF_APP] = 0, [CONTAINERS_OF_NODE] = 1 };

/* The page of one request, in the arena of the page. */
struct table {
    struct page *page;
    enum containers_of of;
    const char *id; /* of the application or node */
    const struct state_choice *choice;
    struct container_filter filter;
    struct list_state list;
    bool sorted;                /* the order is not that of the resource manager's list */
    const char *after;          /* container before the next reply; "": the first */
    struct container_row *rows; /* that match the filter */
    size_t count, capacity;
    size_t read; /* containers in all replies */
    int replies;
};

/* --- the filter -------------------------------------------------------------- */

static void read_filter(struct table *table)
{
    struct exchange *exchange = table->page->exchange;
    const char *state = list_parameter(exchange, "state"), *exit = list_parameter(exchange, "exit");
    const char *since = list_parameter(exchange, "since"), *ran = list_parameter(exchange, "ran");
    const char *peak = list_parameter(exchange, "peak");
    struct container_filter *filter = &table->filter;
    int64_t since_ms = 0;

    table->choice = &choices[usual_choice[table->of]];
    for (size_t i = 0; state != NULL && i < CHOICE_COUNT; i++)
        if (strcasecmp(choices[i].name, state) == 0)
            table->choice = &choices[i];
    *filter = (struct container_filter){
        .states = table->choice->states,
        .failed = table->choice->failed,
        .text = list_parameter(exchange, "q"),
    };
    if (table->of == CONTAINERS_OF_APP) {
        filter->node = list_parameter(exchange, "node");
    } else {
        filter->app = list_parameter(exchange, "app");
        filter->user = list_parameter(exchange, "user");
    }
    filter->has_exit = exit != NULL && text_parse_int64(exit, &filter->exit_status);
    if (since != NULL && text_parse_duration_ms(since, 60000, &since_ms) && since_ms > 0)
        filter->started_from_ms = table->page->now_ms - since_ms;
    if (ran != NULL && (!text_parse_duration_ms(ran, 60000, &filter->duration_from_ms)))
        filter->duration_from_ms = 0;
    if (peak != NULL &&
        (!text_parse_size_bytes(peak, 1 << 20, &filter->peak_from_bytes) || filter->peak_from_bytes < 0))
        filter->peak_from_bytes = 0;
}

static void add_chips(struct table *table)
{
    struct page *page = table->page;

    list_chips_begin(page, "State");
    for (size_t i = 0; i < CHOICE_COUNT && choices[i].word != NULL; i++)
        list_chip(page, &(struct list_chip){
                            .name = "state",
                            .value = i != usual_choice[table->of] ? choices[i].name : NULL,
                            .anchor = ANCHOR,
                            .word = choices[i].word,
                            .chosen = &choices[i] == table->choice,
                        });
    list_chips_end(page);
}

static const char *path_of(const struct table *table)
{
    struct arena *arena = table->page->arena;

    return arena_printf(arena, table->of == CONTAINERS_OF_APP ? "/cluster/app/%s" : "/cluster/node/%s",
                        html_url(arena, table->id));
}

#define FIELDS_OF_BOTH \
    { "exit", "Exit status" }, { "since", "Started in the last (1h)" }, { "ran", "Runs at least (10m)" }, \
    { \
        "peak", "Peak at least (2g)" \
    }

static void add_form(struct table *table)
{
    static const struct list_input of_app[] = { { "q", "Container, task" },
                                                { "node", "Node" },
                                                FIELDS_OF_BOTH };
    static const struct list_input of_node[] = {
        { "q", "Container" }, { "app", "Application" }, { "user", "User" }, FIELDS_OF_BOTH
    };

    if (table->of == CONTAINERS_OF_APP)
        list_filter_form(table->page, path_of(table), ANCHOR, of_app, sizeof(of_app) / sizeof(*of_app));
    else
        list_filter_form(table->page, path_of(table), ANCHOR, of_node, sizeof(of_node) / sizeof(*of_node));
}

/* --- a row ------------------------------------------------------------------- */

static const char *class_of(const struct container_row *row)
{
    if (row->state == CREEL__CONTAINER_STATE__CONTAINER_RUNNING)
        return "good";
    if (row->state != CREEL__CONTAINER_STATE__CONTAINER_COMPLETE)
        return "busy";
    return row->exit_status == 0 ? "off" : "bad";
}

static void cell_container(struct page *page, const void *context)
{
    const struct container_row *row = context;

    html_add(&page->html, "<td data-label=\"Container\"><span class=\"id\">%s</span>%s</td>",
             row->container_id, row->master ? " (master)" : "");
}

static void cell_task(struct page *page, const void *row)
{
    html_add(&page->html, "<td data-label=\"Task\"><bdi>%s</bdi></td>",
             ((const struct container_row *)row)->title);
}

static void cell_node(struct page *page, const void *row)
{
    html_add(&page->html, "<td data-label=\"Node\">");
    page_node_link(page, ((const struct container_row *)row)->node_id);
    if (((const struct container_row *)row)->state != CREEL__CONTAINER_STATE__CONTAINER_COMPLETE)
        page_node_silence(page, ((const struct container_row *)row)->node_id);
    html_add(&page->html, "</td>");
}

/* Application and user are in one column, so that the table is not wider than the screen. */
static void cell_app(struct page *page, const void *context)
{
    const struct container_row *row = context;

    html_add(&page->html, "<td data-label=\"Application\">");
    page_app_link(page, row->app_id);
    html_add(&page->html, "<div class=\"sub\">");
    page_user_link(page, row->user);
    html_add(&page->html, "</div></td>");
}

static void cell_state(struct page *page, const void *context)
{
    const struct container_row *row = context;

    html_add(&page->html, "<td data-label=\"State\">");
    page_badge(page, class_of(row), container_state_name((Creel__ContainerState)row->state));
    if (row->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE)
        html_add(&page->html, " <small title=\"%s\">%s</small>", row->diagnostics,
                 page_text_exit(page->arena, row->exit_status));
    html_add(&page->html, "</td>");
}

/* Adds the peak memory use of the container beside its limit, which shows memory that was never used. */
static void cell_memory(struct page *page, const void *context)
{
    const struct container_row *row = context;
    uint64_t asked = (uint64_t)row->memory_mb << 20, peak = row->memory_peak_bytes;

    html_add(&page->html, "<td data-label=\"Memory\">");
    if (peak == 0) {
        html_add(&page->html, "%s</td>", page_text_memory(page->arena, row->memory_mb));
        return;
    }
    bar_use(page, (double)peak, (double)asked);
    html_add(&page->html, "<small>%s of %s", page_text_bytes(page->arena, peak),
             page_text_bytes(page->arena, asked));
    if (row->swap_peak_bytes > 0)
        html_add(&page->html, ", and %s of swap", page_text_bytes(page->arena, row->swap_peak_bytes));
    html_add(&page->html, "</small></td>");
}

static void cell_vcores(struct page *page, const void *row)
{
    page_count_cell(page, "Vcores", ((const struct container_row *)row)->vcores);
}

static void cell_cpu(struct page *page, const void *row)
{
    html_add(
        &page->html, "<td class=\"n\" data-label=\"CPU time\">%s</td>",
        page_text_duration(page->arena, (int64_t)(((const struct container_row *)row)->cpu_time_us / 1000)));
}

/* Adds how long the container has run, with its start as the tooltip. */
static void cell_duration(struct page *page, const void *context)
{
    const struct container_row *row = context;

    html_add(&page->html, "<td class=\"n\" data-label=\"Runs\">");
    if (row->started_ms != 0)
        html_add(&page->html, "<span title=\"since %s\">%s</span>",
                 page_text_time(page->arena, row->started_ms),
                 page_text_duration(page->arena, row->duration_ms));
    html_add(&page->html, "</td>");
}

static void cell_logs(struct page *page, const void *context)
{
    static const char *const files[] = { "stdout", "stderr" };
    const struct container_row *row = context;

    html_add(&page->html, "<td data-label=\"Logs\">");
    for (size_t i = 0; i < sizeof(files) / sizeof(*files) && row->started_ms != 0; i++)
        html_add(&page->html, "%s<a href=\"/cluster/app/%s/logs/%s/%s\">%s</a>", i > 0 ? " " : "",
                 row->app_id, row->container_id, files[i], files[i]);
    html_add(&page->html, "</td>");
}

/* Columns of both tables, after those that differ. */
#define SHARED_COLUMNS \
    { LIST_SORT("state", CONTAINER_BY_STATE), LIST_TITLE("State", "Container State, Container Exit Status"), \
      LIST_CELL("state", cell_state) }, \
        { LIST_SORT("exit", CONTAINER_BY_EXIT), LIST_TITLE("exit", NULL), .number = true, .beside = true }, \
        { LIST_SORT("memory", CONTAINER_BY_MEMORY), \
          LIST_TITLE("Peak memory", "largest amount that was in use, of its limit (allocatedMB)"), \
          .number = true, LIST_CELL("memory", cell_memory) }, \
        { LIST_SORT("vcores", CONTAINER_BY_VCORES), LIST_TITLE("Vcores", "allocatedVCores"), .number = true, \
          LIST_CELL("vcores", cell_vcores) }, \
        { LIST_SORT("cpu", CONTAINER_BY_CPU), LIST_TITLE("CPU time", "processor time that was used"), \
          .number = true, LIST_CELL("cpu", cell_cpu) }, \
        { LIST_SORT("duration", CONTAINER_BY_DURATION), LIST_TITLE("Runs", "Elapsed Time, Start Time"), \
          .number = true, LIST_CELL("runs", cell_duration) }, \
        { LIST_SORT("start", CONTAINER_BY_START), LIST_TITLE("start", NULL), .number = true, \
          .beside = true }, \
    { \
        LIST_TITLE("Logs", NULL), LIST_CELL("logs", cell_logs) \
    }

static const struct list_column app_columns[] = {
    { LIST_SORT("id", CONTAINER_BY_ID), LIST_TITLE("Container", "Container ID"),
      LIST_CELL("container", cell_container) },
    { LIST_SORT("task", CONTAINER_BY_TITLE), LIST_TITLE("Task", "index of the task"),
      LIST_CELL("task", cell_task) },
    { LIST_SORT("node", CONTAINER_BY_NODE), LIST_TITLE("Node", "Node"), LIST_CELL("node", cell_node) },
    SHARED_COLUMNS,
};

static const struct list_column node_columns[] = {
    { LIST_SORT("id", CONTAINER_BY_ID), LIST_TITLE("Container", "Container ID"),
      LIST_CELL("container", cell_container) },
    { LIST_TITLE("Application", "Application"), LIST_CELL("app", cell_app) },
    { LIST_SORT("user", CONTAINER_BY_USER), LIST_TITLE("user", NULL), .beside = true },
    SHARED_COLUMNS,
};

static const struct {
    const struct list_column *columns;
    size_t count;
} tables[] = {
    [CONTAINERS_OF_APP] = { app_columns, sizeof(app_columns) / sizeof(*app_columns) },
    [CONTAINERS_OF_NODE] = { node_columns, sizeof(node_columns) / sizeof(*node_columns) },
};

/* --- CSV --------------------------------------------------------------------- */

#define RECORD_CSV_LINE struct container_row

static void csv_container_state(struct csv *csv, int state)
{
    csv_text(csv, container_state_name((Creel__ContainerState)state));
}

CONTAINER_FIELDS(RECORD_CSV_CELL)

#define FIELD(id, value) \
    static void id(struct csv *csv, const void *context) \
    { \
        const struct container_row *row = context; \
        csv_count(csv, value); \
    }

FIELD(field_memory, row->memory_mb)
FIELD(field_vcores, row->vcores)
FIELD(field_cpu, (int64_t)(row->cpu_time_us / 1000))
FIELD(field_duration, row->duration_ms)

static void field_exit(struct csv *csv, const void *context)
{
    const struct container_row *row = context;

    if (row->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE)
        csv_count(csv, row->exit_status);
    else
        csv_text(csv, "");
}

static const struct list_field fields[] = {
    /* These are no values of a container, or have another form than theirs. */
    [6] = { "exit_status", field_exit },
    [7] = { "memory_mb", field_memory },
    [9] = { "vcores", field_vcores },
    [10] = { "cpu_ms", field_cpu },
    [12] = { "duration_ms", field_duration },
    /* The others are its values. */
    CONTAINER_FIELDS(RECORD_CSV_COLUMN)
};

static const struct list_fields container_fields = { "containers", fields, sizeof(fields) / sizeof(*fields) };

static bool read_csv(void *context, const Creel__Envelope *reply, size_t *count, const char **next,
                     const char **warning)
{
    (void)context;
    *warning = "";
    if (reply->body_case != CREEL__ENVELOPE__BODY_CONTAINER_LIST)
        return false;
    *count = reply->container_list->n_containers;
    *next = reply->container_list->next;
    return true;
}

static const void *row_of_csv(void *context, struct arena *arena, const Creel__Envelope *reply, size_t i)
{
    const struct table *table = context;
    struct container_row *row = arena_new0(arena, struct container_row);

    *row = container_row_from(arena, reply->container_list->containers[i], table->page->now_ms);
    return container_filter_matches(&table->filter, row) ? row : NULL;
}

/* --- the table --------------------------------------------------------------- */

/* Returns the index of the first row of the page, after the row of the parameter "after". */
static size_t find_first(const struct table *table)
{
    for (size_t i = 0; table->sorted && table->list.after != NULL && i < table->count; i++)
        if (strcmp(table->rows[i].container_id, table->list.after) == 0)
            return i + 1;
    return 0;
}

/* Adds why rows are missing. */
static void add_notes(struct table *table, size_t shown, bool more)
{
    if (shown == 0)
        html_add(&table->page->html, "<p class=\"note\">%s</p>",
                 more && !table->sorted ? "No container of those that were read fits; the next page reads on."
                 : container_filter_is_set(&table->filter) ? "No container fits."
                 : table->list.after != NULL               ? "There are no more."
                                                           : "There are none.");
    if (table->sorted && more)
        html_add(
            &table->page->html,
            "<p class=\"note\">Only the first %s containers are sorted and filtered, since there are more "
            "than a page may read; in the <a href=\"%s" ANCHOR "\">order of their ids</a> all can be "
            "paged through.</p>",
            page_text_count(table->page->arena, table->read), list_target(table->page, "sort", NULL));
}

/* Adds the number of rows and links to other pages. LAST: container after which the next page begins; NULL:
 * there is none. */
static void add_foot(struct table *table, size_t shown, const char *last, bool more)
{
    struct page *page = table->page;
    const char *first = list_target(page, "after", NULL);

    if (table->sorted || (table->list.after == NULL && !more && table->count == shown)) {
        list_foot(page, &table->list, shown, table->count, last, "container", "containers");
        return;
    }
    html_add(&page->html, "<p class=\"foot\">%s shown", page_text_count(page->arena, shown));
    if (table->list.after != NULL)
        html_add(&page->html, " · <a href=\"%s" ANCHOR "\">first page</a>", first);
    if (last != NULL)
        html_add(&page->html, " · <a rel=\"next\" href=\"%s" ANCHOR "\">next page</a>",
                 list_target(page, "after", last));
    list_csv_link(page);
    html_add(&page->html, "</p>\n");
}

/* Ends the section, and the page. MORE: the list of the resource manager goes on after table->after. */
static void finish(struct table *table, bool more)
{
    struct page *page = table->page;
    struct html *html = &page->html;
    size_t first, left, shown;
    const char *last = NULL;

    if (table->sorted)
        container_rows_sort(table->rows, table->count, (enum container_order)table->list.column->order,
                            table->list.descending);
    first = find_first(table);
    left = table->count - first;
    shown = left < table->list.limit ? left : table->list.limit;
    if (shown < left)
        last = table->rows[first + shown - 1].container_id;
    else if (more && !table->sorted)
        last = table->after;
    if (shown > 0) {
        html_add(html, "<table class=\"cards\"><caption class=\"hidden\">Containers</caption>");
        list_head(page, &table->list, tables[table->of].columns, tables[table->of].count);
        html_add(html, "<tbody>");
        for (size_t i = first; i < first + shown; i++)
            list_row(page, &table->list, tables[table->of].columns, tables[table->of].count, &table->rows[i]);
        html_add(html, "</tbody></table>");
    }
    add_notes(table, shown, more);
    if (shown > 0 || last != NULL || table->list.after != NULL)
        add_foot(table, shown, last, more);
    html_add(html, "</section>\n");
    list_columns_form(page, &table->list, tables[table->of].columns, tables[table->of].count, path_of(table));
    page_send(page);
}

static void fail(struct table *table, const char *reason)
{
    html_add(&table->page->html, "<p class=\"note\">%s</p></section>\n", reason);
    page_send(table->page);
}

/* --- the questions ------------------------------------------------------------ */

static void ask(struct table *table);

static void add_container(struct table *table, const Creel__ContainerReport *container)
{
    struct arena *arena = table->page->arena;
    struct container_row row = container_row_from(arena, container, table->page->now_ms);

    table->read++;
    if (!container_filter_matches(&table->filter, &row))
        return;
    if (table->count == table->capacity) {
        size_t capacity = table->capacity > 0 ? 2 * table->capacity : 64;
        struct container_row *rows = arena_array0(arena, capacity, sizeof(*rows));

        if (table->count > 0)
            memcpy(rows, table->rows, table->count * sizeof(*rows));
        table->rows = rows;
        table->capacity = capacity;
    }
    table->rows[table->count++] = row;
}

static void handle(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__ContainerList *list =
        reply->body_case == CREEL__ENVELOPE__BODY_CONTAINER_LIST ? reply->container_list : NULL;
    struct table *table = context;
    bool more;

    (void)exchange;
    if (list == NULL) {
        fail(table, reply->body_case == CREEL__ENVELOPE__BODY_ERROR
                        ? reply->error->message
                        : "The resource manager sent an unexpected reply.");
        return;
    }
    for (size_t i = 0; i < list->n_containers; i++)
        add_container(table, list->containers[i]);
    table->after = arena_strdup(table->page->arena, list->next);
    more = *table->after != '\0';
    if (more && ++table->replies < CONTAINER_REPLIES_MAX &&
        (table->sorted || table->count <= table->list.limit))
        ask(table);
    else
        finish(table, more);
}

static void ask_page(struct table *table, const char *after, uint32_t limit, exchange_reply_fn *then,
                     void *context)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;

    if (table->of == CONTAINERS_OF_APP)
        body.app_id = (char *)(uintptr_t)table->id;
    else
        body.node_id = (char *)(uintptr_t)table->id;
    body.live_only = table->filter.states != 0 && (table->filter.states & STATE(COMPLETE)) == 0;
    body.after = (char *)(uintptr_t)after;
    body.limit = limit;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    query.list_containers = &body;
    exchange_ask(table->page->exchange, &query, then, context);
}

static void ask_csv(struct exchange *exchange, void *context, const char *after, exchange_reply_fn *then,
                    void *then_context)
{
    (void)exchange;
    ask_page(context, after, 0, then, then_context);
}

static void ask(struct table *table)
{
    bool whole = table->sorted || container_filter_is_set(&table->filter) || table->choice > LIVE_CHOICE;

    ask_page(table, table->after, whole ? 0 : (uint32_t)(table->list.limit + 1 - table->count), handle,
             table);
}

bool containers_begin(struct page *page, struct exchange *exchange, enum containers_of of, const char *id)
{
    struct table *table = arena_new0(exchange_arena(exchange), struct table);
    struct list_state list = { .shown = 0 };

    if (!list_choose_columns(&list, exchange, tables[of].columns, tables[of].count))
        return false;
    if (!list_csv_is_wanted(exchange))
        return true;
    *page = (struct page){
        .exchange = exchange,
        .arena = exchange_arena(exchange),
        .now_ms = web_model_cluster(((const struct web_view *)exchange_application(exchange))->model)->now_ms,
    };
    *table = (struct table){ .page = page, .of = of, .id = id, .after = "" };
    read_filter(table);
    list_csv_answer_replies(exchange, &container_fields,
                            &(struct list_replies){ ask_csv, read_csv, row_of_csv, table });
    return false;
}

void containers_ask(struct page *page, enum containers_of of, const char *id)
{
    struct table *table = arena_new0(page->arena, struct table);
    struct container_id parsed;

    *table = (struct table){ .page = page, .of = of, .id = id, .after = "" };
    read_filter(table);
    list_read(&table->list, page->exchange, tables[of].columns, tables[of].count, "id");
    (void)list_choose_columns(&table->list, page->exchange, tables[of].columns, tables[of].count);
    table->list.anchor = ANCHOR;
    table->sorted = table->list.column->order != CONTAINER_BY_ID || table->list.descending;
    if (table->list.after != NULL && !container_id_parse(table->list.after, &parsed))
        table->list.after = NULL;
    if (!table->sorted && table->list.after != NULL)
        table->after = table->list.after;
    html_add(&page->html, "<h2>Containers</h2>");
    add_chips(table);
    add_form(table);
    html_add(&page->html, "<section id=\"containers\" class=\"live wide\">");
    ask(table);
}
