/* SPDX-License-Identifier: Apache-2.0 */
/* agent_output.c - tests: names of output files, and Slurm's variables, of a container */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/job_field.h"
#include "common/base/mem.h"
#include "nm-agent/core/output_pattern.h"
#include "nm-agent/core/slurm_variables.h"

static char names[][24] = {
    "CREEL_TASK_INDEX", "CREEL_TASK_COUNT", "CREEL_ARRAY_TASK_ID", "CREEL_ARRAY_JOB_ID", "SLURM_LOCALID",
};
static char values[][32] = { "7", "9", "12", "application_1790000000000_0033", "own" };
static char slurm[] = "slurm", append[] = "append";
static Creel__Variable variables[] = {
    { .name = names[0], .value = values[0] }, { .name = names[1], .value = values[1] },
    { .name = names[2], .value = values[2] }, { .name = names[3], .value = values[3] },
    { .name = names[4], .value = values[4] },
};
static Creel__Variable *environment[] = {
    &variables[0], &variables[1], &variables[2], &variables[3], &variables[4],
};
static const char app_id[] = "application_1790000000000_0042";

static void patterns_are_expanded(void **state)
{
    static const char *const cases[][3] = {
        /* pattern, of a task of an array, of a plain job */
        { "out", "out", "out" },
        { "%j-%A-%a-%t", "42-33-12-7", "42-42-0-0" },
        { "/srv/%u/%N.%%t%%", "/srv/ann/n1.%t%", "/srv/ann/n1.%t%" },
        { "%x%", "%x%", "%x%" },
        { "%j%j%", "4242%", "4242%" },
        { "%4j.%04a.%1a.%3t", "0042.0012.12.007", "0042.0000.0.000" },
        { "%4u%11j", "%4u%11j", "%4u%11j" },
        { "%b.%3b", "2.002", "0.000" },
    };
    struct launch_place place = { .app_id = app_id, .user = "ann", .host = "n1" };
    Creel__LaunchContext plain = CREEL__LAUNCH_CONTEXT__INIT, task = CREEL__LAUNCH_CONTEXT__INIT;
    struct arena *arena = arena_new();

    (void)state;
    task.environment = environment;
    task.n_environment = 5;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(output_pattern_expand(cases[i][0], &task, &place, arena), cases[i][1]);
        assert_string_equal(output_pattern_expand(cases[i][0], &plain, &place, arena), cases[i][2]);
    }
    assert_null(output_pattern_expand("", &plain, &place, arena));
    plain.script_system = slurm; /* what Slurm writes for a job that is no array */
    assert_string_equal(output_pattern_expand("%a.%b", &plain, &place, arena), "4294967294.4");
    arena_free(arena);
}

/* Each %N is longer than its two characters: the name of a file has the limit of a path, and the memory of
 * its expansion is bounded, however long the pattern is. */
static void a_name_is_no_longer_than_a_path(void **state)
{
    enum { ITEMS = 30000, HOST = 63, FIT = JOB_PATH_MAX / HOST };
    struct launch_place place = { .app_id = app_id, .user = "ann" };
    Creel__LaunchContext plain = CREEL__LAUNCH_CONTEXT__INIT;
    struct arena *arena = arena_new();
    char host[HOST + 1] = "", *pattern = mem_alloc0(2 * ITEMS + 1);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;

    (void)state;
    memset(host, 'h', HOST);
    place.host = host;
    for (size_t i = 0; i < ITEMS; i++)
        memcpy(pattern + 2 * i, "%N", 2);
    assert_null(output_pattern_expand(pattern, &plain, &place, arena));
    assert_true(mallinfo2().uordblks + mallinfo2().hblkhd - before < 65536);
    pattern[2 * FIT] = '\0';
    assert_int_equal(strlen(output_pattern_expand(pattern, &plain, &place, arena)), FIT * HOST);
    free(pattern);
    arena_free(arena);
}

static bool has(const char *const *items, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(items[i], text))
            return true;
    return false;
}

static void variables_of_slurm_are_for_its_jobs_alone(void **state)
{
    struct launch_place place = {
        .app_id = app_id, .user = "ann", .host = "n1", .cluster = "alpha", .vcores = 3
    };
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    struct arena *arena = arena_new();
    const char *items[64];
    size_t count;

    (void)state;
    assert_int_equal(slurm_variables(&launch, &place, arena, items), 0);
    launch.script_system = slurm;
    count = slurm_variables(&launch, &place, arena, items);
    assert_true(count <= slurm_variables_max(&launch));
    assert_true(has(items, count, "SLURM_JOB_ID=42") && has(items, count, "SLURM_JOB_NODELIST=n1"));
    assert_true(has(items, count, "SLURM_PROCID=0") && has(items, count, "SLURM_JOB_USER=ann"));
    assert_true(has(items, count, "SLURM_CLUSTER_NAME=alpha") && has(items, count, "SLURM_GTIDS=0"));
    assert_true(has(items, count, "SLURM_JOB_CPUS_PER_NODE=3") && has(items, count, "ENVIRONMENT=BATCH"));
    assert_true(has(items, count, "SLURM_TOPOLOGY_ADDR=n1") && has(items, count, "HOSTNAME=n1"));
    assert_false(has(items, count, "SLURM_OPEN_MODE=a"));
    launch.environment = environment;
    launch.n_environment = 5;
    launch.open_mode = append;
    count = slurm_variables(&launch, &place, arena, items);
    assert_true(count <= slurm_variables_max(&launch));
    assert_true(has(items, count, "SLURM_PROCID=7") && has(items, count, "SLURM_NTASKS=9"));
    assert_true(has(items, count, "SLURM_ARRAY_TASK_ID=12") && has(items, count, "SLURM_ARRAY_JOB_ID=33"));
    assert_true(has(items, count, "SLURM_OPEN_MODE=a")); /* srun of the job appends, too */
    assert_false(has(items, count, "SLURM_JOB_NODELIST=n1"));
    assert_false(has(items, count, "SLURM_LOCALID=0"));
    arena_free(arena);
}

/* Variables of the job in which the submission ran. */
static void what_identifies_a_job_is_not_inherited(void **state)
{
    static const char *const of_job[] = {
        "SLURM_JOB_ID",        "SLURM_JOBID",        "SLURM_JOB_USER",     "SLURM_RESTART_COUNT",
        "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_JOB_ID", "SLURM_CLUSTER_NAME", "SLURM_JOB_UID",
        "SLURM_JOB_GID",       "SLURM_TASK_PID",
    };
    struct launch_place place = { .app_id = app_id, .user = "ann", .host = "n1" };
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    char name[] = "SLURM_JOB_ID", value[] = "88";
    Creel__Variable inherited = { .name = name, .value = value }, *list[] = { &inherited };
    struct arena *arena = arena_new();
    const char *items[64];
    size_t count;

    (void)state;
    assert_false(slurm_variables_identify(&launch, "SLURM_JOB_ID"));
    launch.script_system = slurm;
    for (size_t i = 0; i < sizeof(of_job) / sizeof(of_job[0]); i++)
        assert_true(slurm_variables_identify(&launch, of_job[i]));
    assert_false(slurm_variables_identify(&launch, "SLURM_NTASKS"));
    launch.environment = list;
    launch.n_environment = 1;
    count = slurm_variables(&launch, &place, arena, items);
    assert_true(has(items, count, "SLURM_JOB_ID=42"));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_expanded),
        cmocka_unit_test(a_name_is_no_longer_than_a_path),
        cmocka_unit_test(variables_of_slurm_are_for_its_jobs_alone),
        cmocka_unit_test(what_identifies_a_job_is_not_inherited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
