/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_reference.c - test: in random scenarios the capacity scheduler decides as the reference
 * implementation does
 *
 * sched_reference          the test: seeds 1 to SEEDS
 * sched_reference A-B      those seeds
 * sched_reference SEED     that seed, printed event by event; on failure repeated with only the
 *                          events needed for the failure, under the same configuration
 * ... BITS                 with only these differences of enum ref_difference; 0: by the rule book's text
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

#define SEEDS 10

static struct scenario scenario;
static unsigned differences = SCENARIO_DIFFERENCES;

static bool run_seed(uint64_t seed, struct duel_count *count)
{
    struct err err;

    scenario_new(&scenario, seed, differences);
    if (duel_run(&scenario, NULL, count, NULL, &err) == 0)
        return true;
    duel_shrink(&scenario);
    duel_run(&scenario, NULL, NULL, NULL, &err);
    fprintf(stderr,
            "seed %" PRIu64 ": %s\n%d events show it: sched_reference %" PRIu64 " %u\n"
            "(If the core has learnt a rule of YARN: take its bit from SCENARIO_DIFFERENCES.)\n",
            seed, err.text, scenario.event_count, seed, differences);
    return false;
}

static void core_and_reference_agree(void **state)
{
    struct duel_count count = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        assert_true(run_seed(seed, &count));
    assert_true(count.allocated > 50 * SEEDS); /* enough allocations were compared */
    assert_true(count.reserved > SEEDS && count.unreserved > SEEDS / 2);
    assert_true(count.refused > SEEDS / 2 && count.killed > SEEDS / 4);
    assert_true(count.given_back > SEEDS);
}

/* --- started by hand ------------------------------------------------------- */

static void print_line(void *context, const char *key, const char *value)
{
    fprintf(context, "  %s=%s\n", key, value);
}

static int replay(uint64_t seed)
{
    struct conf *conf;
    struct err err;
    int r;

    scenario_new(&scenario, seed, differences);
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

static int run_range(int64_t first, int64_t last)
{
    int64_t failed = 0;

    for (int64_t seed = first; seed <= last; seed++)
        failed += run_seed((uint64_t)seed, NULL) ? 0 : 1;
    printf("%" PRId64 " seeds, %" PRId64 " failed\n", last - first + 1, failed);
    return failed > 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_and_reference_agree),
    };
    int64_t first, last, bits = SCENARIO_DIFFERENCES;
    char *dash;

    if (argc < 2)
        return cmocka_run_group_tests(tests, NULL, NULL);
    if ((dash = strchr(argv[1], '-')) != NULL)
        *dash = '\0';
    if (!text_parse_int64(argv[1], &first) || (dash && !text_parse_int64(dash + 1, &last)) ||
        (argc > 2 && !text_parse_int64(argv[2], &bits))) {
        fputs("usage: sched_reference [SEED | A-B [BITS]]\n", stderr);
        return 2;
    }
    differences = (unsigned)bits;
    return dash ? run_range(first, last) : replay((uint64_t)first);
}
