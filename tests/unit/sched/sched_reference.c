/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_reference.c - test: in random scenarios the capacity scheduler decides as the reference
 * implementation does
 *
 * sched_reference               the test: some seeds of each profile
 * sched_reference A-B           those seeds of every profile
 * sched_reference PROFILE A-B   those seeds of a profile, as scenario_profile_name() names it
 * sched_reference PROFILE SEED  that seed, printed event by event; on failure repeated with only the
 *                               events needed for the failure, under the same configuration
 * ... BITS                      with only these differences of enum ref_difference; 0: as the rule book
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/text.h"
#include "tests/reference/duel.h"

/* Numbers of seeds of each profile in the test. */
static const uint64_t seeds[SCENARIO_PROFILES] = {
    [PROFILE_PLAIN] = 3,   [PROFILE_LABELS] = 2,  [PROFILE_LABELS_DRF] = 3, [PROFILE_PARALLEL] = 2,
    [PROFILE_DYNAMIC] = 2, [PROFILE_MANAGED] = 2, [PROFILE_VECTORS] = 2,    [PROFILE_PREEMPT] = 3,
};

/* Seeds that found a bug. */
static const struct {
    enum scenario_profile profile;
    uint64_t seed;
} found[] = {
    { PROFILE_LABELS_DRF, 20 },       /* limits were compared by shares of the partition */
    { PROFILE_LABELS_DRF, 168 },      /* the use of a user was not counted after a node had lost a type */
    { PROFILE_LABELS, 2000003 },      /* an application whose AM had reserved a node borrowed another one */
    { PROFILE_LABELS, 3758245 },      /* an application of another partition did not end an exchange */
    { PROFILE_LABELS_DRF, 17627712 }, /* a request served in another partition still ended offers */
    { PROFILE_PARALLEL, 4000342 },    /* the user of a moved application counted when its place was given */
    { PROFILE_PARALLEL, 122 }, /* a user of another weight got a place, and with it the AM limit of users */
    { PROFILE_MANAGED, 17627757 }, /* the model tried other locality levels for a request that is skipped */
    { PROFILE_MANAGED, 199 }, /* the age of a moved application did not count for the capacity of its leaf */
};

static struct scenario scenario;
static unsigned differences = SCENARIO_DIFFERENCES;

static bool run_seed(enum scenario_profile profile, uint64_t seed, struct duel_count *count)
{
    struct err err;

    scenario_new(&scenario, profile, seed, differences);
    if (duel_run(&scenario, NULL, count, NULL, &err) == 0)
        return true;
    duel_shrink(&scenario);
    duel_run(&scenario, NULL, NULL, NULL, &err);
    fprintf(stderr,
            "%s %" PRIu64 ": %s\n%d events show it: sched_reference %s %" PRIu64 " %u\n"
            "(If the core has learnt a rule of YARN: take its bit from SCENARIO_DIFFERENCES.)\n",
            scenario_profile_name(profile), seed, err.text, scenario.event_count,
            scenario_profile_name(profile), seed, differences);
    return false;
}

static void run_profile(enum scenario_profile profile, struct duel_count *count)
{
    for (uint64_t seed = 1; seed <= seeds[profile]; seed++)
        assert_true(run_seed(profile, seed, count));
    assert_true(count->allocated > 30 * seeds[profile]); /* enough allocations were compared */
}

static void core_and_reference_agree(void **state)
{
    struct duel_count count = { 0 };
    uint64_t sum = 0;

    (void)state;
    for (int p = 0; p < SCENARIO_PROFILES; p++) {
        run_profile((enum scenario_profile)p, &count);
        sum += seeds[p];
    }
    assert_true(count.reserved > sum && count.unreserved > sum / 2);
    assert_true(count.refused > sum / 2 && count.killed > sum / 4);
    assert_true(count.given_back > sum);
    assert_true(count.notified > seeds[PROFILE_PREEMPT]);
}

static void seeds_that_found_a_bug_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++)
        assert_true(run_seed(found[i].profile, found[i].seed, NULL));
}

/* --- started by hand ------------------------------------------------------- */

static void print_line(void *context, const char *key, const char *value)
{
    fprintf(context, "  %s=%s\n", key, value);
}

static int replay(enum scenario_profile profile, uint64_t seed)
{
    struct conf *conf;
    struct err err;
    int r;

    scenario_new(&scenario, profile, seed, differences);
    r = duel_run(&scenario, stdout, NULL, NULL, &err);
    if (r == 0) {
        printf("seed %" PRIu64 " holds\n", seed);
        return 0;
    }
    printf("seed %" PRIu64 ": %s\n\n--- shorter ---\n", seed, err.text);
    duel_shrink(&scenario);
    for (int i = 0; i < SCENARIO_CONFIGS; i++) {
        printf("configuration %d\n", i);
        if (scenario_conf(&scenario.configs[i], print_line, stdout, &conf, &err) == 0)
            conf_free(conf);
    }
    duel_run(&scenario, stdout, NULL, NULL, &err);
    printf("seed %" PRIu64 ": %s\n", seed, err.text);
    return 1;
}

static int run_range(enum scenario_profile profile, int64_t first, int64_t last)
{
    int64_t failed = 0;

    for (int64_t seed = first; seed <= last; seed++)
        failed += run_seed(profile, (uint64_t)seed, NULL) ? 0 : 1;
    printf("%s: %" PRId64 " seeds, %" PRId64 " failed\n", scenario_profile_name(profile), last - first + 1,
           failed);
    return failed > 0;
}

static int run_all(int64_t first, int64_t last)
{
    int failed = 0;

    for (int p = 0; p < SCENARIO_PROFILES; p++)
        failed |= run_range((enum scenario_profile)p, first, last);
    return failed;
}

/* Reads "7-10", or "7": *LAST is then -1. */
static bool read_seeds(char *text, int64_t *first, int64_t *last)
{
    char *dash = strchr(text, '-');

    *last = -1;
    if (dash)
        *dash = '\0';
    return text_parse_int64(text, first) && *first >= 0 &&
           (!dash || (text_parse_int64(dash + 1, last) && *last >= *first));
}

/* Returns SCENARIO_PROFILES if there is no such profile. */
static int find_profile(const char *name)
{
    int profile = 0;

    while (profile < SCENARIO_PROFILES &&
           !text_equal(name, scenario_profile_name((enum scenario_profile)profile)))
        profile++;
    return profile;
}

static int usage(void)
{
    fputs("usage: sched_reference [A-B | PROFILE SEED [BITS] | PROFILE A-B [BITS]]\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_and_reference_agree),
        cmocka_unit_test(seeds_that_found_a_bug_agree),
    };
    int64_t first, last, bits = SCENARIO_DIFFERENCES;
    int profile;

    if (argc < 2)
        return cmocka_run_group_tests(tests, NULL, NULL);
    if (argc == 2)
        return read_seeds(argv[1], &first, &last) && last >= first ? run_all(first, last) : usage();
    profile = find_profile(argv[1]);
    if (profile == SCENARIO_PROFILES || !read_seeds(argv[2], &first, &last) ||
        (argc > 3 && !text_parse_int64(argv[3], &bits)))
        return usage();
    differences = (unsigned)bits;
    if (last >= first)
        return run_range((enum scenario_profile)profile, first, last);
    return replay((enum scenario_profile)profile, (uint64_t)first);
}
