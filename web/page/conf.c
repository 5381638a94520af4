/* SPDX-License-Identifier: Apache-2.0 */
/* conf.c - /cluster/conf: the configuration that the resource manager uses, with origins */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "web/page/frame.h"
#include "web/page/list.h"
#include "web/page/list_csv.h"
#include "web/page/page_text.h"
#include "web/page/pages.h"

#define PAGES_MAX 64 /* of the reply; the resource manager has far fewer */

enum order { BY_KEY, BY_VALUE, BY_ORIGIN };

struct conf_page {
    struct page page;
    const char *text; /* filter: part of a key, a value or an origin; "": no filter */
    bool all;         /* also shows defaults */
    const Creel__ConfigurationEntry **entries; /* of all pages of the reply so far, in the arena */
    size_t count;
    unsigned pages;
    struct list_state list;
};

static bool is_default(const Creel__ConfigurationEntry *entry)
{
    return text_equal(entry->origin, "default");
}

static bool has_text(const char *text, const char *part)
{
    for (size_t length = strlen(part); *text != '\0'; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return *part == '\0';
}

static bool is_wanted(const struct conf_page *conf, const Creel__ConfigurationEntry *entry)
{
    return (conf->all || !is_default(entry)) &&
           (has_text(entry->key, conf->text) || has_text(entry->value, conf->text) ||
            has_text(entry->origin, conf->text));
}

static const Creel__ConfigurationEntry *entry_of(const void *item)
{
    return *(const Creel__ConfigurationEntry *const *)item;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(entry_of(a)->key, entry_of(b)->key);
}

static int by_value(const void *a, const void *b)
{
    int order = strcasecmp(entry_of(a)->value, entry_of(b)->value);

    return order != 0 ? order : by_key(a, b);
}

static int by_origin(const void *a, const void *b)
{
    int order = strcmp(entry_of(a)->origin, entry_of(b)->origin);

    return order != 0 ? order : by_key(a, b);
}

static void add_form(struct conf_page *conf)
{
    static const struct list_input input = { "q", "Text" };
    struct page *page = &conf->page;

    list_chips_begin(page, "Which keys");
    list_chip(page, &(struct list_chip){ .name = "show", .word = "Set", .chosen = !conf->all });
    list_chip(page, &(struct list_chip){
                        .name = "show", .value = "all", .word = "All, with defaults", .chosen = conf->all });
    list_chips_end(page);
    list_filter_form(page, "/cluster/conf", "", &input, 1);
}

static void cell_key(struct page *page, const void *row)
{
    html_add(&page->html, "<td data-label=\"Key\"><bdi class=\"id\">%s</bdi></td>",
             ((const Creel__ConfigurationEntry *)row)->key);
}

static void cell_value(struct page *page, const void *row)
{
    const Creel__ConfigurationEntry *entry = row;

    html_add(&page->html, "<td data-label=\"Value\">");
    if (entry->hidden)
        html_add(&page->html, "<span class=\"sub\">hidden</span>");
    else
        html_add(&page->html, "<bdi class=\"id\">%s</bdi>", entry->value);
    html_add(&page->html, "</td>");
}

static void cell_origin(struct page *page, const void *row)
{
    const Creel__ConfigurationEntry *entry = row;

    html_add(&page->html, "<td data-label=\"Set in\" title=\"%s\"><bdi class=\"id\">%s</bdi></td>",
             entry->refreshed ? "a refresh applies a change" : "a change takes effect at the next start",
             entry->origin);
}

static const struct list_column columns[] = {
    { LIST_SORT("key", BY_KEY), LIST_TITLE("Key", NULL), LIST_CELL("key", cell_key) },
    { LIST_SORT("value", BY_VALUE), LIST_TITLE("Value", NULL), LIST_CELL("value", cell_value) },
    { LIST_SORT("origin", BY_ORIGIN), LIST_TITLE("Set in", NULL), LIST_CELL("origin", cell_origin) },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

static void field_key(struct csv *csv, const void *row)
{
    csv_text(csv, ((const Creel__ConfigurationEntry *)row)->key);
}

static void field_value(struct csv *csv, const void *row)
{
    const Creel__ConfigurationEntry *entry = row;

    csv_text(csv, entry->hidden ? "<hidden>" : entry->value);
}

static void field_origin(struct csv *csv, const void *row)
{
    csv_text(csv, ((const Creel__ConfigurationEntry *)row)->origin);
}

static void field_refreshed(struct csv *csv, const void *row)
{
    csv_text(csv, ((const Creel__ConfigurationEntry *)row)->refreshed ? "refresh" : "restart");
}

static const struct list_field fields[] = {
    { "key", field_key },
    { "value", field_value },
    { "set_in", field_origin },
    { "applies_after", field_refreshed },
};

static const struct list_fields conf_fields = { "configuration", fields, sizeof(fields) / sizeof(*fields) };

static const void *csv_row(void *context, size_t i)
{
    return ((const Creel__ConfigurationEntry **)context)[i];
}

/* Returns the index of the row behind the one with the key AFTER; 0 if there is none. */
static size_t find_begin(const Creel__ConfigurationEntry *const *rows, size_t count, const char *after)
{
    for (size_t i = 0; after != NULL && i < count; i++)
        if (strcmp(rows[i]->key, after) == 0)
            return i + 1;
    return 0;
}

static void reverse(const Creel__ConfigurationEntry **rows, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const Creel__ConfigurationEntry *other = rows[count - 1 - i];

        rows[count - 1 - i] = rows[i];
        rows[i] = other;
    }
}

/* Fills ROWS with the entries that the filter accepts, sorted. Returns their number. */
static size_t choose_rows(const struct conf_page *conf, const struct list_state *list,
                          const Creel__ConfigurationEntry **rows)
{
    static int (*const compare[])(const void *a, const void *b) = { by_key, by_value, by_origin };
    size_t count = 0;

    for (size_t i = 0; i < conf->count; i++)
        if (is_wanted(conf, conf->entries[i]))
            rows[count++] = conf->entries[i];
    qsort(rows, count, sizeof(*rows), compare[list->column->order]);
    if (list->descending)
        reverse(rows, count);
    return count;
}

static void add_rows(struct conf_page *conf)
{
    struct page *page = &conf->page;
    const Creel__ConfigurationEntry **rows = arena_array0(page->arena, conf->count + 1, sizeof(*rows));
    const struct list_state list = conf->list;
    size_t count = choose_rows(conf, &list, rows), begin, end;

    if (list_csv_is_wanted(page->exchange)) {
        list_csv_answer(page->exchange, &conf_fields, csv_row, count, rows);
        return;
    }
    begin = find_begin(rows, count, list.after);
    end = count - begin > list.limit ? begin + list.limit : count;
    html_add(&page->html, "<section id=\"rows\" class=\"wide\"><table class=\"cards\">"
                          "<caption class=\"hidden\">Configuration</caption>");
    list_head(page, &list, columns, COLUMN_COUNT);
    html_add(&page->html, "<tbody>");
    for (size_t i = begin; i < end; i++)
        list_row(page, &list, columns, COLUMN_COUNT, rows[i]);
    html_add(&page->html, "</tbody></table>");
    if (count == 0)
        html_add(&page->html, "<p class=\"note\">No key fits.</p>");
    list_foot(page, &list, end - begin, count, end < count ? rows[end - 1]->key : NULL, "key", "keys");
    html_add(&page->html, "</section>\n");
    list_columns_form(page, &list, columns, COLUMN_COUNT, "/cluster/conf");
    page_send(page);
}

/* Copies the entries of one page of the reply. */
static void add_entries(struct conf_page *conf, const Creel__Configuration *configuration)
{
    struct arena *arena = conf->page.arena;
    size_t all = conf->count + configuration->n_entries;
    const Creel__ConfigurationEntry **entries = arena_array0(arena, all + 1, sizeof(*entries));

    if (conf->count > 0)
        memcpy(entries, conf->entries, conf->count * sizeof(*entries));
    for (size_t i = 0; i < configuration->n_entries; i++) {
        Creel__ConfigurationEntry *copy = arena_new0(arena, Creel__ConfigurationEntry);

        *copy = *configuration->entries[i];
        copy->key = arena_strdup(arena, copy->key);
        copy->value = arena_strdup(arena, copy->value);
        copy->origin = arena_strdup(arena, copy->origin);
        entries[conf->count + i] = copy;
    }
    conf->entries = entries;
    conf->count = all;
}

static void ask(struct conf_page *conf, uint32_t first);

static void handle_page(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct conf_page *conf = context;

    if (reply->body_case == CREEL__ENVELOPE__BODY_CONFIGURATION) {
        add_entries(conf, reply->configuration);
        if (reply->configuration->next != 0 && ++conf->pages < PAGES_MAX) {
            ask(conf, reply->configuration->next);
            return;
        }
        if (reply->configuration->next != 0 &&
            list_csv_refuse_incomplete(exchange, 503, "The configuration has more keys than are listed."))
            return;
        add_rows(conf);
    } else if (!list_csv_refuse(exchange, reply)) {
        html_add(&conf->page.html, "<p class=\"note\">The configuration is not known: %s.</p>",
                 reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error->message : "no answer");
        page_send(&conf->page);
    }
}

static void ask(struct conf_page *conf, uint32_t first)
{
    Creel__GetConfiguration get = CREEL__GET_CONFIGURATION__INIT;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    get.first = first;
    query.body_case = CREEL__ENVELOPE__BODY_GET_CONFIGURATION;
    query.get_configuration = &get;
    exchange_ask(conf->page.exchange, &query, handle_page, conf);
}

void page_conf(struct exchange *exchange)
{
    struct conf_page *conf = arena_new0(exchange_arena(exchange), struct conf_page);
    const char *text = exchange_parameter(exchange, "q", 0);

    if (!page_begin(&conf->page, exchange, MENU_CONF, "Configuration", false))
        return;
    list_read(&conf->list, exchange, columns, COLUMN_COUNT, "key");
    if (!list_choose_columns(&conf->list, exchange, columns, COLUMN_COUNT))
        return;
    conf->text = text != NULL ? text : "";
    conf->all = text_equal(exchange_parameter(exchange, "show", 0), "all");
    html_add(&conf->page.html,
             "<p class=\"note\">The configuration that the resource manager uses (<code>creel conf show "
             "--rm</code>). <code>/conf</code> has the configuration of the web server.</p>");
    add_form(conf);
    ask(conf, 0);
}
