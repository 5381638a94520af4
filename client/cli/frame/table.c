/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - text tables that fit the width of the terminal
 *
 * libsmartcols does the layout. This file cuts long cells before, since libsmartcols would cut without a
 * mark.
 */
#include "client/cli/frame/table.h"

#include <assert.h>
#include <errno.h>
#include <libsmartcols.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"

#define CUT_MIN 6
#define LAST_CUT_MIN 24 /* of the reason or report, on a terminal of 80 columns; less on a narrower one */
#define GAP 2

struct cell {
    char *text; /* owned */
    int64_t number;
    bool numeric;
};

struct row {
    struct cell *cells; /* owned; column_count cells */
    size_t source;
};

struct table {
    const struct table_column *columns;
    size_t column_count;
    struct row *rows;
    size_t row_count, row_capacity;
    size_t filled; /* number of cells set in the last row */
    size_t *shown; /* indexes of columns to print */
    size_t shown_count;
    bool chosen; /* by the user: then all selected columns are printed */
};

struct table *table_new(const struct table_column *columns, size_t column_count)
{
    struct table *table = mem_new0(struct table);

    table->columns = columns;
    table->column_count = column_count;
    table->shown = mem_array0(column_count, sizeof(*table->shown));
    for (size_t i = 0; i < column_count; i++) {
        if (!(columns[i].flags & TABLE_WIDE))
            table->shown[table->shown_count++] = i;
    }
    return table;
}

void table_cut(struct table *table, size_t rows)
{
    for (size_t i = rows; i < table->row_count; i++) {
        for (size_t k = 0; k < table->column_count; k++)
            free(table->rows[i].cells[k].text);
        free(table->rows[i].cells);
    }
    if (rows < table->row_count)
        table->row_count = rows;
}

void table_free(struct table *table)
{
    if (!table)
        return;
    table_cut(table, 0);
    free(table->rows);
    free(table->shown);
    free(table);
}

/* --- filling --------------------------------------------------------------- */

void table_row(struct table *table)
{
    assert(table->row_count == 0 || table->filled == table->column_count);
    mem_grow(table->rows, table->row_count, table->row_capacity);
    table->rows[table->row_count] = (struct row){
        .cells = mem_array0(table->column_count, sizeof(struct cell)),
        .source = table->row_count,
    };
    table->row_count++;
    table->filled = 0;
}

static struct cell *next_cell(struct table *table)
{
    assert(table->row_count > 0 && table->filled < table->column_count);
    return &table->rows[table->row_count - 1].cells[table->filled++];
}

void table_text(struct table *table, const char *text)
{
    struct cell *cell = next_cell(table);

    cell->text = mem_strdup(text);
    /* Replaces newlines, since a row is one line. */
    for (char *at = cell->text; *at; at++) {
        if (*at == '\n' || *at == '\t' || *at == '\r')
            *at = ' ';
    }
}

void table_textf(struct table *table, const char *format, ...)
{
    scoped_free char *text = NULL;
    va_list args;

    va_start(args, format);
    text = mem_vprintf(format, args);
    va_end(args);
    table_text(table, text);
}

void table_number(struct table *table, int64_t number)
{
    table_textf(table, "%lld", (long long)number);
    table_sorted_by(table, number);
}

void table_sorted_by(struct table *table, int64_t number)
{
    struct cell *cell = &table->rows[table->row_count - 1].cells[table->filled - 1];

    cell->number = number;
    cell->numeric = true;
}

size_t table_row_count(const struct table *table)
{
    return table->row_count;
}

size_t table_source(const struct table *table, size_t row)
{
    return table->rows[row].source;
}

/* --- choosing and sorting -------------------------------------------------- */

static int find_column(const struct table *table, const char *name, size_t length, size_t *column,
                       struct err *err)
{
    scoped_text_builder struct text_builder known = TEXT_BUILDER_MALLOC;

    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *row = &table->columns[i];

        if ((strlen(row->key) == length && !strncasecmp(row->key, name, length)) ||
            (strlen(row->title) == length && !strncasecmp(row->title, name, length))) {
            *column = i;
            return 0;
        }
        text_builder_printf(&known, "%s%s", i ? "," : "", row->key);
    }
    return err_set(err, EINVAL, "there is no column \"%.*s\"; there are: %s", (int)length, name,
                   text_builder_text(&known));
}

int table_choose(struct table *table, const char *columns, bool wide, struct err *err)
{
    scoped_free size_t *shown = NULL;
    size_t count = 0;
    size_t capacity = 0;

    if (!columns) {
        if (wide) {
            for (size_t i = 0; i < table->column_count; i++)
                table->shown[i] = i;
            table->shown_count = table->column_count;
        }
        return 0;
    }
    for (const char *at = columns; *at; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ", ");
        size_t column = 0;
        int r = length ? find_column(table, at, length, &column, err) : 0;

        if (r < 0)
            return r;
        at += length;
        if (!length)
            continue;
        mem_grow(shown, count, capacity);
        shown[count++] = column;
    }
    if (!count)
        return err_set(err, EINVAL, "--columns names no column");
    free(table->shown);
    table->shown = shown;
    shown = NULL;
    table->shown_count = count;
    table->chosen = true;
    return 0;
}

struct sort_key {
    size_t column;
    bool descending;
};

struct sort_keys {
    struct sort_key items[8];
    size_t count;
};

static int compare_cells(const struct cell *a, const struct cell *b)
{
    if (a->numeric && b->numeric)
        return a->number < b->number ? -1 : a->number > b->number;
    return strcmp(a->text, b->text);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct row *a = left, *b = right;
    const struct sort_keys *keys = context;

    for (size_t i = 0; i < keys->count; i++) {
        int r = compare_cells(&a->cells[keys->items[i].column], &b->cells[keys->items[i].column]);

        if (r)
            return keys->items[i].descending ? -r : r;
    }
    return a->source < b->source ? -1 : 1;
}

int table_sort(struct table *table, const char *keys, struct err *err)
{
    struct sort_keys order = { .count = 0 };

    for (const char *at = keys; at && *at; at += strspn(at, ", ")) {
        bool descending = *at == '-';
        size_t length, column;
        int r;

        at += descending;
        length = strcspn(at, ", ");
        if (order.count == sizeof(order.items) / sizeof(order.items[0]))
            return err_set(err, EINVAL, "--sort: more than %zu keys", order.count);
        if ((r = find_column(table, at, length, &column, err)) < 0)
            return r;
        order.items[order.count++] = (struct sort_key){ column, descending };
        at += length;
    }
    if (order.count && table->row_count > 1)
        qsort_r(table->rows, table->row_count, sizeof(*table->rows), compare_rows, &order);
    return 0;
}

/* --- widths ---------------------------------------------------------------- */

/* Returns the terminal columns of TEXT; an invalid byte counts by itself. */
static size_t display_width(const char *text)
{
    mbstate_t state = { 0 };
    size_t width = 0;

    while (*text) {
        wchar_t character;
        size_t length = mbrtowc(&character, text, MB_CUR_MAX, &state);
        int columns;

        if (length == (size_t)-1 || length == (size_t)-2) {
            state = (mbstate_t){ 0 };
            width += 4; /* libsmartcols prints \xNN */
            text++;
            continue;
        }
        columns = wcwidth(character);
        width += columns < 0 ? 4 : (size_t)columns;
        text += length;
    }
    return width;
}

/* Cuts TEXT to WIDTH columns, the last three being "...". */
static void cut_text(char *text, size_t width)
{
    mbstate_t state = { 0 };
    size_t used = 0;
    char *at = text;

    if (display_width(text) <= width || strlen(text) < 4)
        return;
    while (*at) {
        wchar_t character;
        size_t length = mbrtowc(&character, at, MB_CUR_MAX, &state);
        int columns;

        if (length == (size_t)-1 || length == (size_t)-2)
            break;
        columns = wcwidth(character);
        if (used + (columns < 0 ? 4 : (size_t)columns) > width - 3)
            break;
        used += columns < 0 ? 4 : (size_t)columns;
        at += length;
    }
    if (strlen(at) >= 3)
        memcpy(at, "...", 4);
}

static size_t column_width(const struct table *table, size_t column, bool header)
{
    size_t width = header ? display_width(table->columns[column].title) : 0;

    for (size_t i = 0; i < table->row_count; i++) {
        size_t cell = display_width(table->rows[i].cells[column].text);

        if (cell > width)
            width = cell;
    }
    return width;
}

/* Returns the last column that is printed without -o wide: the reason or the report in most tables. */
static size_t last_column(const struct table *table)
{
    size_t last = table->column_count - 1;

    while (last > 0 && (table->columns[last].flags & TABLE_WIDE))
        last--;
    return last;
}

static size_t least_width(const struct table *table, size_t column, size_t width, bool header)
{
    size_t now = column_width(table, column, header);
    size_t title = header ? display_width(table->columns[column].title) : 0;
    size_t most = CUT_MIN, least;

    if (column == last_column(table))
        most = width * 3 / 10 < CUT_MIN        ? CUT_MIN
               : width * 3 / 10 > LAST_CUT_MIN ? LAST_CUT_MIN
                                               : width * 3 / 10;
    least = title > most ? title : most;

    return (table->columns[column].flags & TABLE_CUT) && now > least ? least : now;
}

/* Returns the last column without any of the flags AVOIDED; 0: none. */
static size_t last_without(const struct table *table, unsigned avoided)
{
    for (size_t i = table->shown_count; i-- > 1;)
        if (!(table->columns[table->shown[i]].flags & avoided))
            return i;
    return 0;
}

/* Returns the column to drop first: an empty one, else the last one that is not free text. The first
 * column identifies the row and is never dropped. */
static size_t least_missed(const struct table *table)
{
    size_t found = 0;

    for (size_t i = 1; i < table->shown_count; i++) {
        if (column_width(table, table->shown[i], false) == 0)
            found = i;
    }
    if (!found)
        found = last_without(table, TABLE_CUT | TABLE_KEEP);
    if (!found)
        found = last_without(table, TABLE_CUT);
    return found ? found : table->shown_count - 1;
}

/* Drops columns until the rest fits into WIDTH. */
static void leave_out(struct table *table, size_t width, bool header)
{
    while (!table->chosen && table->shown_count > 1) {
        size_t sum = 0, victim;

        for (size_t i = 0; i < table->shown_count; i++)
            sum += least_width(table, table->shown[i], width, header) + (i ? GAP : 0);
        if (sum <= width)
            return;
        victim = least_missed(table);
        memmove(table->shown + victim, table->shown + victim + 1,
                (table->shown_count - victim - 1) * sizeof(*table->shown));
        table->shown_count--;
    }
}

/* Makes the table fit into WIDTH columns by cutting cells, starting with the last column that may be cut. */
static void fit(struct table *table, size_t width, bool header)
{
    size_t sum = 0;

    leave_out(table, width, header);
    for (size_t i = 0; i < table->shown_count; i++)
        sum += column_width(table, table->shown[i], header) + (i ? GAP : 0);
    for (size_t i = table->shown_count; i-- > 0 && sum > width;) {
        size_t column = table->shown[i];
        size_t now = column_width(table, column, header);
        size_t least = least_width(table, column, width, header);
        size_t room = sum - width < now ? now - (sum - width) : 0;

        if (now <= least)
            continue;
        if (room < least)
            room = least;
        for (size_t k = 0; k < table->row_count; k++)
            cut_text(table->rows[k].cells[column].text, room);
        sum -= now - room;
    }
}

/* --- printing -------------------------------------------------------------- */

static const char *state_color(const char *text)
{
    static const char *const colors[][2] = {
        { "RUNNING", "green" },   { "FINISHED", "gray" },      { "COMPLETE", "gray" },
        { "PENDING", "yellow" },  { "STARTING", "yellow" },    { "ALLOCATED", "yellow" },
        { "STOPPING", "yellow" }, { "FAILED", "red" },         { "KILLED", "red" },
        { "LOST", "red" },        { "UNHEALTHY", "red" },      { "STOPPED", "red" },
        { "SHUTDOWN", "red" },    { "DECOMMISSIONED", "red" },
    };

    for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
        if (!strcmp(colors[i][0], text))
            return colors[i][1];
    }
    return NULL;
}

static void print_row(struct table *table, struct libscols_table *layout, const struct row *row, bool color)
{
    struct libscols_line *line = scols_table_new_line(layout, NULL);

    if (!line)
        abort();
    for (size_t i = 0; i < table->shown_count; i++) {
        const struct cell *cell = &row->cells[table->shown[i]];
        unsigned flags = table->columns[table->shown[i]].flags;

        if (scols_line_set_data(line, i, cell->text) < 0)
            abort();
        if (color && (flags & TABLE_STATE) && state_color(cell->text))
            scols_cell_set_color(scols_line_get_cell(line, i), state_color(cell->text));
    }
}

/* Prints the titles, since libsmartcols prints nothing for an empty table. */
static void print_titles(const struct table *table, FILE *out)
{
    for (size_t i = 0; i < table->shown_count; i++)
        fprintf(out, "%s%s", i ? "  " : "", table->columns[table->shown[i]].title);
    fputc('\n', out);
}

void table_print(struct table *table, const struct table_style *style, FILE *out)
{
    struct libscols_table *layout = scols_new_table();

    if (!layout)
        abort();
    if (style->width)
        fit(table, style->width, style->header);
    scols_table_set_stream(layout, out);
    scols_table_set_column_separator(layout, "  ");
    scols_table_enable_noheadings(layout, !style->header);
    scols_table_enable_colors(layout, style->color);
    scols_table_enable_minout(layout, 1);
    scols_table_set_termforce(layout, SCOLS_TERMFORCE_NEVER);
    for (size_t i = 0; i < table->shown_count; i++) {
        const struct table_column *column = &table->columns[table->shown[i]];

        /* (A title that is not printed has a width in util-linux 2.38, and none in 2.41.) */
        if (!scols_table_new_column(layout, style->header ? column->title : "", 0,
                                    column->flags & TABLE_RIGHT ? SCOLS_FL_RIGHT : 0))
            abort();
    }
    for (size_t i = 0; i < table->row_count; i++)
        print_row(table, layout, &table->rows[i], style->color);
    if (table->row_count)
        scols_print_table(layout);
    else if (style->header)
        print_titles(table, out);
    scols_unref_table(layout);
}

static void print_csv_text(const char *text, FILE *out)
{
    if (!strpbrk(text, "\",\n\r")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void table_print_csv(struct table *table, bool header, FILE *out)
{
    for (size_t i = 0; header && i < table->shown_count; i++) {
        fputs(i ? "," : "", out);
        print_csv_text(table->columns[table->shown[i]].key, out);
    }
    if (header)
        fputs("\r\n", out);
    for (size_t k = 0; k < table->row_count; k++) {
        for (size_t i = 0; i < table->shown_count; i++) {
            fputs(i ? "," : "", out);
            print_csv_text(table->rows[k].cells[table->shown[i]].text, out);
        }
        fputs("\r\n", out);
    }
}
