/* SPDX-License-Identifier: Apache-2.0 */
/* moment.c - parses a point in time, for the options --begin, --deadline, --since and --until */
#include "client/cli/frame/moment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "common/base/mem.h"
#include "common/base/text.h"

/* Reads the two digits at *TEXT, which are at most MOST, and moves behind them. */
static bool parse_two_digits(const char **text, int most, int *value)
{
    const char *at = *text;

    if (at[0] < '0' || at[0] > '9' || at[1] < '0' || at[1] > '9')
        return false;
    *value = (at[0] - '0') * 10 + (at[1] - '0');
    *text += 2;
    return *value <= most;
}

static bool skip_char(const char **text, char expected)
{
    if (**text != expected)
        return false;
    (*text)++;
    return true;
}

/* Slurm's words for times of day. */
static bool parse_clock_word(const char **text, struct tm *parts)
{
    static const struct {
        const char *word;
        int hour;
    } words[] = { { "midnight", 0 }, { "noon", 12 }, { "fika", 15 }, { "teatime", 16 } };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!text_skip_word(text, words[i].word))
            continue;
        parts->tm_hour = words[i].hour;
        parts->tm_min = parts->tm_sec = 0;
        return true;
    }
    return false;
}

/* Reads "am" or "pm", if it is there, for an HOUR from 1 to 12. */
static bool parse_half_day(const char **text, int *hour)
{
    const char *at = *text + (**text == ' ');
    bool after_noon = text_skip_word(&at, "pm");

    if (!after_noon && !text_skip_word(&at, "am"))
        return true;
    *text = at;
    if (*hour < 1 || *hour > 12)
        return false;
    *hour = *hour % 12 + (after_noon ? 12 : 0);
    return true;
}

/* Reads the fraction of a second at *TEXT: ".5", ".000". */
static bool parse_fraction(const char **text, int *ms)
{
    size_t digits;

    if (!skip_char(text, '.'))
        return false;
    digits = strspn(*text, "0123456789");
    *ms = 0;
    for (size_t i = 0; i < 3; i++)
        *ms = *ms * 10 + (i < digits ? (*text)[i] - '0' : 0);
    *text += digits;
    return digits > 0;
}

/* "08:00", "08:00:30", "8:00", "8:00pm", "noon". FRACTION_MS is set by "08:00:30.5"; NULL: no fraction may
 * follow. */
static bool parse_clock(const char **text, struct tm *parts, int *fraction_ms)
{
    char padded[16];
    const char *at = *text;
    size_t length = strspn(at, "0123456789:");
    bool has_seconds;

    if (parse_clock_word(text, parts))
        return true;
    if (length >= sizeof(padded) - 1)
        return false;
    snprintf(padded, sizeof(padded), "%s%.*s", at[0] && at[1] == ':' ? "0" : "", (int)length, at);
    at = padded;
    parts->tm_sec = 0;
    if (!parse_two_digits(&at, 23, &parts->tm_hour) || !skip_char(&at, ':') ||
        !parse_two_digits(&at, 59, &parts->tm_min))
        return false;
    has_seconds = skip_char(&at, ':');
    if ((has_seconds && !parse_two_digits(&at, 59, &parts->tm_sec)) || *at)
        return false;
    *text += length;
    if (has_seconds && fraction_ms && **text == '.')
        return parse_fraction(text, fraction_ms);
    return parse_half_day(text, &parts->tm_hour);
}

static bool parse_date(const char **text, struct tm *parts)
{
    int century, year;

    if (!parse_two_digits(text, 99, &century) || !parse_two_digits(text, 99, &year) ||
        !skip_char(text, '-') || !parse_two_digits(text, 12, &parts->tm_mon) || !skip_char(text, '-') ||
        !parse_two_digits(text, 31, &parts->tm_mday))
        return false;
    parts->tm_year = century * 100 + year - 1900;
    parts->tm_mon--;
    return parts->tm_mon >= 0 && parts->tm_mday >= 1;
}

/* Returns Unix time; -1: PARTS is not a valid date (2027-02-30). */
static time_t moment_of(const struct tm *parts, bool utc)
{
    struct tm copy = *parts;
    time_t seconds;

    copy.tm_isdst = -1;
    seconds = utc ? timegm(&copy) : mktime(&copy);
    return copy.tm_mday == parts->tm_mday && copy.tm_mon == parts->tm_mon ? seconds : (time_t)-1;
}

/* Reads a time of day, and sets RET to its first occurrence after AFTER on the day of NOW or the next one. */
static bool read_clock(const char *text, const struct tm *now, time_t after, time_t *ret)
{
    struct tm parts = *now;

    if (!parse_clock(&text, &parts, NULL) || *text)
        return false;
    for (int day = 0; day < 2; day++) {
        struct tm copy = parts;

        copy.tm_mday += day; /* mktime makes the next month of it where it has to */
        copy.tm_isdst = -1;
        *ret = mktime(&copy);
        if (*ret > after)
            break;
    }
    return true;
}

/* Reads the zone of RFC 3339 at *TEXT, if it is there: "Z", "+01:00". ZONE_S is in seconds east of UTC. */
static bool parse_zone(const char **text, bool *found, long *zone_s)
{
    int hours, minutes;
    bool west = **text == '-';

    *zone_s = 0;
    *found = skip_char(text, 'Z') || skip_char(text, 'z');
    if (*found || (**text != '+' && !west))
        return true;
    ++*text;
    if (!parse_two_digits(text, 23, &hours) || !skip_char(text, ':') || !parse_two_digits(text, 59, &minutes))
        return false;
    *zone_s = (hours * 3600L + minutes * 60L) * (west ? -1 : 1);
    *found = true;
    return true;
}

static bool read_day(const char *text, const struct tm *now, int64_t *ret_ms)
{
    struct tm parts = *now;
    bool has_clock, has_zone;
    int fraction_ms = 0;
    time_t seconds;
    long zone_s;

    if (text_skip_word(&text, "tomorrow")) {
        parts.tm_mday++;
        parts.tm_hour = 12;
        parts.tm_isdst = -1;
        (void)mktime(&parts);
    } else if (!text_skip_word(&text, "today") && !parse_date(&text, &parts)) {
        return false;
    }
    parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
    has_clock = skip_char(&text, 'T') || skip_char(&text, 't') || skip_char(&text, ' ');
    if ((has_clock && !parse_clock(&text, &parts, &fraction_ms)) || !parse_zone(&text, &has_zone, &zone_s) ||
        *text)
        return false;
    seconds = moment_of(&parts, has_zone);
    if (seconds == (time_t)-1 || (zone_s && !has_clock))
        return false;
    *ret_ms = (int64_t)(seconds - zone_s) * 1000 + fraction_ms;
    return true;
}

/* Reads "90", "2h", or in Slurm's words "1hour", "3days". */
static bool read_distance(const char *text, int64_t *ms)
{
    static const struct {
        const char *word;
        int64_t ms;
    } units[] = {
        { "second", 1000 },  { "minute", 60000 },   { "hour", 3600000 },
        { "day", 86400000 }, { "week", 604800000 },
    };
    long long count;
    int digits = 0;

    if (sscanf(text, "%9lld%n", &count, &digits) == 1) {
        for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
            const char *end = text + digits;

            if (!text_skip_word(&end, units[i].word) || (*end && strcmp(end, "s") != 0))
                continue;
            *ms = count * units[i].ms;
            return true;
        }
    }
    return text_parse_duration_ms(text, 1000, ms);
}

static bool read_past(const char *text, int64_t now_ms, int64_t *ret_ms)
{
    time_t now_seconds = (time_t)(now_ms / 1000), seconds;
    struct tm now, before;
    const char *rest = text;
    bool from_now = text_skip_word(&rest, "now-");
    int64_t ms;

    if (read_distance(rest, &ms) && ms >= 0) {
        *ret_ms = ms < now_ms ? now_ms - ms : 0;
        return true;
    }
    if (from_now || !localtime_r(&now_seconds, &now))
        return false;
    before = now;
    before.tm_mday--;
    before.tm_hour = 12;
    before.tm_isdst = -1;
    (void)mktime(&before);
    if (text_skip_word(&rest, "yesterday")) {
        scoped_free char *day = mem_printf("today%s", rest);

        return read_day(day, &before, ret_ms);
    }
    if (!read_clock(text, &now, 0, &seconds))
        return read_day(text, &now, ret_ms);
    if (seconds > now_seconds) /* of yesterday */
        (void)read_clock(text, &before, 0, &seconds);
    *ret_ms = (int64_t)seconds * 1000;
    return true;
}

/* Reads a moment without a distance. */
static bool read_base(const char *text, int64_t now_ms, int64_t *ret_ms)
{
    time_t now_seconds = (time_t)(now_ms / 1000), seconds;
    struct tm now;

    if (!strcasecmp(text, "now")) {
        *ret_ms = now_ms;
        return true;
    }
    if (!localtime_r(&now_seconds, &now))
        return false;
    if (!read_clock(text, &now, now_seconds, &seconds))
        return read_day(text, &now, ret_ms);
    *ret_ms = (int64_t)seconds * 1000;
    return true;
}

static bool read_moment(const char *text, int64_t now_ms, int64_t *ret_ms)
{
    const char *plus = strchr(text, '+');
    scoped_free char *base = NULL;
    int64_t ms;

    if (!plus)
        return read_base(text, now_ms, ret_ms);
    /* A distance follows words only: behind a date and a time it is a zone, and 08:00+01:00 is neither. */
    if (strcspn(text, "0123456789") < (size_t)(plus - text))
        return strchr(text, '-') && read_base(text, now_ms, ret_ms);
    base = mem_strndup(text, (size_t)(plus - text));
    if (!read_base(base, now_ms, ret_ms) || !read_distance(plus + 1, &ms) || ms < 0 ||
        ms > INT64_MAX - *ret_ms)
        return false;
    *ret_ms += ms;
    return true;
}

int moment_parse(const char *option, const char *text, int64_t now_ms, int64_t *ret_ms, struct err *err)
{
    if (!read_moment(text, now_ms, ret_ms))
        return err_set(err, EINVAL,
                       "--%s %s: expected a time, as 16:00, noon, now+2h, tomorrow, 2027-01-20 or "
                       "2027-01-20T08:00",
                       option, text);
    if (*ret_ms < now_ms && !strcasecmp(text, "today"))
        return err_set(err, EINVAL,
                       "--%s %s: has passed, at 00:00; expected a time of day, too, as today 18:00", option,
                       text);
    if (*ret_ms < now_ms)
        return err_set(err, EINVAL, "--%s %s: has passed", option, text);
    return 0;
}

int moment_parse_past(const char *option, const char *text, int64_t now_ms, int64_t *ret_ms, struct err *err)
{
    if (!strcmp(text, "now"))
        *ret_ms = now_ms;
    else if (!read_past(text, now_ms, ret_ms))
        return err_set(err, EINVAL,
                       "--%s %s: expected a time, as 2h (ago), 08:00, yesterday, 2027-01-20 or "
                       "2027-01-20T08:00",
                       option, text);
    return 0;
}
