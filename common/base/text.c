/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - numbers, sizes and durations out of text, strictly */
#include "common/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
    const char *name;
    double factor;
};

static const struct unit size_units[] = {
    { "b", 1 }, { "k", 0x1p10 }, { "m", 0x1p20 }, { "g", 0x1p30 }, { "t", 0x1p40 }, { "p", 0x1p50 },
};

static const struct unit time_units_ms[] = {
    { "ns", 1e-6 }, { "us", 1e-3 }, { "ms", 1 }, { "s", 1e3 },
    { "m", 6e4 }, { "h", 3.6e6 }, { "d", 8.64e7 },
};

bool text_parse_int64(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+');
    int base = 10;
    uint64_t magnitude;
    char *end;

    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
        base = 16;
        digits += 2;
    }
    if (!isxdigit((unsigned char)*digits))
        return false;
    errno = 0;
    magnitude = strtoull(digits, &end, base);
    if (errno != 0 || *end != '\0' || end == digits)
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool text_parse_double(const char *text, double *value)
{
    double number;
    char *end;

    if (!isdigit((unsigned char)*text) && *text != '-' && *text != '+' && *text != '.')
        return false;
    number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number))
        return false;
    *value = number;
    return true;
}

/* Split "1.5 GiB" into 1.5 and a unit's text; false without a leading number. */
static bool split_number(const char *text, double *number, const char **unit)
{
    char *end;

    if (!isdigit((unsigned char)*text) && *text != '-' && *text != '.')
        return false;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return false;           /* strtod would take it for a float */
    *number = strtod(text, &end);
    if (end == text || !isfinite(*number))
        return false;
    while (*end == ' ')
        end++;
    *unit = end;
    return true;
}

/* VALUE times FACTOR as an integer, exactly where both are integers. */
static bool scale(double value, double factor, int64_t *result)
{
    double product = value * factor;

    if (!(product > -9.2e18 && product < 9.2e18))
        return false;
    *result = (int64_t)product;
    return true;
}

bool text_parse_size_bytes(const char *text, int64_t default_unit_bytes, int64_t *bytes)
{
    const char *unit;
    double number;
    int64_t whole;

    if (text_parse_int64(text, &whole))
        return !__builtin_mul_overflow(whole, default_unit_bytes, bytes);
    if (!split_number(text, &number, &unit))
        return false;
    if (*unit == '\0')
        return scale(number, (double)default_unit_bytes, bytes);
    for (size_t i = 0; i < sizeof(size_units) / sizeof(size_units[0]); i++) {
        const char *rest = unit + 1;

        if (tolower((unsigned char)*unit) != size_units[i].name[0])
            continue;
        if (i > 0 && strcasecmp(rest, "") != 0 && strcasecmp(rest, "b") != 0 &&
            strcasecmp(rest, "ib") != 0)
            return false;
        if (i == 0 && *rest != '\0')
            return false;
        return scale(number, size_units[i].factor, bytes);
    }
    return false;
}

bool text_parse_duration_ms(const char *text, int64_t default_unit_ms, int64_t *ms)
{
    const char *unit;
    double number;
    int64_t whole;

    if (text_parse_int64(text, &whole))
        return !__builtin_mul_overflow(whole, default_unit_ms, ms);
    if (!split_number(text, &number, &unit))
        return false;
    for (size_t i = 0; i < sizeof(time_units_ms) / sizeof(time_units_ms[0]); i++)
        if (strcasecmp(unit, time_units_ms[i].name) == 0)
            return scale(number, time_units_ms[i].factor, ms);
    return false;
}

char *text_trim(char *text)
{
    size_t length;

    while (isspace((unsigned char)*text))
        text++;
    length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

bool text_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool text_has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_has_suffix(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);

    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

const char *text_format_mb(int64_t mb, char text[TEXT_SIZE_MAX])
{
    static const char letters[] = "MGTPE";
    double value = (double)mb;
    size_t i = 0;

    while (value >= 1024 && i + 1 < sizeof(letters) - 1) {
        value /= 1024;
        i++;
    }
    if (mb == 0)
        snprintf(text, TEXT_SIZE_MAX, "0");
    else if (i == 0)
        snprintf(text, TEXT_SIZE_MAX, "%" PRId64 "M", mb);
    else
        snprintf(text, TEXT_SIZE_MAX, "%.1f%c", value, letters[i]);
    return text;
}

const char *text_format_elapsed_ms(int64_t ms, char text[TEXT_SIZE_MAX])
{
    int64_t seconds = ms < 0 ? 0 : ms / 1000;
    int64_t days = seconds / 86400, hours = seconds / 3600 % 24;

    if (days > 0)
        snprintf(text, TEXT_SIZE_MAX, "%dd%02dh", (int)(days % 100000), (int)hours);
    else if (hours > 0)
        snprintf(text, TEXT_SIZE_MAX, "%02d:%02d:%02d", (int)hours, (int)(seconds / 60 % 60),
                 (int)(seconds % 60));
    else
        snprintf(text, TEXT_SIZE_MAX, "%02d:%02d", (int)(seconds / 60), (int)(seconds % 60));
    return text;
}
