/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_moment.c - reads times and dates as sbatch of Slurm 22.05 does */
#include "client/script/slurm_moment.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "common/base/text.h"

#define DIGITS "0123456789"
#define DIGITS_MAX 9 /* of a number, so that sums fit */
#define PARTS_MAX 4

/* Reads a number of 1 to MOST digits at *TEXT, and moves behind it. */
static bool read_number(const char **text, size_t most, int64_t *number)
{
    size_t digits = strspn(*text, DIGITS);

    if (digits == 0 || digits > most)
        return false;
    *number = 0;
    for (size_t i = 0; i < digits; i++)
        *number = *number * 10 + ((*text)[i] - '0');
    *text += digits;
    return true;
}

/* --- limits ---------------------------------------------------------------- */

/* Reads NUMBER[:NUMBER...], at most MOST numbers; returns how many, 0: TEXT is none. */
static size_t read_parts(const char *text, size_t most, int64_t parts[PARTS_MAX])
{
    size_t count = 0;

    do {
        if (count == most || !read_number(&text, DIGITS_MAX, &parts[count]))
            return 0;
        count++;
    } while (text_skip_word(&text, ":"));
    return *text == '\0' ? count : 0;
}

static bool read_limit(const char *text, int64_t *seconds)
{
    int64_t parts[PARTS_MAX] = { 0 }, days = 0;
    const char *rest = text;
    size_t count;

    if (!strcmp(text, "-1") || !strcasecmp(text, "INFINITE") || !strcasecmp(text, "UNLIMITED")) {
        *seconds = SLURM_UNLIMITED;
        return true;
    }
    if (read_number(&rest, DIGITS_MAX, &days) && text_skip_word(&rest, "-")) {
        if (*rest != '\0' && read_parts(rest, 3, parts) == 0)
            return false;
        *seconds = days * 86400 + parts[0] * 3600 + parts[1] * 60 + parts[2];
        return true;
    }
    count = read_parts(text, 3, parts);
    *seconds = count == 3 ? parts[0] * 3600 + parts[1] * 60 + parts[2] : parts[0] * 60 + parts[1];
    return count > 0;
}

bool slurm_limit_read(const char *text, int64_t *seconds)
{
    bool is_read = read_limit(text, seconds);

    if (is_read && *seconds > SLURM_LIMIT_S_MAX)
        *seconds = SLURM_LIMIT_S_MAX;
    return is_read;
}

/* --- moments ---------------------------------------------------------------- */

#define UNSET (-1)

struct moment {
    const struct slurm_calendar *calendar;
    const struct tm *now;
    time_t now_seconds;
    int64_t year, month, day; /* month from 1; UNSET: not given */
    int64_t hour, minute, second;
};

static void set_date(struct moment *moment, const struct tm *day)
{
    moment->year = day->tm_year + 1900;
    moment->month = day->tm_mon + 1;
    moment->day = day->tm_mday;
}

static void set_clock(struct moment *moment, int64_t hour, int64_t minute, int64_t second)
{
    moment->hour = hour;
    moment->minute = minute;
    moment->second = second;
}

static bool set_seconds(struct moment *moment, int64_t seconds)
{
    time_t at = (time_t)seconds;
    struct tm parts;

    if (moment->calendar->local(&at, &parts) == NULL)
        return false;
    set_date(moment, &parts);
    set_clock(moment, parts.tm_hour, parts.tm_min, parts.tm_sec);
    return true;
}

/* Reads what is behind now: nothing, or +COUNT[UNIT]. */
static bool read_distance(const char **text, int64_t *distance)
{
    static const struct {
        const char *word;
        int64_t seconds;
    } units[] = {
        { "seconds", 1 }, { "second", 1 },   { "minutes", 60 }, { "minute", 60 },    { "hours", 3600 },
        { "hour", 3600 }, { "days", 86400 }, { "day", 86400 },  { "weeks", 604800 }, { "week", 604800 },
    };
    int64_t sign;

    *text += strspn(*text, " \t");
    *distance = 0;
    if (**text == '\0')
        return true;
    sign = **text == '-' ? -1 : 1;
    if (!text_skip_word(text, "+") && !text_skip_word(text, "-"))
        return false;
    *text += strspn(*text, " \t");
    if (!read_number(text, DIGITS_MAX, distance))
        return false;
    *distance *= sign;
    *text += strspn(*text, " \t");
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (!text_skip_word(text, units[i].word))
            continue;
        *distance *= units[i].seconds;
        break;
    }
    return **text == '\0';
}

static bool read_word(struct moment *moment, const char **text)
{
    static const struct {
        const char *word;
        int hour;
    } clocks[] = { { "midnight", 0 }, { "noon", 12 }, { "fika", 15 }, { "teatime", 16 } };
    struct tm tomorrow = *moment->now;

    for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
        if (text_skip_word(text, clocks[i].word)) {
            set_clock(moment, clocks[i].hour, 0, 0);
            return true;
        }
    if (text_skip_word(text, "today")) {
        set_date(moment, moment->now);
        return true;
    }
    if (!text_skip_word(text, "tomorrow"))
        return false;
    tomorrow.tm_mday++;
    tomorrow.tm_hour = 12;
    tomorrow.tm_isdst = -1;
    (void)moment->calendar->seconds(&tomorrow);
    set_date(moment, &tomorrow);
    return true;
}

/* H:MM[:SS][ AM|PM] */
static bool read_clock(struct moment *moment, const char **text)
{
    int64_t hour, minute, second = 0;
    const char *at;

    if (!read_number(text, 2, &hour) || hour > 23 || !text_skip_word(text, ":") ||
        !read_number(text, 2, &minute) || minute > 59)
        return false;
    if (text_skip_word(text, ":") && (!read_number(text, 2, &second) || second > 59))
        return false;
    at = *text + strspn(*text, " \t");
    if (text_skip_word(&at, "PM"))
        hour += hour < 12 ? 12 : 0;
    else if (text_skip_word(&at, "AM"))
        hour = hour == 12 ? 0 : hour;
    else
        at = *text;
    *text = at;
    set_clock(moment, hour, minute, second);
    return true;
}

static bool is_date(const struct moment *moment)
{
    return moment->month >= 1 && moment->month <= 12 && moment->day >= 1 && moment->day <= 31;
}

/* YYYY-MM-DD */
static bool read_year_first(struct moment *moment, const char **text)
{
    return read_number(text, 4, &moment->year) && text_skip_word(text, "-") &&
           read_number(text, 2, &moment->month) && text_skip_word(text, "-") &&
           read_number(text, 2, &moment->day) && is_date(moment);
}

/* Two digits, of more. */
static bool read_pair(const char **text, int64_t *number)
{
    if (strspn(*text, DIGITS) < 2)
        return false;
    *number = ((*text)[0] - '0') * 10 + ((*text)[1] - '0');
    *text += 2;
    return true;
}

/* MMDD, MMDDYY */
static bool read_digits(struct moment *moment, const char **text)
{
    size_t digits = strspn(*text, DIGITS);
    int64_t year;

    if ((digits != 4 && digits != 6) || !read_pair(text, &moment->month) || !read_pair(text, &moment->day))
        return false;
    if (digits == 6 && read_pair(text, &year))
        moment->year = 2000 + year;
    return is_date(moment);
}

/* MM/DD, MM/DD/YY, and with dots */
static bool read_month_first(struct moment *moment, const char **text)
{
    char mark[2] = { '\0', '\0' };
    int64_t year;

    if (!read_number(text, 2, &moment->month) || (**text != '/' && **text != '.'))
        return false;
    mark[0] = *(*text)++;
    if (!read_number(text, 2, &moment->day))
        return false;
    if (text_skip_word(text, mark)) {
        if (!read_number(text, 2, &year))
            return false;
        moment->year = 2000 + year;
    }
    return is_date(moment);
}

static bool read_part(struct moment *moment, const char **text)
{
    size_t digits = strspn(*text, DIGITS);
    char next = (*text)[digits];

    if (digits == 0)
        return read_word(moment, text);
    if (next == ':')
        return read_clock(moment, text);
    if (digits == 4 && next == '-')
        return read_year_first(moment, text);
    return digits <= 2 ? read_month_first(moment, text) : read_digits(moment, text);
}

static time_t seconds_of(const struct moment *moment)
{
    struct tm parts = {
        .tm_year = (int)moment->year - 1900,
        .tm_mon = (int)moment->month - 1,
        .tm_mday = (int)moment->day,
        .tm_hour = moment->hour == UNSET ? 0 : (int)moment->hour,
        .tm_min = (int)moment->minute,
        .tm_sec = (int)moment->second,
        .tm_isdst = -1,
    };

    return moment->calendar->seconds(&parts);
}

/* The time of day alone is the next one; a date without a year, too. */
static time_t complete(struct moment *moment)
{
    time_t seconds;

    if (moment->month == UNSET) {
        set_date(moment, moment->now);
        if ((seconds = seconds_of(moment)) > moment->now_seconds)
            return seconds;
        moment->day++; /* mktime makes the next month of it where it has to */
        return seconds_of(moment);
    }
    if (moment->year != UNSET)
        return seconds_of(moment);
    moment->year = moment->now->tm_year + 1900;
    if ((seconds = seconds_of(moment)) >= moment->now_seconds)
        return seconds;
    moment->year++;
    return seconds_of(moment);
}

bool slurm_moment_read(const char *text, const struct slurm_calendar *calendar, int64_t now_seconds,
                       int64_t *seconds)
{
    struct moment moment = {
        .calendar = calendar, .now_seconds = (time_t)now_seconds, .year = UNSET, .month = UNSET, .hour = UNSET
    };
    struct tm now;
    int64_t distance;

    if (*text == '\0' || calendar->local(&moment.now_seconds, &now) == NULL)
        return false;
    moment.now = &now;
    if (text_skip_word(&text, "uts"))
        return read_number(&text, 12, seconds) && *text == '\0';
    while (*text != '\0') {
        /* A word may begin with the 'T' that separates a date and a time. */
        const char *at = text;

        if (read_part(&moment, &at)) {
            text = at;
            continue;
        }
        if (text_skip_word(&text, "now")) {
            if (!read_distance(&text, &distance) || !set_seconds(&moment, now_seconds + distance))
                return false;
            continue;
        }
        if (strchr(" \t-T", *text) == NULL)
            return false;
        text++;
    }
    if (moment.hour == UNSET && moment.month == UNSET)
        return false;
    *seconds = (int64_t)complete(&moment);
    return true;
}
