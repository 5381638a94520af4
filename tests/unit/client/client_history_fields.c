/* SPDX-License-Identifier: Apache-2.0 */
/* client_history_fields.c - test: names of sacct's fields are accepted in any case, others refused */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/history/history_fields.h"

static void parses(const char *fields, const char *columns, bool with_nodes)
{
    struct err err = { 0 };
    bool nodes;
    char *parsed = history_fields_parse(fields, &nodes, &err);

    assert_non_null(parsed);
    assert_string_equal(parsed, columns);
    assert_int_equal(nodes, with_nodes);
    free(parsed);
}

static void fails(const char *fields, const char *words)
{
    struct err err = { 0 };
    bool nodes;

    assert_null(history_fields_parse(fields, &nodes, &err));
    if (strstr(err.text, words) == NULL)
        fail_msg("%s: %s", fields, err.text);
}

static void names_are_accepted_in_any_case(void **state)
{
    (void)state;
    parses("JobID,State", "JobID,State", false);
    parses("jobid, STATE,,cputimeraw", "JobID,State,CPUTimeRAW", false);
    parses("nodelist", "NodeList", true);
    parses("avediskread,uid,wckey", "AveDiskRead,UID,WCKey", false); /* some have no value in creel */
    parses("NodeList,JobID", "NodeList,JobID", true);
}

static void widths_are_ignored(void **state)
{
    (void)state;
    parses("JobName%20,User%-8,MaxRSS", "JobName,User,MaxRSS", false);
}

static void unknown_names_are_refused_with_all_names(void **state)
{
    (void)state;
    fails("JobID,Shoe", "there is no field \"Shoe\"; there are: JobID,JobIDRaw,");
    fails("JobIDs", "\"JobIDs\"");
    fails("%10", "there is no field \"\"");
    fails("", "names no field");
    fails(" ,,", "names no field");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_accepted_in_any_case),
        cmocka_unit_test(widths_are_ignored),
        cmocka_unit_test(unknown_names_are_refused_with_all_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
