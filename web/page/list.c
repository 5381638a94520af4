/* SPDX-License-Identifier: Apache-2.0 */
/* list.c - reads a table's sort order and page from the URL, and writes links */
#include "web/page/list.h"

#include <string.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "web/page/page_text.h"

#define ROWS_DEFAULT 50
#define ROWS_MAX 200

void list_read(struct list_state *ret, struct exchange *exchange, const struct list_column *columns,
               size_t count, const char *sort)
{
    const char *wanted = exchange_parameter(exchange, "sort", 0),
               *rows = exchange_parameter(exchange, "n", 0);
    int64_t limit = ROWS_DEFAULT;

    *ret = (struct list_state){ .after = exchange_parameter(exchange, "after", 0),
                                .anchor = "",
                                .shown = UINT32_MAX };
    for (int attempt = 0; attempt < 2 && ret->column == NULL; attempt++, wanted = sort) {
        if (wanted == NULL)
            continue;
        ret->descending = *wanted == '-';
        for (size_t i = 0; i < count; i++)
            if (columns[i].sort != NULL && strcmp(columns[i].sort, wanted + ret->descending) == 0)
                ret->column = &columns[i];
    }
    if (rows == NULL || !text_parse_int64(rows, &limit) || limit < 1 || limit > ROWS_MAX)
        limit = ROWS_DEFAULT;
    ret->limit = (size_t)limit;
    if (ret->after != NULL && *ret->after == '\0')
        ret->after = NULL;
}

/* Returns the index of the column with the name of LENGTH bytes; COUNT: there is none. */
static size_t find_column(const struct list_column *columns, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (columns[i].name != NULL && strlen(columns[i].name) == length &&
            strncmp(columns[i].name, name, length) == 0)
            return i;
    return count;
}

static void refuse_column(struct exchange *exchange, const struct list_column *columns, size_t count,
                          const char *name, size_t length)
{
    struct text_builder names = TEXT_BUILDER_IN(exchange_arena(exchange));

    for (size_t i = 0; i < count; i++)
        if (columns[i].name != NULL)
            text_builder_printf(&names, "%s%s", names.length > 0 ? ", " : "", columns[i].name);
    exchange_refuse(exchange, 400,
                    arena_printf(exchange_arena(exchange),
                                 "cols: there is no column \"%.*s\". Columns are: %s.", (int)length, name,
                                 text_builder_finish(&names)));
}

bool list_choose_columns(struct list_state *list, struct exchange *exchange,
                         const struct list_column *columns, size_t count)
{
    const char *names;

    list->shown = 0;
    for (size_t p = 0; (names = exchange_parameter(exchange, "cols", p)) != NULL; p++) {
        while (*names != '\0') {
            size_t length = strcspn(names, ","), i = find_column(columns, count, names, length);

            if (i == count && length > 0) {
                refuse_column(exchange, columns, count, names, length);
                return false;
            }
            if (i < count)
                list->shown |= 1u << i;
            names += length;
            names += *names == ',';
        }
    }
    list->chosen = list->shown != 0;
    for (size_t i = 0; i < count; i++)
        if (list->chosen ? columns[i].beside && (list->shown & 1u << (i - 1)) != 0 : !columns[i].further)
            list->shown |= 1u << i;
    return true;
}

const char *list_parameter(struct exchange *exchange, const char *name)
{
    const char *value = exchange_parameter(exchange, name, 0);

    return value != NULL && *value != '\0' ? value : NULL;
}

void list_chips_begin(struct page *page, const char *label)
{
    html_add(&page->html, "<nav class=\"chips\" aria-label=\"%s\">", label);
}

void list_chip(struct page *page, const struct list_chip *chip)
{
    struct html *html = &page->html;
    const char *value = chip->value != NULL && *chip->value != '\0' ? chip->value : NULL;

    html_add(html, "<a href=\"%s%s%s\"", chip->path != NULL ? chip->path : "",
             list_target(page, chip->name, value), chip->anchor != NULL ? chip->anchor : "");
    if (chip->chosen)
        html_add(html, " aria-current=\"true\"");
    html_add(html, ">%s", chip->word);
    if (chip->count != NULL)
        html_add(html, " <b>%s</b>", chip->count);
    html_add(html, "</a>");
}

void list_chips_end(struct page *page)
{
    html_add(&page->html, "</nav>");
}

/* Writes the parameters of this request as hidden fields of a form, except "after" and those of INPUTS. */
static void keep_parameters(struct page *page, const struct list_input *inputs, size_t count)
{
    const char *name, *value;

    for (size_t i = 0; exchange_each_parameter(page->exchange, i, &name, &value); i++) {
        bool kept = *value != '\0' && strcmp(name, "after") != 0;

        for (size_t f = 0; f < count; f++)
            kept = kept && strcmp(name, inputs[f].name) != 0;
        if (kept)
            html_add(&page->html, "<input type=\"hidden\" name=\"%s\" value=\"%s\">", name, value);
    }
}

void list_filter_form(struct page *page, const char *path, const char *anchor,
                      const struct list_input *inputs, size_t count)
{
    struct html *html = &page->html;

    html_add(html, "<form class=\"filter\" action=\"%s%s\">", path, anchor);
    keep_parameters(page, inputs, count);
    for (size_t i = 0; i < count; i++) {
        const char *value = list_parameter(page->exchange, inputs[i].name);

        html_add(html, "<label>%s <input name=\"%s\" value=\"%s\"></label>", inputs[i].title, inputs[i].name,
                 value != NULL ? value : "");
    }
    html_add(html, "<button>Filter</button> <a href=\"%s%s\">clear</a></form>\n", path, anchor);
}

void list_columns_form(struct page *page, const struct list_state *list, const struct list_column *columns,
                       size_t count, const char *path)
{
    static const struct list_input own = { .name = "cols" };
    struct html *html = &page->html;

    html_add(html,
             "<details class=\"columns\"><summary>Columns</summary><form class=\"filter\" action=\"%s%s\">",
             path, list->anchor);
    keep_parameters(page, &own, 1);
    for (size_t i = 0; i < count; i++)
        if (columns[i].name != NULL)
            html_add(
                html,
                "<label class=\"choice\"><input type=\"checkbox\" name=\"cols\" value=\"%s\"%s> %s</label>",
                columns[i].name, (list->shown & 1u << i) != 0 ? " checked" : "", columns[i].title);
    html_add(html, "<button>Show</button> <a href=\"%s%s\">usual columns</a></form></details>\n",
             list_target(page, "cols", NULL), list->anchor);
}

const char *list_target(struct page *page, const char *name, const char *value)
{
    struct text_builder text = TEXT_BUILDER_IN(page->arena);
    const char *other, *given;

    for (size_t i = 0; exchange_each_parameter(page->exchange, i, &other, &given); i++)
        if (strcmp(other, name) != 0 && strcmp(other, "after") != 0 && strcmp(other, "format") != 0 &&
            *given != '\0')
            text_builder_printf(&text, "%s%s=%s", text.length > 0 ? "&" : "?", html_url(page->arena, other),
                                html_url(page->arena, given));
    if (value != NULL)
        text_builder_printf(&text, "%s%s=%s", text.length > 0 ? "&" : "?", name,
                            html_url(page->arena, value));
    return text.length > 0 ? text_builder_finish(&text) : "?";
}

static void add_header(struct page *page, const struct list_state *list, const struct list_column *column)
{
    bool current = column == list->column;
    /* The first click on a column of numbers sorts the largest first. */
    bool descending = current ? !list->descending : column->number;
    const char *sort = descending ? arena_printf(page->arena, "-%s", column->sort) : column->sort;

    if (column->sort == NULL)
        html_add(&page->html, "%s", column->title);
    else
        html_add(&page->html, "<a class=\"%s\" href=\"%s%s\">%s</a>",
                 !current           ? ""
                 : list->descending ? "down"
                                    : "up",
                 list_target(page, "sort", sort), list->anchor, column->title);
}

void list_head(struct page *page, const struct list_state *list, const struct list_column *columns,
               size_t count)
{
    struct html *html = &page->html;

    html_add(html, "<thead><tr>");
    for (size_t i = 0; i < count; i++) {
        bool more = i + 1 < count && columns[i + 1].beside;
        bool current = &columns[i] == list->column || (more && &columns[i + 1] == list->column);

        if ((list->shown & 1u << i) == 0)
            continue;

        html_add(html, "<th scope=\"col\" class=\"%s\"", columns[i].number ? "n" : "");
        if (current)
            html_add(html, " aria-sort=\"%s\"", list->descending ? "descending" : "ascending");
        html_add(html, " title=\"%s\">", columns[i].tooltip != NULL ? columns[i].tooltip : "");
        add_header(page, list, &columns[i]);
        if (more) {
            html_add(html, " · ");
            add_header(page, list, &columns[++i]);
        }
        html_add(html, "</th>");
    }
    html_add(html, "</tr></thead>");
}

void list_row(struct page *page, const struct list_state *list, const struct list_column *columns,
              size_t count, const void *row)
{
    html_add(&page->html, "<tr>");
    for (size_t i = 0; i < count; i++)
        if ((list->shown & 1u << i) != 0 && columns[i].cell != NULL)
            columns[i].cell(page, row);
    html_add(&page->html, "</tr>\n");
}

void list_csv_link(struct page *page)
{
    html_add(&page->html,
             " · <a href=\"%s\" title=\"all rows and columns, as comma-separated values\">CSV</a>",
             list_target(page, "format", "csv"));
}

void list_foot(struct page *page, const struct list_state *list, size_t shown, size_t total, const char *last,
               const char *one, const char *many)
{
    struct html *html = &page->html;

    html_add(html, "<p class=\"foot\">");
    if (shown < total)
        html_add(html, "%s of ", page_text_count(page->arena, shown));
    page_plural(page, total, one, many);
    if (list->after != NULL)
        html_add(html, " · <a href=\"%s%s\">first page</a>", list_target(page, "after", NULL), list->anchor);
    if (last != NULL)
        html_add(html, " · <a rel=\"next\" href=\"%s%s\">next page</a>", list_target(page, "after", last),
                 list->anchor);
    list_csv_link(page);
    html_add(html, "</p>\n");
}
