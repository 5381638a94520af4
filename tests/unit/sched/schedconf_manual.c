/* SPDX-License-Identifier: Apache-2.0 */
/* schedconf_manual.c - test: the manual pages of the queue configuration files document every key and
 * element */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/sched/capacity/config/key_table.h"
#include "rm/sched/fair/element_table.h"
#include "rm/schedconf/manual.h"

static char *write_to_memory(void (*write)(FILE *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    write(out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Escapes "_" and "*", which are markup in scdoc. */
static void escape(const char *name, char *text)
{
    for (; *name; name++) {
        if (strchr("_*", *name))
            *text++ = '\\';
        *text++ = *name;
    }
    *text = '\0';
}

/* Checks that TEXT has a paragraph about NAME that starts with BEFORE, and a line for the paragraph's
 * subject. */
static void assert_documented(const char *text, const char *before, const char *name, const char *behind)
{
    char escaped[200], heading[300];
    const char *at;

    escape(name, escaped);
    snprintf(heading, sizeof(heading), "\n%s%s*%s", before, escaped, behind);
    at = strstr(text, heading);
    if (at == NULL)
        fail_msg("%s is not in the manual", name);
    at = strstr(at, "\n\t");
    assert_true(at && at[2] != '\n');
}

static void every_key_of_the_capacity_scheduler(void **state)
{
    char *text = write_to_memory(manual_write_capacity);
    (void)state;

    for (size_t i = 0; i < CAPACITY_ROW_COUNT; i++) {
        const struct capacity_key_info *row = &capacity_keys[i];

        if (row->scope == CAPACITY_ALL)
            assert_documented(text, "*yarn.scheduler.capacity.", row->name, "\n\t");
        else if (row->scope == CAPACITY_SITE)
            assert_documented(text, "*", row->name, "\n\t");
        else if (row->scope == CAPACITY_LABEL)
            assert_documented(text, "_QUEUE_*.", row->name, ", _QUEUE_*.accessible-node-labels.<label>.");
        else if (row->scope == CAPACITY_TEMPLATE)
            assert_documented(text, "_QUEUE_*.", row->name, "_KEY_\n\t");
        else
            assert_documented(text, "_QUEUE_*.", row->name, "\n\t");
    }
    free(text);
}

static void every_element_of_the_fair_scheduler(void **state)
{
    static const char *const names[] = {
#define NAME(name, ...) name,
#define SECOND(constant, name, ...) name,
        FAIR_QUEUE_ELEMENTS(NAME) FAIR_TOP_ELEMENTS(NAME) FAIR_RULES(SECOND)
    };
    char *text = write_to_memory(manual_write_fair);
    (void)state;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_documented(text, "*", names[i], "\n\t");
    free(text);
}

static void assert_all_in(void (*write)(FILE *), const char *const lines[], size_t count)
{
    char *text = write_to_memory(write);

    for (size_t i = 0; i < count; i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("not in the manual: %s", lines[i]);
    free(text);
}

static void rows_as_they_read(void **state)
{
    static const char *const capacity[] = {
        "*yarn.scheduler.capacity.node-locality-delay*\n\tmissed opportunities after which",
        "(whole number; default: *40*)\n",
        "(duration, a number alone: seconds, at least 0; default: *300s*)\n",
        "(true or false; default: *true*)\n",
        "\n_QUEUE_*.disable\\_preemption*\n\tno containers are preempted from it "
        "(true or false; default: that of the queue above it)\n",
        "(number, 0 to 100; default: that of *yarn.scheduler.capacity.minimum-user-limit-percent*, "
        "else *100*)\n",
        "\n*yarn.scheduler.capacity.node-labels.\\**\n\tcreel.node-labels declares labels\n",
    };
    static const char *const fair[] = {
        "\n*weight*\n\tits share of the queue above it, in proportion to the weights of its siblings "
        "(default: 1) (number from 0)\n",
        "\n*reject*\n\trefuses the submission\n",
    };
    (void)state;

    assert_all_in(manual_write_capacity, capacity, sizeof(capacity) / sizeof(capacity[0]));
    assert_all_in(manual_write_fair, fair, sizeof(fair) / sizeof(fair[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_of_the_capacity_scheduler),
        cmocka_unit_test(every_element_of_the_fair_scheduler),
        cmocka_unit_test(rows_as_they_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
