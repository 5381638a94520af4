/* SPDX-License-Identifier: Apache-2.0 */
/* listing.c - prints lists and single objects in every output format (-o) */
#include "client/cli/frame/listing.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"

static size_t terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    int64_t width;

    if (!isatty(STDOUT_FILENO))
        return 0;
    if (columns && text_parse_int64(columns, &width) && width > 0 && width < 10000)
        return (size_t)width;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/* Returns the properties of stdout: width of the terminal or 0; colours or not. */
static struct table_style cli_table_style(const struct cli *cli)
{
    const char *no_color = getenv("NO_COLOR");
    struct table_style style = { .header = !cli->no_header };

    style.width = cli->format == FORMAT_WIDE ? 0 : terminal_width();
    style.color = cli->color == COLOR_ALWAYS ||
                  (cli->color == COLOR_AUTO && isatty(STDOUT_FILENO) && !(no_color && *no_color));
    return style;
}

static int end_of_output(void)
{
    struct err err = { 0 };

    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_DONE;
    if (errno == EPIPE)
        return EXIT_FAILED; /* the reader closed the pipe, for example "| head" */
    err_set_errno(&err, errno ? errno : EIO, "standard output cannot be written");
    return cli_fail_err(&err);
}

/* --- JSON ------------------------------------------------------------------ */

static void items_begin_with(struct items_writer *items, const struct cli *cli, const char *kind,
                             items_head_fn *head, const void *context)
{
    items->lines = cli->format == FORMAT_JSONL;
    json_init(&items->json, stdout, items->lines);
    if (items->lines)
        return;
    json_begin_object(&items->json, NULL);
    json_text(&items->json, "apiVersion", LISTING_API_VERSION);
    json_text(&items->json, "kind", kind);
    if (head)
        head(context, &items->json);
    json_begin_array(&items->json, "items");
}

void items_begin(struct items_writer *items, const struct cli *cli, const char *kind)
{
    items_begin_with(items, cli, kind, NULL, NULL);
}

struct json_writer *items_open(struct items_writer *items)
{
    json_begin_object(&items->json, NULL);
    return &items->json;
}

void items_close(struct items_writer *items)
{
    json_end_object(&items->json);
    if (items->lines)
        json_finish(&items->json);
}

void items_end(struct items_writer *items)
{
    if (items->lines)
        return;
    json_end_array(&items->json);
    json_end_object(&items->json);
    json_finish(&items->json);
}

/* --- lists ----------------------------------------------------------------- */

static void print_json(const struct cli *cli, const struct listing *listing, const void *const *items,
                       const struct table *table)
{
    struct items_writer writer;

    items_begin_with(&writer, cli, listing->kind, listing->head, listing->context);
    for (size_t i = 0; i < table_row_count(table); i++) {
        listing->json(items[table_source(table, i)], items_open(&writer));
        items_close(&writer);
    }
    items_end(&writer);
}

static void print_format(struct cli *cli, const struct listing *listing, const void *const *items,
                         struct table *table)
{
    struct table_style style = cli_table_style(cli);

    if (cli->rows_max > 0)
        table_cut(table, cli->rows_max);
    switch (cli->format) {
    case FORMAT_TABLE:
    case FORMAT_WIDE:
        table_print(table, &style, stdout);
        break;
    case FORMAT_CSV:
        table_print_csv(table, !cli->no_header, stdout);
        break;
    case FORMAT_JSON:
    case FORMAT_JSONL:
        print_json(cli, listing, items, table);
        break;
    case FORMAT_ID:
        for (size_t i = 0; i < table_row_count(table); i++)
            puts(listing->id(items[table_source(table, i)]));
        break;
    }
}

int listing_print(struct cli *cli, const struct listing *listing, const void *const *items, size_t count)
{
    struct table *table = table_new(listing->columns, listing->column_count);
    bool wide = cli->format == FORMAT_WIDE || cli->format == FORMAT_CSV;
    struct err err = { 0 };
    int code;

    for (size_t i = 0; i < count; i++) {
        table_row(table);
        listing->row(items[i], table);
    }
    if (table_choose(table, cli->columns, wide, &err) < 0 || table_sort(table, cli->sort, &err) < 0) {
        code = cli_usage(cli, "%s", err.text);
    } else {
        print_format(cli, listing, items, table);
        code = end_of_output();
    }
    table_free(table);
    return code;
}

/* --- single objects -------------------------------------------------------- */

int record_print(struct cli *cli, const struct record *record, const void *item)
{
    return records_print(cli, record, &item, 1);
}

int records_print(struct cli *cli, const struct record *record, const void *const *items, size_t count)
{
    struct items_writer writer;

    switch (cli->format) {
    case FORMAT_JSON:
    case FORMAT_JSONL:
        items_begin(&writer, cli, record->kind);
        for (size_t i = 0; i < count; i++) {
            record->json(items[i], items_open(&writer));
            items_close(&writer);
        }
        items_end(&writer);
        break;
    case FORMAT_ID:
        for (size_t i = 0; record->id && i < count; i++)
            puts(record->id(items[i]));
        break;
    case FORMAT_TABLE:
    case FORMAT_WIDE:
    case FORMAT_CSV:
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                putchar('\n');
            record->lines(items[i], cli);
        }
        break;
    }
    return end_of_output();
}

void record_line(const char *name, const char *format, ...)
{
    scoped_free char *text = NULL;
    va_list args;

    va_start(args, format);
    text = mem_vprintf(format, args);
    va_end(args);
    if (*text)
        printf("%s:%*s %s\n", name, (int)(strlen(name) < 14 ? 14 - strlen(name) : 0), "", text);
}
