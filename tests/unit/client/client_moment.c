/* SPDX-License-Identifier: Apache-2.0 */
/* client_moment.c - tests: times as options have them, in a time zone with summer time */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "client/cli/frame/moment.h"

#define HOUR_MS 3600000LL
/* 2026-11-25 15:00 in Berlin, which is 14:00 in UTC. */
#define NOW_MS 1795615200000LL
#define MIDNIGHT_MS (NOW_MS - 15 * HOUR_MS)

static void expect(const char *text, int64_t expected_ms)
{
    struct err err = { .text = "" };
    int64_t ms = 0;

    if (moment_parse("begin", text, NOW_MS, &ms, &err) < 0)
        fail_msg("%s", err.text);
    if (ms != expected_ms)
        fail_msg("%s: %lld, not %lld", text, (long long)ms, (long long)expected_ms);
}

static void refuse(const char *text, const char *words)
{
    struct err err = { .text = "" };
    int64_t ms;

    assert_int_equal(moment_parse("begin", text, NOW_MS, &ms, &err), -EINVAL);
    if (!strstr(err.text, words) || !strstr(err.text, text))
        fail_msg("%s: %s", text, err.text);
}

static void times_from_now_on(void **state)
{
    (void)state;
    expect("now", NOW_MS);
    expect("now+90", NOW_MS + 90000);
    expect("now+2h", NOW_MS + 2 * HOUR_MS);
    expect("now+1hour", NOW_MS + HOUR_MS);
    expect("now+2weeks", NOW_MS + 14 * 24 * HOUR_MS);
}

static void clock_means_the_next_time(void **state)
{
    (void)state;
    expect("16:00", NOW_MS + HOUR_MS);
    expect("15:00:30", NOW_MS + 30000);
    expect("15:00", NOW_MS + 24 * HOUR_MS);
    expect("8:00", MIDNIGHT_MS + 32 * HOUR_MS);
    expect("00:00", MIDNIGHT_MS + 24 * HOUR_MS);
}

static void days(void **state)
{
    (void)state;
    expect("tomorrow", MIDNIGHT_MS + 24 * HOUR_MS);
    expect("tomorrow 08:00", MIDNIGHT_MS + 32 * HOUR_MS);
    expect("today 16:00", NOW_MS + HOUR_MS);
    expect("2026-11-26", MIDNIGHT_MS + 24 * HOUR_MS);
    expect("2026-11-25T15:30", NOW_MS + HOUR_MS / 2);
    expect("2026-11-25 15:30:10", NOW_MS + HOUR_MS / 2 + 10000);
    expect("2026-11-25T15:30Z", NOW_MS + HOUR_MS / 2 + HOUR_MS);
    expect("2027-07-01T12:00", 1814436000000LL); /* summer time: 10:00 in UTC */
    expect("2028-02-29", 1835391600000LL);
}

static void zones_of_rfc_3339(void **state)
{
    (void)state;
    expect("2026-11-25T15:30+01:00", NOW_MS + HOUR_MS / 2);
    expect("2026-11-25T15:30:00.250+01:00", NOW_MS + HOUR_MS / 2 + 250);
    expect("2026-11-25t14:30:00.5z", NOW_MS + HOUR_MS / 2 + 500);
    expect("2026-11-25T14:30:00.000Z", NOW_MS + HOUR_MS / 2);
    expect("2026-11-25T14:30:00.123456789Z", NOW_MS + HOUR_MS / 2 + 123);
    expect("2026-11-25 15:30:10-03:30", NOW_MS + HOUR_MS / 2 + 10000 + 9 * HOUR_MS / 2);
    expect("2026-11-25T15:00+00:00", NOW_MS + HOUR_MS);
    /* 02:30 does not exist in Berlin on this day; it does in the zone that is written. */
    expect("2027-03-28T02:30+01:00", 1806197400000LL);
    expect("2027-03-28T03:30+02:00", 1806197400000LL);
    refuse("2026-11-26T08:00+24:00", "expected a time");
    refuse("2026-11-26T08:00+0100", "expected a time");
    refuse("2026-11-26T08:00+01:60", "expected a time");
    refuse("2026-11-26T08:00+01:00x", "expected a time");
    refuse("2026-11-26+01:00", "expected a time");
    refuse("08:00+01:00", "expected a time");
    refuse("2026-11-25T15:30+02:00", "has passed");
}

static void words_of_slurm(void **state)
{
    (void)state;
    expect("midnight", MIDNIGHT_MS + 24 * HOUR_MS);
    expect("noon", MIDNIGHT_MS + 36 * HOUR_MS); /* it is 15:00 */
    expect("fika", MIDNIGHT_MS + 39 * HOUR_MS);
    expect("teatime", NOW_MS + HOUR_MS);
    expect("Teatime", NOW_MS + HOUR_MS);
    expect("NOW+1hour", NOW_MS + HOUR_MS);
    expect("tomorrow noon", MIDNIGHT_MS + 36 * HOUR_MS);
    expect("today teatime", NOW_MS + HOUR_MS);
    expect("midnight+90minutes", MIDNIGHT_MS + 25 * HOUR_MS + HOUR_MS / 2);
    expect("noon+1day", MIDNIGHT_MS + 60 * HOUR_MS);
    expect("tomorrow+8h", MIDNIGHT_MS + 32 * HOUR_MS);
    expect("today+16hours", NOW_MS + HOUR_MS);
    expect("4:00pm", NOW_MS + HOUR_MS);
    expect("04:00:00 PM", NOW_MS + HOUR_MS);
    expect("12:30am", MIDNIGHT_MS + 24 * HOUR_MS + HOUR_MS / 2);
    expect("12:30pm", MIDNIGHT_MS + 36 * HOUR_MS + HOUR_MS / 2);
    expect("tomorrow 8:00am", MIDNIGHT_MS + 32 * HOUR_MS);
}

static void past_times_are_refused(void **state)
{
    (void)state;
    refuse("2026-11-25", "has passed");
    refuse("today", "has passed, at 00:00; expected a time of day, too, as today 18:00");
    refuse("today noon", "has passed");
    refuse("today+1hour", "has passed");
    refuse("1999-01-01T00:00Z", "has passed");
}

static void malformed_times_are_refused(void **state)
{
    static const char *const words[] = {
        "",
        "noon!",
        "24:00",
        "12:60",
        "12",
        "12:",
        ":30",
        "1:2",
        "12:00:60",
        "2027-02-30",
        "2027-13-01",
        "2027-00-01",
        "2027-01-00",
        "2027-1-1",
        "2027-01-20T",
        "2027-01-20T25:00",
        "2027-01-20T08:00:00.",
        "2027-01-20T08:00:00.Z",
        "2027-01-20.5",
        "2027-01-20T08:00.5",
        "2027-01-20T8:00pm.5",
        "2027-01-20Tnoon.25",
        "2027-01-20x",
        "now+",
        "now-1h",
        "now+x",
        "now+1hours2",
        "now+-1hour",
        "now+hour",
        "now+99999999999999999999",
        "tomorrow8:00",
        "16:00Z",
        "1234567890123:00",
        "noonish",
        "noon+",
        "noon+1hour+1hour",
        "noon+x",
        "noon tomorrow",
        "13:00pm",
        "0:30am",
        "4pm",
        "08:00+01:00",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        refuse(words[i], "expected a time");
}

static void expect_past(const char *text, int64_t expected_ms)
{
    struct err err = { .text = "" };
    int64_t ms = 0;

    if (moment_parse_past("since", text, NOW_MS, &ms, &err) < 0)
        fail_msg("%s", err.text);
    if (ms != expected_ms)
        fail_msg("%s: %lld, not %lld", text, (long long)ms, (long long)expected_ms);
}

static void times_in_the_past(void **state)
{
    struct err err = { .text = "" };
    int64_t ms;

    (void)state;
    expect_past("now", NOW_MS);
    expect_past("2h", NOW_MS - 2 * HOUR_MS);
    expect_past("7days", NOW_MS - 7 * 24 * HOUR_MS);
    expect_past("08:00", MIDNIGHT_MS + 8 * HOUR_MS);
    expect_past("16:00", MIDNIGHT_MS - 8 * HOUR_MS);
    expect_past("today", MIDNIGHT_MS);
    expect_past("noon", MIDNIGHT_MS + 12 * HOUR_MS);
    expect_past("teatime", MIDNIGHT_MS - 8 * HOUR_MS);
    expect_past("midnight", MIDNIGHT_MS);
    expect_past("yesterday noon", MIDNIGHT_MS - 12 * HOUR_MS);
    expect_past("now-7days", NOW_MS - 7 * 24 * HOUR_MS);
    expect_past("NOW-2h", NOW_MS - 2 * HOUR_MS);
    expect_past("Yesterday", MIDNIGHT_MS - 24 * HOUR_MS);
    expect_past("yesterday", MIDNIGHT_MS - 24 * HOUR_MS);
    expect_past("yesterday 08:00", MIDNIGHT_MS - 16 * HOUR_MS);
    expect_past("2026-11-20", MIDNIGHT_MS - 5 * 24 * HOUR_MS);
    expect_past("2026-10-20", MIDNIGHT_MS - 36 * 24 * HOUR_MS - HOUR_MS); /* summer time */
    assert_int_equal(moment_parse_past("since", "last week", NOW_MS, &ms, &err), -EINVAL);
    assert_non_null(strstr(err.text, "--since last week"));
    assert_int_equal(moment_parse_past("since", "now-16:00", NOW_MS, &ms, &err), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_from_now_on),      cmocka_unit_test(clock_means_the_next_time),
        cmocka_unit_test(times_in_the_past),      cmocka_unit_test(days),
        cmocka_unit_test(zones_of_rfc_3339),      cmocka_unit_test(words_of_slurm),
        cmocka_unit_test(past_times_are_refused), cmocka_unit_test(malformed_times_are_refused),
    };

    /* Rules of its own, so that no file of time zones is needed. */
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
