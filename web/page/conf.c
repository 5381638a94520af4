/* SPDX-License-Identifier: Apache-2.0 */
/* conf.c - /cluster/conf: the configuration that the resource manager uses, with origins */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "web/page/frame.h"
#include "web/page/list.h"
#include "web/page/page_text.h"
#include "web/page/pages.h"

#define ROWS_MAX 1000

enum order { BY_KEY, BY_VALUE, BY_ORIGIN };

static const struct list_column columns[] = {
    { "key", "Key", NULL, BY_KEY, false, false },
    { "value", "Value", NULL, BY_VALUE, false, false },
    { "origin", "Set in", NULL, BY_ORIGIN, false, false },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

struct conf_page {
    struct page page;
    const char *text; /* filter: part of a key, a value or an origin; "": no filter */
    bool all;         /* also shows defaults */
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

static void add_chip(struct page *page, const char *target, const char *word, bool current)
{
    html_add(&page->html, "<a href=\"%s\"", target);
    if (current)
        html_add(&page->html, " aria-current=\"true\"");
    html_add(&page->html, ">%s</a>", word);
}

static void add_form(struct conf_page *conf)
{
    struct page *page = &conf->page;

    html_add(&page->html, "<nav class=\"chips\" aria-label=\"Which keys\">");
    add_chip(page, list_target(page, "show", NULL), "Set", !conf->all);
    add_chip(page, list_target(page, "show", "all"), "All, with defaults", conf->all);
    html_add(&page->html, "</nav>");
    html_add(&page->html, "<form class=\"filter\" action=\"/cluster/conf\">");
    if (conf->all)
        html_add(&page->html, "<input type=\"hidden\" name=\"show\" value=\"all\">");
    html_add(&page->html,
             "<label>Text <input name=\"q\" value=\"%s\"></label> <button>Filter</button> "
             "<a href=\"/cluster/conf\">clear</a></form>\n",
             conf->text);
}

static void add_row(struct page *page, const Creel__ConfigurationEntry *entry)
{
    html_add(&page->html,
             "<tr><td data-label=\"Key\"><bdi class=\"id\">%s</bdi></td><td data-label=\"Value\">",
             entry->key);
    if (entry->hidden)
        html_add(&page->html, "<span class=\"sub\">hidden</span>");
    else
        html_add(&page->html, "<bdi class=\"id\">%s</bdi>", entry->value);
    html_add(&page->html,
             "</td><td data-label=\"Set in\" title=\"%s\"><bdi class=\"id\">%s</bdi></td></tr>\n",
             entry->refreshed ? "a refresh applies a change" : "a change counts from the next start",
             entry->origin);
}

static void add_rows(struct conf_page *conf, const Creel__Configuration *configuration)
{
    static int (*const compare[])(const void *a, const void *b) = { by_key, by_value, by_origin };
    struct page *page = &conf->page;
    const Creel__ConfigurationEntry **rows =
        arena_array0(page->arena, configuration->n_entries + 1, sizeof(*rows));
    struct list_state list;
    size_t count = 0, shown;

    list_read(&list, page->exchange, columns, COLUMN_COUNT, "key");
    for (size_t i = 0; i < configuration->n_entries; i++)
        if (is_wanted(conf, configuration->entries[i]))
            rows[count++] = configuration->entries[i];
    qsort(rows, count, sizeof(*rows), compare[list.column->order]);
    shown = count < ROWS_MAX ? count : ROWS_MAX;
    html_add(&page->html, "<section id=\"rows\" class=\"wide\"><table class=\"cards\">"
                          "<caption class=\"hidden\">Configuration</caption>");
    list_head(page, &list, columns, COLUMN_COUNT);
    html_add(&page->html, "<tbody>");
    for (size_t i = 0; i < shown; i++)
        add_row(page, rows[list.descending ? count - 1 - i : i]);
    html_add(&page->html, "</tbody></table>");
    if (count == 0)
        html_add(&page->html, "<p class=\"note\">No key fits.</p>");
    list_foot(page, &list, shown, count, NULL, "key", "keys");
    html_add(&page->html, "</section>\n");
}

static void finish(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct conf_page *conf = context;

    (void)exchange;
    if (reply->body_case == CREEL__ENVELOPE__BODY_CONFIGURATION)
        add_rows(conf, reply->configuration);
    else
        html_add(&conf->page.html, "<p class=\"note\">The configuration is not known: %s.</p>",
                 reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error->message : "no answer");
    if (reply->body_case == CREEL__ENVELOPE__BODY_CONFIGURATION && reply->configuration->next != 0)
        html_add(&conf->page.html, "<p class=\"note\">These are the first keys of a long configuration: "
                                   "<code>creel conf show --rm</code> shows all.</p>");
    page_send(&conf->page);
}

void page_conf(struct exchange *exchange)
{
    struct conf_page *conf = arena_new0(exchange_arena(exchange), struct conf_page);
    const char *text = exchange_parameter(exchange, "q", 0);
    Creel__GetConfiguration get = CREEL__GET_CONFIGURATION__INIT;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    if (!page_begin(&conf->page, exchange, MENU_CONF, "Configuration", false))
        return;
    conf->text = text != NULL ? text : "";
    conf->all = text_equal(exchange_parameter(exchange, "show", 0), "all");
    html_add(&conf->page.html,
             "<p class=\"note\">The configuration that the resource manager uses (<code>creel conf show "
             "--rm</code>). <code>/conf</code> has the configuration of the web server.</p>");
    add_form(conf);
    query.body_case = CREEL__ENVELOPE__BODY_GET_CONFIGURATION;
    query.get_configuration = &get;
    exchange_ask(exchange, &query, finish, conf);
}
