/* SPDX-License-Identifier: Apache-2.0 */
/* format.c - numbers, times, amounts and columns as YARN's commands print them */
#include "client/yarn/format.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* --- numbers --------------------------------------------------------------- */

/* Removes the zero before the point, if there are decimals after it. */
static void drop_leading_zero(char *text)
{
    char *digit = text[0] == '-' ? text + 1 : text;

    if (digit[0] == '0' && digit[1] == '.')
        memmove(digit, digit + 1, strlen(digit));
}

const char *format_progress(double fraction, char text[FORMAT_MAX])
{
    size_t length;

    snprintf(text, FORMAT_MAX - 1, "%.2f", fraction * 100);
    length = strlen(text);
    while (text[length - 1] == '0')
        length--;
    if (text[length - 1] == '.')
        length--;
    snprintf(text + length, FORMAT_MAX - length, "%%");
    drop_leading_zero(text);
    return text;
}

const char *format_decimal(double number, char text[FORMAT_MAX])
{
    snprintf(text, FORMAT_MAX, "%.2f", number);
    drop_leading_zero(text);
    return text;
}

/* --- times ----------------------------------------------------------------- */

static struct tm local_parts(int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts = { 0 };

    localtime_r(&seconds, &parts);
    return parts;
}

const char *format_date(int64_t ms, char text[FORMAT_MAX])
{
    struct tm parts = local_parts(ms);

    if (ms <= 0 || strftime(text, FORMAT_MAX, "%a %b %d %H:%M:%S %z %Y", &parts) == 0)
        snprintf(text, FORMAT_MAX, "N/A");
    return text;
}

const char *format_iso(int64_t ms, char text[FORMAT_MAX])
{
    struct tm parts = local_parts(ms);
    size_t at = strftime(text, FORMAT_MAX - 16, "%Y-%m-%dT%H:%M:%S", &parts);

    at += (size_t)snprintf(text + at, 8, ".%03d", (int)(ms % 1000));
    text[at + strftime(text + at, FORMAT_MAX - at, "%z", &parts)] = '\0';
    return text;
}

const char *format_health_date(int64_t ms, char text[FORMAT_MAX])
{
    struct tm parts = local_parts(ms);
    size_t at = strftime(text, FORMAT_MAX - 32, "%a %d/%b/", &parts);

    at += (size_t)snprintf(text + at, 8, "%02d", parts.tm_year % 100);
    at += strftime(text + at, FORMAT_MAX - at - 8, " %I:%M:%S", &parts);
    at += (size_t)snprintf(text + at, 8, ":%02d", (int)(ms % 1000));
    text[at + strftime(text + at, FORMAT_MAX - at, "%Z", &parts)] = '\0';
    return text;
}

/* --- amounts ---------------------------------------------------------------- */

const char *format_amounts(const struct creel_resource *amounts, char text[FORMAT_AMOUNTS_MAX])
{
    size_t at = (size_t)snprintf(text, FORMAT_AMOUNTS_MAX, "<memory:%" PRId64 ", vCores:%" PRId64,
                                 amounts->memory_mb, amounts->vcores);

    for (size_t i = 0; i < amounts->other_count && at < FORMAT_AMOUNTS_MAX - 2; i++)
        at += (size_t)snprintf(text + at, FORMAT_AMOUNTS_MAX - at, ", %s: %" PRId64 "%s",
                               amounts->others[i].name, amounts->others[i].amount, amounts->others[i].unit);
    if (at > FORMAT_AMOUNTS_MAX - 2)
        at = FORMAT_AMOUNTS_MAX - 2;
    snprintf(text + at, FORMAT_AMOUNTS_MAX - at, ">");
    return text;
}

/* --- columns ----------------------------------------------------------------- */

/* Returns the number of characters of TEXT: of its bytes, UTF-8 continuation bytes do not count. */
static int characters(const char *text)
{
    int count = 0;

    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void print_cell(FILE *out, int width, const char *text)
{
    fprintf(out, "%*s", width > characters(text) ? width - characters(text) : 0, "");
    for (; *text != '\0'; text++)
        fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, out);
}

void format_row(FILE *out, const int *widths, size_t count, const char *const *cells)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            fputc('\t', out);
        print_cell(out, widths[i], cells[i]);
    }
    fputc('\n', out);
}
