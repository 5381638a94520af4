/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - strict parsers of numbers, sizes, durations and times; helpers for text */
#include "common/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <strings.h>

#define FRACTION_DIGITS_MAX 9

/* One UNIT is FACTOR / DIVISOR of the caller's unit. */
struct unit {
    const char *name;
    int64_t factor;
    int64_t divisor;
};

static const struct unit size_units[] = {
    { "b", 1, 1 },
    { "k", INT64_C(1) << 10, 1 },
    { "m", INT64_C(1) << 20, 1 },
    { "g", INT64_C(1) << 30, 1 },
    { "t", INT64_C(1) << 40, 1 },
    { "p", INT64_C(1) << 50, 1 },
};

static const struct unit time_units_ms[] = {
    { "ns", 1, 1000000 }, { "us", 1, 1000 },   { "ms", 1, 1 },       { "s", 1000, 1 },
    { "m", 60000, 1 },    { "h", 3600000, 1 }, { "d", 86400000, 1 },
};

/* The number before a unit: sign, and WHOLE + FRACTION / 10^9. */
struct decimal {
    bool negative;
    int64_t whole;
    int64_t fraction;
};

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

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
    /* strtoull would accept blanks, a sign and a (second) 0x. */
    if (!isxdigit((unsigned char)*digits) || digits[1] == 'x' || digits[1] == 'X')
        return false;
    errno = 0;
    magnitude = strtoull(digits, &end, base);
    if (errno != 0 || *end != '\0' || end == digits)
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

bool text_parse_double(const char *text, double *value)
{
    /* Use the C locale's decimal point, whatever the program's locale. glibc returns a constant for this
     * locale, which need not be freed. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", NULL);
    double number;
    char *end;

    if (text[strspn(text, "+-.0123456789eE")] != '\0')
        return false; /* strtod would accept blanks, hex, inf and nan */
    number = strtod_l(text, &end, c_locale);
    if (end == text || *end != '\0' || !isfinite(number))
        return false;
    *value = number;
    return true;
}

/* Splits "1.5 GiB" into a number and the unit's text. Returns false if there is no number. */
static bool split_number(const char *text, struct decimal *number, const char **unit)
{
    int64_t place = 100000000;
    bool any = false;

    *number = (struct decimal){ .negative = *text == '-' };
    text += *text == '-' || *text == '+';
    for (; is_digit(*text); text++) {
        any = true;
        if (__builtin_mul_overflow(number->whole, 10, &number->whole) ||
            __builtin_add_overflow(number->whole, *text - '0', &number->whole))
            return false;
    }
    if (*text == '.')
        text++;
    else
        place = -1;
    for (; place >= 0 && is_digit(*text); text++) { /* digits after the ninth are ignored */
        any = true;
        number->fraction += place * (*text - '0');
        place /= 10;
    }
    *unit = text + strspn(text, " ");
    return any;
}

/* Computes A * B. Returns false on overflow, and leaves *PRODUCT untouched. */
static bool multiply(int64_t a, int64_t b, int64_t *product)
{
    int64_t result;

    if (__builtin_mul_overflow(a, b, &result))
        return false;
    *product = result;
    return true;
}

/* Converts NUMBER of UNIT, rounded towards zero. Returns false on overflow. */
static bool scale(const struct decimal *number, const struct unit *unit, int64_t *result)
{
    __int128 value =
        (__int128)number->whole * unit->factor + (__int128)number->fraction * unit->factor / 1000000000;

    value /= unit->divisor;
    if (value > INT64_MAX)
        return false;
    *result = (int64_t)(number->negative ? -value : value);
    return true;
}

/* Returns true if REST, the text after the letter of a size, is "", "b" or "ib". */
static bool size_unit_ends(const char *rest, bool bytes)
{
    return *rest == '\0' || (!bytes && (strcasecmp(rest, "b") == 0 || strcasecmp(rest, "ib") == 0));
}

bool text_parse_size_bytes(const char *text, int64_t default_unit_bytes, int64_t *bytes)
{
    struct unit bare = { "", default_unit_bytes, 1 };
    struct decimal number;
    const char *unit;
    int64_t whole;

    if (text_parse_int64(text, &whole))
        return multiply(whole, default_unit_bytes, bytes);
    if (!split_number(text, &number, &unit))
        return false;
    if (*unit == '\0')
        return unit[-1] != ' ' && scale(&number, &bare, bytes);
    for (size_t i = 0; i < sizeof(size_units) / sizeof(size_units[0]); i++)
        if (strncasecmp(unit, size_units[i].name, 1) == 0)
            return size_unit_ends(unit + 1, i == 0) && scale(&number, &size_units[i], bytes);
    return false;
}

bool text_parse_duration_ms(const char *text, int64_t default_unit_ms, int64_t *ms)
{
    struct unit bare = { "", default_unit_ms, 1 };
    struct decimal number;
    const char *unit;
    int64_t whole;

    if (text_parse_int64(text, &whole))
        return multiply(whole, default_unit_ms, ms);
    if (!split_number(text, &number, &unit))
        return false;
    if (*unit == '\0')
        return unit[-1] != ' ' && scale(&number, &bare, ms);
    for (size_t i = 0; i < sizeof(time_units_ms) / sizeof(time_units_ms[0]); i++)
        if (strcasecmp(unit, time_units_ms[i].name) == 0)
            return scale(&number, &time_units_ms[i], ms);
    return false;
}

/* Reads one part of a time, at most 9 digits, and advances *TEXT to the character after it. */
static bool read_part(const char **text, int64_t *value)
{
    size_t digits = 0;

    for (*value = 0; is_digit(**text); ++*text, digits++)
        *value = digits < 9 ? *value * 10 + (**text - '0') : 0;
    return digits > 0 && digits <= 9;
}

bool text_parse_time_ms(const char *text, int64_t default_unit_ms, int64_t *ms)
{
    int64_t days = 0, part[3] = { 0, 0, 0 }, seconds;
    const char *at = text;
    bool has_days = false;
    size_t count = 0;

    if (!read_part(&at, &part[0]) || (*at != ':' && *at != '-'))
        return text_parse_duration_ms(text, default_unit_ms, ms);
    if (*at == '-') {
        has_days = true;
        days = part[0];
        at++;
        if (!read_part(&at, &part[0]))
            return false;
    }
    for (count = 1; *at == ':' && count < 3; count++) {
        at++;
        if (!read_part(&at, &part[count]) || part[count] >= 60)
            return false;
    }
    if (*at != '\0' || (has_days && part[0] >= 24))
        return false;
    if (has_days || count == 3)
        seconds = days * 86400 + part[0] * 3600 + part[1] * 60 + part[2];
    else
        seconds = part[0] * 60 + part[1];
    *ms = seconds * 1000;
    return true;
}

bool text_parse_on_disconnect(const char *text, int64_t *stop_after_ms)
{
    static const char stop[] = "stop-after";
    size_t length = sizeof(stop) - 1;

    *stop_after_ms = 0;
    if (strcasecmp(text, "keep") == 0)
        return true;
    if (strncasecmp(text, stop, length) != 0 || (text[length] != ' ' && text[length] != '='))
        return false;
    text += length + 1;
    return text_parse_duration_ms(text + strspn(text, " "), 1000, stop_after_ms) && *stop_after_ms >= 1000 &&
           *stop_after_ms <= TEXT_STOP_AFTER_MAX_MS;
}

bool text_parse_signal(const char *text, int *number)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {
        { "HUP", SIGHUP },   { "INT", SIGINT },     { "QUIT", SIGQUIT }, { "USR1", SIGUSR1 },
        { "USR2", SIGUSR2 }, { "ALRM", SIGALRM },   { "TERM", SIGTERM }, { "CONT", SIGCONT },
        { "URG", SIGURG },   { "WINCH", SIGWINCH },
    };

    if (strncasecmp(text, "SIG", 3) == 0)
        text += 3;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (strcasecmp(text, signals[i].name) == 0) {
            *number = signals[i].number;
            return true;
        }
    return false;
}

char *text_fold(char *text)
{
    for (char *at = text; *at != '\0'; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
    return text;
}

char *text_trim(char *text)
{
    size_t length;

    while (is_blank(*text))
        text++;
    length = strlen(text);
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

char *text_next_word(char **rest)
{
    char *word;

    while ((word = strsep(rest, ",")) != NULL) {
        word = text_trim(word);
        if (*word != '\0')
            return word;
    }
    return NULL;
}

bool text_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

uint32_t text_hash(const char *text)
{
    uint32_t hash = 2166136261U;

    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * 16777619U;
    return hash;
}

bool text_skip_word(const char **text, const char *word)
{
    size_t length = strlen(word);

    if (strncasecmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
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

static bool is_printable(const char *text)
{
    while (*text > ' ' && *text < 0x7f)
        text++;
    return *text == '\0';
}

bool text_is_rack(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    const char *end = text;

    while (*end == '/') {
        size_t length = strspn(end + 1, letters);

        if (length == 0)
            return false;
        end += 1 + length;
    }
    return *end == '\0' && end != text && end - text <= TEXT_RACK_MAX;
}

bool text_is_label(const char *text)
{
    return *text != '\0' && *text != '-' && *text != '_' && strlen(text) <= TEXT_LABEL_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == strlen(text);
}

bool text_is_web_address(const char *text)
{
    return (strncasecmp(text, "http://", 7) == 0 || strncasecmp(text, "https://", 8) == 0) &&
           is_printable(text);
}

/* Computed with integers: a locale's decimal comma would break programs that parse tables, and 1023.99G must
 * become 1.0T. */
const char *text_format_mb(int64_t mb, char text[TEXT_SIZE_MAX])
{
    static const char letters[] = "MGTPE";
    uint64_t magnitude = mb < 0 ? 0 - (uint64_t)mb : (uint64_t)mb;
    uint64_t tenths = 0, unit = 1;
    size_t i = 0;

    while (i + 1 < sizeof(letters) - 1 && magnitude >= 1024 && (i == 0 || tenths >= 10240)) {
        i++;
        unit *= 1024;
        tenths = (uint64_t)(((unsigned __int128)magnitude * 10 + unit / 2) / unit);
    }
    if (mb == 0)
        snprintf(text, TEXT_SIZE_MAX, "0");
    else if (i == 0)
        snprintf(text, TEXT_SIZE_MAX, "%s%" PRIu64 "M", mb < 0 ? "-" : "", magnitude);
    else
        snprintf(text, TEXT_SIZE_MAX, "%s%" PRIu64 ".%" PRIu64 "%c", mb < 0 ? "-" : "", tenths / 10,
                 tenths % 10, letters[i]);
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

const char *text_format_utc(int64_t ms, char text[TEXT_SIZE_MAX])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;

    if (gmtime_r(&seconds, &parts) == NULL ||
        strftime(text, TEXT_SIZE_MAX, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        text[0] = '\0';
    return text;
}

const char *text_format_duration_ms(int64_t ms, char text[TEXT_SIZE_MAX])
{
    int64_t seconds = ms < 0 ? 0 : ms / 1000;

    if (seconds < 60)
        snprintf(text, TEXT_SIZE_MAX, "%ds", (int)seconds);
    else if (seconds < 3600)
        snprintf(text, TEXT_SIZE_MAX, "%dm", (int)(seconds / 60));
    else if (seconds < 86400)
        snprintf(text, TEXT_SIZE_MAX, "%dh%02dm", (int)(seconds / 3600), (int)(seconds / 60 % 60));
    else
        snprintf(text, TEXT_SIZE_MAX, "%lldd%02dh", (long long)seconds / 86400, (int)(seconds / 3600 % 24));
    return text;
}
