/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_client.c - test: formats, ids, states and waiting tasks of the commands of Slurm */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "client/slurm-client/format.h"
#include "client/slurm-client/job_fields.h"
#include "client/slurm-client/job_ids.h"
#include "client/slurm-client/node_fields.h"
#include "client/slurm-client/waiting_tasks.h"
#include "common/base/job/exit_status.h"
#include "common/base/mem.h"

static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new();
    setenv("TZ", "UTC", 1);
    tzset();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

/* --- formats ----------------------------------------------------------------------------- */

static void put_first(struct text_builder *text, const void *item)
{
    text_builder_add(text, ((const char *const *)item)[0]);
}

static void put_second(struct text_builder *text, const void *item)
{
    text_builder_add(text, ((const char *const *)item)[1]);
}

static const struct field two_fields[] = {
    { 'i', "JobID", "JOBID", -6, put_first },
    { 't', "State", "ST", 5, put_second },
    { 0 },
};

enum syntax { LETTERS, NAMES, COLUMNS, PARSABLE, PARSABLE_WITH_END };

static int read_format(enum syntax syntax, const char *text, struct format *format, struct err *err)
{
    switch (syntax) {
    case LETTERS:
        return format_read_letters(format, text, two_fields, arena, err);
    case NAMES:
        return format_read_names(format, text, two_fields, arena, err);
    case COLUMNS:
        return format_read_accounting(format, text, two_fields, NULL, false, arena, err);
    case PARSABLE:
    case PARSABLE_WITH_END:
    default:
        return format_read_accounting(format, text, two_fields, "|", syntax == PARSABLE_WITH_END, arena, err);
    }
}

static void prints(enum syntax syntax, const char *text, const char *first, const char *second,
                   const char *expected)
{
    const char *const item[] = { first, second };
    struct format format;
    struct err err = { 0 };
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    if (read_format(syntax, text, &format, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    format_print_header(&format, out);
    if (syntax == COLUMNS)
        format_print_dashes(&format, out);
    format_print_row(&format, item, out);
    fclose(out);
    assert_string_equal(printed, expected);
    free(printed);
}

static void test_formats(void **state)
{
    (void)state;
    prints(LETTERS, "%i %t", "42", "PD", "JOBID ST\n42 PD\n");
    prints(LETTERS, "%i|%.3t|", "42", "PD", "JOBID| ST|\n42| PD|\n");
    prints(LETTERS, "id=%.4i%3t.", "123456", "RUNNING", "id=JOBIST .\nid=1234RUN.\n");
    prints(LETTERS, "%2i%t", "h\xc3\xa9h\xc3\xa9", "R", "JOST\nh\xc3\xa9R\n");
    prints(NAMES, "JobID,State", "42", "PD",
           "JOBID               ST                  \n42                  PD                  \n");
    prints(NAMES, "jobid:6,state:.4|", "42", "PD", "JOBID   ST|\n42      PD|\n");
    prints(NAMES, "JobID:,State: |", "42", "PD", "JOBIDST |\n42PD |\n");
    prints(PARSABLE, "j,st", "42", "PD", "JOBID|ST\n42|PD\n");
    prints(COLUMNS, "JobID,State", "42", "PENDING", "JOBID     ST \n------ ----- \n42     PEND+ \n");
    prints(COLUMNS, "JobID%3,State%-9", "42", "PENDING", "JO+ ST        \n--- --------- \n 42 PENDING   \n");
    prints(PARSABLE, "jobid%2,STATE", "42_[1-3]", "PENDING", "JOBID|ST\n42_[1-3]|PENDING\n");
    prints(PARSABLE_WITH_END, "JobID,State", "42", "PENDING", "JOBID|ST|\n42|PENDING|\n");
}

static void refuses(enum syntax syntax, const char *text, const char *message)
{
    struct format format;
    struct err err = { 0 };

    assert_int_equal(read_format(syntax, text, &format, &err), -EINVAL);
    assert_string_equal(err.text, message);
}

static void test_wrong_formats(void **state)
{
    (void)state;
    refuses(LETTERS, "%i %z", "Invalid format specification: %z in \"%i %z\"");
    refuses(LETTERS, "%i %", "Invalid format specification: % in \"%i %\"");
    refuses(NAMES, "JobID,Nothing:8", "Invalid field requested: \"Nothing\"");
    refuses(PARSABLE, "JobID,Nothing%8", "Invalid field requested: \"Nothing\"");
    refuses(NAMES, "Job", "Invalid field requested: \"Job\"");
    refuses(NAMES, "", "there is no field in \"\"");
}

/* --- ids ------------------------------------------------------------------------------------ */

static void test_ids(void **state)
{
    struct job_ids ids = { 0 };
    struct err err = { 0 };

    (void)state;
    assert_true(job_ids_have(&ids, 5, false, 0) && job_ids_name_whole(&ids, 5));
    assert_int_equal(job_ids_read(&ids, " ,", arena, &err), -EINVAL);
    assert_non_null(strstr(err.text, "Invalid job id specified: \" ,\""));
    assert_int_equal(job_ids_read(&ids, "", arena, &err), -EINVAL);
    assert_int_equal(job_ids_read(&ids, "42,43_7 44_[1-3,5],45.batch,46_*", arena, &err), 0);
    assert_int_equal(job_ids_read(&ids, "47_2.0", arena, &err), 0);
    assert_int_equal(ids.count, 6);
    assert_true(job_ids_have(&ids, 42, false, 0) && job_ids_have(&ids, 42, true, 9));
    assert_true(job_ids_have(&ids, 43, true, 7) && !job_ids_have(&ids, 43, true, 6));
    assert_true(job_ids_have(&ids, 44, true, 5) && !job_ids_have(&ids, 44, true, 4));
    assert_true(job_ids_have(&ids, 45, false, 0) && job_ids_have(&ids, 46, true, 1));
    assert_false(job_ids_have(&ids, 5, false, 0));
    assert_string_equal(ids.items[3].step, "batch");
    assert_string_equal(ids.items[5].step, "0");
    assert_true(job_ids_name_tasks(&ids, 44) && !job_ids_name_tasks(&ids, 42));
    assert_true(job_ids_name_whole(&ids, 42) && !job_ids_name_whole(&ids, 44) &&
                !job_ids_name_whole(&ids, 5));
    assert_string_equal(ids.items[2].text, "44_[1-3,5]");
    job_ids_done(&ids);
}

/* Ids in any order, of which some have the same number. */
static void test_many_ids(void **state)
{
    struct job_ids ids = { 0 };
    size_t count;

    (void)state;
    for (unsigned number = 2000; number > 0; number -= 2)
        assert_int_equal(job_ids_read(&ids, arena_printf(arena, "%u", number), arena, NULL), 0);
    assert_int_equal(job_ids_read(&ids, "7_2,1000_4,7_1", arena, NULL), 0);
    assert_int_equal(job_ids_find(&ids, 7, &count)->number, 7);
    assert_int_equal(count, 2);
    assert_true(job_ids_have(&ids, 7, true, 1) && job_ids_have(&ids, 7, true, 2));
    assert_false(job_ids_have(&ids, 7, true, 3) || job_ids_name_whole(&ids, 7));
    assert_true(job_ids_name_whole(&ids, 1000) && job_ids_name_tasks(&ids, 1000));
    assert_true(job_ids_have(&ids, 2, false, 0) && job_ids_have(&ids, 2000, false, 0));
    assert_null(job_ids_find(&ids, 9, &count));
    assert_null(job_ids_find(&ids, 2001, &count));
    job_ids_done(&ids);
}

static void test_wrong_ids(void **state)
{
    static const char *const wrong[] = { "x",    "42_", "42_[", "42_[]", "_7",
                                         "42_x", "0",   "-1",   "42.",   "4294967296" };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct job_ids ids = { 0 };
        struct err err = { 0 };

        if (job_ids_read(&ids, wrong[i], arena, &err) != -EINVAL)
            fail_msg("%s was read", wrong[i]);
        assert_string_equal(err.text,
                            arena_printf(arena,
                                         "Invalid job id specified: %s; expected a number, as 42, 42_7 or "
                                         "42_[1-3]",
                                         wrong[i]));
        job_ids_done(&ids);
    }
}

static void test_tasks_of_an_array(void **state)
{
    static const struct {
        const char *id, *array, *tasks; /* NULL: none */
    } cases[] = {
        { "42_[1-5]", "1,3,5", "1,3,5" }, { "42_[1,2]", "1,3,5", "1" },    { "42_[9,11]", "1,3,5", NULL },
        { "42_[2-4]", "0-9%2", "2-4" },   { "42_[0-99]", "0-9%2", "0-9" }, { "42_[8-12,3]", "0-9", "3,8-9" },
        { "42_[1-6]", "0-30:3", "3,6" },  { "42_3", "1,3,5", "3" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct job_ids ids = { 0 };
        const char *tasks;

        assert_int_equal(job_ids_read(&ids, cases[i].id, arena, NULL), 0);
        tasks = job_id_tasks_of(&ids.items[0], cases[i].array, arena);
        assert_string_equal(tasks ? tasks : "none", cases[i].tasks ? cases[i].tasks : "none");
        job_ids_done(&ids);
    }
}

/* --- states ----------------------------------------------------------------------------------- */

static void is_state(struct creel_app app, const char *letters, const char *reason)
{
    const struct slurm_state *found;

    app.diagnostics = app.diagnostics ? app.diagnostics : "";
    app.reason_code = app.reason_code ? app.reason_code : "";
    found = slurm_state_of(&app);
    assert_string_equal(found->letters, letters);
    assert_ptr_equal(slurm_state_at((enum slurm_state_number)slurm_state_number(found)), found);
    assert_string_equal(slurm_reason_of(&app, found), reason);
}

static void test_states(void **state)
{
    static const struct creel_hold hold = { .by = "admin", .administrator = true };

    (void)state;
    is_state((struct creel_app){ .state = CREEL_APP_ACCEPTED }, "PD", "None");
    is_state((struct creel_app){ .state = CREEL_APP_ACCEPTED, .reason_code = "ClusterFull" }, "PD",
             "Resources");
    is_state((struct creel_app){ .state = CREEL_APP_NEW, .reason_code = "Held" }, "PD", "JobHeldUser");
    is_state(
        (struct creel_app){ .state = CREEL_APP_NEW, .reason_code = "Held", .holds = &hold, .hold_count = 1 },
        "PD", "JobHeldAdmin");
    is_state((struct creel_app){ .state = CREEL_APP_NEW, .reason_code = "Made up" }, "PD", "Resources");
    is_state((struct creel_app){ .state = CREEL_APP_RUNNING }, "R", "None");
    is_state((struct creel_app){ .state = CREEL_APP_FINISHED, .final_status = CREEL_FINAL_SUCCEEDED }, "CD",
             "None");
    is_state((struct creel_app){ .state = CREEL_APP_FINISHED,
                                 .final_status = CREEL_FINAL_FAILED,
                                 .exit_status = 3 },
             "F", "NonZeroExitCode");
    is_state((struct creel_app){ .state = CREEL_APP_FAILED,
                                 .final_status = CREEL_FINAL_FAILED,
                                 .exit_status = CONTAINER_EXIT_PHYSICAL },
             "OOM", "OutOfMemory");
    is_state((struct creel_app){ .state = CREEL_APP_FAILED,
                                 .final_status = CREEL_FINAL_FAILED,
                                 .exit_status = CONTAINER_EXIT_ABORTED },
             "NF", "NodeDown");
    is_state((struct creel_app){ .state = CREEL_APP_KILLED, .diagnostics = "killed by ann" }, "CA", "None");
    assert_string_equal(slurm_state_find("out_of_memory")->letters, "OOM");
    assert_string_equal(slurm_state_find("cg")->name, "COMPLETING");
    assert_null(slurm_state_find("XX"));
}

/* --- arrays -------------------------------------------------------------------------------------- */

#define ARRAY_ID "application_1790000000000_0042"

static struct creel_app task(uint32_t index, enum creel_app_state state)
{
    return (struct creel_app){ .array_id = ARRAY_ID, .array_index = index, .state = state };
}

static struct creel_app held_task(uint32_t index)
{
    struct creel_app held = task(index, CREEL_APP_ACCEPTED);

    held.hold_count = 1;
    return held;
}

static void waits(struct creel_app array, const struct creel_app *tasks, size_t count, const char *expected)
{
    const struct creel_app *list[8] = { NULL };
    struct waiting_tasks waiting;

    array.id = ARRAY_ID;
    for (size_t i = 0; i < count; i++)
        list[i] = &tasks[i];
    waiting_tasks_find(&waiting, &array, list, count);
    assert_string_equal(waiting_tasks_text(&waiting, array.array_at_once, arena), expected);
    waiting_tasks_done(&waiting);
}

static void killed(struct creel_app array, const struct creel_app *tasks, size_t count, const char *expected)
{
    const struct creel_app *list[8] = { NULL };
    struct waiting_tasks found;

    array.id = ARRAY_ID;
    array.array = "0-9";
    for (size_t i = 0; i < count; i++)
        list[i] = &tasks[i];
    waiting_tasks_find_killed(&found, &array, list, count);
    assert_string_equal(waiting_tasks_text(&found, 0, arena), expected);
    waiting_tasks_done(&found);
}

static void test_killed_tasks(void **state)
{
    const struct creel_app tasks[] = { task(0, CREEL_APP_FAILED), task(1, CREEL_APP_KILLED),
                                       task(2, CREEL_APP_RUNNING) };
    struct creel_app array = { .tasks_failed = 1, .tasks_killed = 4, .failed_tasks = "0-1,5-6,9" };

    (void)state;
    killed(array, tasks, 3, "5-6,9");
    array.failed_tasks = "0-1,5-6, ...";
    killed(array, tasks, 3, "5-6");
    array.tasks_killed = 1;
    killed(array, tasks, 3, "");
    /* One of them failed, and was forgotten. */
    array = (struct creel_app){ .tasks_failed = 2, .tasks_killed = 3, .failed_tasks = "0-1,5-6,9" };
    killed(array, tasks, 3, "");
    array = (struct creel_app){ .tasks_killed = 3, .failed_tasks = "" };
    killed(array, NULL, 0, "");
}

static void test_arrays(void **state)
{
    const struct creel_app tasks[] = { task(0, CREEL_APP_FINISHED), task(1, CREEL_APP_RUNNING),
                                       task(2, CREEL_APP_ACCEPTED) };

    (void)state;
    waits((struct creel_app){ .array = "0-9", .state = CREEL_APP_ACCEPTED }, NULL, 0, "0-9");
    waits(
        (struct creel_app){
            .array = "0-9", .state = CREEL_APP_RUNNING, .tasks_total = 10, .tasks_waiting = 8 },
        tasks, 3, "2-9");
    waits((struct creel_app){ .array = "0-9%3",
                              .array_at_once = 3,
                              .state = CREEL_APP_RUNNING,
                              .tasks_total = 10,
                              .tasks_waiting = 8 },
          tasks, 3, "2-9%3");
    waits(
        (struct creel_app){
            .array = "0-4,10-30:10", .state = CREEL_APP_RUNNING, .tasks_total = 8, .tasks_waiting = 6 },
        tasks, 3, "2-4,10,20,30");
    /* Tasks that were killed before they became applications do not wait. */
    waits((struct creel_app){ .array = "0-9",
                              .state = CREEL_APP_RUNNING,
                              .tasks_total = 10,
                              .tasks_waiting = 5,
                              .failed_tasks = "3-4,9" },
          tasks, 3, "2,5-8");
    waits((struct creel_app){ .array = "0-9",
                              .state = CREEL_APP_RUNNING,
                              .tasks_total = 10,
                              .tasks_waiting = 5,
                              .failed_tasks = "3-4, ..." },
          tasks, 3, "2,6-9");
    /* A task whose attempt was lost waits again. */
    waits(
        (struct creel_app){
            .array = "0-5", .state = CREEL_APP_RUNNING, .tasks_total = 6, .tasks_waiting = 2 },
        tasks, 3, "2,5");
    /* A task that is held is left out: it has a row of its own. */
    waits(
        (struct creel_app){
            .array = "0-5", .state = CREEL_APP_RUNNING, .tasks_total = 6, .tasks_waiting = 3 },
        (const struct creel_app[]){ held_task(1), task(2, CREEL_APP_ACCEPTED) }, 2, "2,5");
    waits((struct creel_app){ .array = "0-5", .state = CREEL_APP_KILLED }, NULL, 0, "0-5");
    waits((struct creel_app){ .array = "0-5", .state = CREEL_APP_KILLED, .tasks_failed = 1 }, NULL, 0, "");
    waits((struct creel_app){ .array = "0-2", .state = CREEL_APP_RUNNING, .tasks_total = 3 }, tasks, 2, "");
    /* Killed while two of its tasks ran. */
    waits((struct creel_app){ .array = "0-5",
                              .state = CREEL_APP_KILLED,
                              .tasks_total = 6,
                              .tasks_killed = 2,
                              .failed_tasks = "0-1" },
          (const struct creel_app[]){ task(0, CREEL_APP_KILLED), task(1, CREEL_APP_KILLED) }, 2, "2-5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_formats, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_formats, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ids, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_ids, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_ids, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tasks_of_an_array, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_states, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_arrays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_killed_tasks, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
