/* SPDX-License-Identifier: Apache-2.0 */
/* format.c - rows by the formats of Slurm's commands */
#include "client/slurm-client/format.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_WIDTH 20 /* of a field of -O */
#define WIDTH_MAX 10000

/* --- fields --------------------------------------------------------------------------- */

static bool is_end(const struct field *field)
{
    return !field->letter && !field->name;
}

static const struct field *find_letter(const struct field *table, char letter)
{
    for (; !is_end(table); table++)
        if (table->letter == letter)
            return table;
    return NULL;
}

static const struct field *find_name(const struct field *table, const char *name, size_t length)
{
    for (; !is_end(table); table++)
        if (table->name && strlen(table->name) == length && !strncasecmp(table->name, name, length))
            return table;
    return NULL;
}

/* Returns the field whose name begins with NAME; NULL: there is none, or several. */
static const struct field *find_prefix(const struct field *table, const char *name, size_t length)
{
    const struct field *found = NULL;

    for (; !is_end(table); table++) {
        if (!table->name || strncasecmp(table->name, name, length) != 0)
            continue;
        if (found)
            return NULL;
        found = table;
    }
    return found;
}

static const char *header_of(const struct field *field)
{
    return field->header ? field->header : field->name;
}

/* Reads the digits at *AT, which advances behind them. */
static int read_width(const char **at)
{
    long width = 0;

    for (; isdigit((unsigned char)**at); ++*at)
        width = width < WIDTH_MAX ? width * 10 + (**at - '0') : WIDTH_MAX;
    return (int)(width < WIDTH_MAX ? width : WIDTH_MAX);
}

/* --- reading a format ------------------------------------------------------------------- */

static size_t count_fields(const struct field *table)
{
    size_t count = 0;

    while (!is_end(&table[count]))
        count++;
    return count;
}

/* Returns the letters of TABLE: "%i|%j". */
static const char *all_letters(const struct field *table, struct arena *arena)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);

    for (; !is_end(table); table++) {
        if (!table->letter)
            continue;
        text_builder_separate(&text, "|");
        text_builder_printf(&text, "%%%c", table->letter);
    }
    return text_builder_finish(&text);
}

/* Returns LIST with the names of TABLE, "JobID,State", instead of the word "all". */
static const char *with_all_names(const char *list, const struct field *table, struct arena *arena)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);
    char *rest = arena_strdup(arena, list);
    const char *word;

    while ((word = strsep(&rest, ",")) != NULL) {
        if (strcasecmp(word, "all") != 0) {
            text_builder_separate(&text, ",");
            text_builder_add(&text, word);
        }
        for (size_t i = 0; !strcasecmp(word, "all") && i < count_fields(table); i++) {
            if (!table[i].name)
                continue;
            text_builder_separate(&text, ",");
            text_builder_add(&text, table[i].name);
        }
    }
    return text_builder_finish(&text);
}

int format_read_letters(struct format *format, const char *text, const struct field *table,
                        struct arena *arena, struct err *err)
{
    const char *at = text = strcasecmp(text, "%all") ? text : all_letters(table, arena);

    *format = (struct format){ .columns = arena_array0(arena, strlen(text) + 1, sizeof(*format->columns)) };
    while (*at) {
        struct format_column *column = &format->columns[format->count++];
        size_t before = strcspn(at, "%");

        column->before = arena_printf(arena, "%.*s", (int)before, at);
        at += before;
        if (!*at)
            break;
        at++;
        column->to_right = *at == '.';
        at += column->to_right;
        column->width = read_width(&at);
        column->field = *at ? find_letter(table, *at) : NULL;
        if (!column->field)
            return err_set(err, EINVAL, "Invalid format specification: %%%.1s in \"%s\"", at, text);
        at++;
    }
    return 0;
}

int format_read_names(struct format *format, const char *text, const struct field *table, struct arena *arena,
                      struct err *err)
{
    const char *at = text = with_all_names(text, table, arena), *suffix = "";

    *format = (struct format){ .columns = arena_array0(arena, strlen(text) + 2, sizeof(*format->columns)) };
    for (; *at; at += *at == ',') {
        struct format_column *column = &format->columns[format->count];
        size_t length = strcspn(at, ":,");

        if (length == 0 && *at == ',')
            continue;
        *column = (struct format_column){ .field = find_name(table, at, length),
                                          .before = suffix,
                                          .width = NAME_WIDTH };
        if (!column->field)
            return err_set(err, EINVAL, "Invalid field requested: \"%.*s\"", (int)length, at);
        format->count++;
        at += length;
        suffix = "";
        if (*at != ':')
            continue;
        at++;
        column->to_right = *at == '.';
        at += column->to_right;
        column->width = read_width(&at);
        suffix = arena_printf(arena, "%.*s", (int)strcspn(at, ","), at);
        at += strcspn(at, ",");
    }
    if (*suffix)
        format->columns[format->count++] = (struct format_column){ .before = suffix };
    return format->count > 0 ? 0 : err_set(err, EINVAL, "there is no field in \"%s\"", text);
}

int format_read_accounting(struct format *format, const char *text, const struct field *table,
                           const char *separator, bool last, struct arena *arena, struct err *err)
{
    const char *at = text = with_all_names(text, table, arena);

    *format = (struct format){ .columns = arena_array0(arena, strlen(text) + 2, sizeof(*format->columns)),
                               .marks_cut = true };
    for (; *at; at += *at == ',') {
        struct format_column *column = &format->columns[format->count];
        size_t length = strcspn(at, "%,");

        if (length == 0 && *at == ',')
            continue;
        *column = (struct format_column){ .field = find_name(table, at, length) };
        if (!column->field)
            column->field = find_prefix(table, at, length);
        if (!column->field)
            return err_set(err, EINVAL, "Invalid field requested: \"%.*s\"", (int)length, at);
        at += length;
        column->before = format->count == 0 ? "" : separator ? separator : " ";
        column->width = separator ? 0 : abs(column->field->width);
        column->to_right = column->field->width > 0;
        format->count++;
        if (*at != '%')
            continue;
        at++;
        column->to_right = *at != '-';
        at += *at == '-';
        column->width = separator ? (read_width(&at), 0) : read_width(&at);
        at += strcspn(at, ",");
    }
    if (last || !separator)
        format->columns[format->count++] = (struct format_column){ .before = separator ? separator : " " };
    return format->count > 1 || !last ? 0 : err_set(err, EINVAL, "there is no field in \"%s\"", text);
}

bool format_has(const struct format *format, field_put *put)
{
    for (size_t i = 0; i < format->count; i++)
        if (format->columns[i].field && format->columns[i].field->put == put)
            return true;
    return false;
}

/* --- printing --------------------------------------------------------------------------- */

/* Returns the bytes of the first WIDTH characters of TEXT (UTF-8), and sets *COUNT to their number. */
static size_t cut(const char *text, int width, int *count)
{
    size_t length = 0;

    for (*count = 0; text[length]; ++*count) {
        if (*count == width)
            return length;
        length++;
        while ((text[length] & 0xc0) == 0x80)
            length++;
    }
    return length;
}

static void print_value(const struct format *format, const struct format_column *column, const char *value,
                        FILE *out)
{
    int count;
    size_t length = cut(value, column->width, &count);
    bool marked = format->marks_cut && value[length] != '\0';

    if (column->width == 0) {
        fputs(value, out);
        return;
    }
    if (marked)
        length = cut(value, column->width - 1, &count);
    count += marked;
    fprintf(out, "%*s", column->to_right ? column->width - count : 0, "");
    fwrite(value, 1, length, out);
    if (marked)
        fputc('+', out);
    fprintf(out, "%*s", column->to_right ? 0 : column->width - count, "");
}

static void print_row(const struct format *format, const void *item, FILE *out)
{
    scoped_text_builder struct text_builder text = TEXT_BUILDER_MALLOC;

    for (size_t i = 0; i < format->count; i++) {
        const struct format_column *column = &format->columns[i];

        fputs(column->before, out);
        if (!column->field)
            continue;
        text_builder_clear(&text);
        if (item)
            column->field->put(&text, item);
        print_value(format, column, item ? text_builder_text(&text) : header_of(column->field), out);
    }
    fputc('\n', out);
}

void format_print_header(const struct format *format, FILE *out)
{
    print_row(format, NULL, out);
}

void format_print_dashes(const struct format *format, FILE *out)
{
    for (size_t i = 0; i < format->count; i++) {
        fputs(format->columns[i].before, out);
        for (int k = 0; k < format->columns[i].width; k++)
            fputc('-', out);
    }
    fputc('\n', out);
}

void format_print_row(const struct format *format, const void *item, FILE *out)
{
    print_row(format, item, out);
}
