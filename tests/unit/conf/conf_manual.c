/* SPDX-License-Identifier: Apache-2.0 */
/* conf_manual.c - test: the manual page documents every configuration key */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/conf/conf_doc.h"
#include "common/conf/key_table.h"

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

/* Escapes underscores, which would begin emphasis in Markdown. */
static void escape(const char *name, char *text)
{
    for (; *name; name++) {
        if (*name == '_')
            *text++ = '\\';
        *text++ = *name;
    }
    *text = '\0';
}

static void every_key_once_in_table_order(void **state)
{
    char *text = write_to_memory(conf_write_keys);
    const char *at = text;

    (void)state;
    for (unsigned i = 0; i < CONF_KEY_COUNT; i++) {
        char name[200], heading[220];

        escape(conf_key_info((enum conf_key)i)->name, name);
        snprintf(heading, sizeof(heading), "\n*%s*\n\t", name);
        at = strstr(at, heading);
        if (at == NULL)
            fail_msg("%s is not in the manual where it should be", heading);
        assert_null(strstr(at + 1, heading));
    }
    free(text);
}

static void rows_as_they_read(void **state)
{
    static const char *const rows[] = {
        "*yarn.scheduler.minimum-allocation-mb*\n\tsmallest container, and the step that memory is "
        "rounded up to, in MiB (whole number, at least 0; default: *1024*)\n",
        "*creel.log.level*\n\tlevel of the logs of daemons, one of: error warning info debug "
        "(choice; default: *info*)\n",
        "(duration, a number alone: milliseconds, 10ms to 1h; default: *1000*)\n",
        "(duration, a number alone: seconds, at least 1s; default: *86400*)\n",
        "(size, at least 1; default: *64m*)\n",
        "(true or false; default: *false*)\n",
        "(access list; default: *\\**)\n",
        "(text; default: empty)\n",
        "default: *${yarn.resourcemanager.hostname}:8032*)\n",
    };
    char *text = write_to_memory(conf_write_man);

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strstr(text, rows[i]) == NULL)
            fail_msg("not in the manual: %s", rows[i]);
    assert_ptr_equal(strstr(text, "creel-site.xml(5)\n"), text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_once_in_table_order),
        cmocka_unit_test(rows_as_they_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
