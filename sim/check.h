/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - creel-sim check: conformance cases against the scheduler core, as TAP
 *
 * A runner gets a case of its kind, and adds each failed expectation to the report; an empty report is a
 * pass. It does not stop at the first wrong figure, so that a report shows all of them.
 */
#ifndef CREEL_SIM_CHECK_H
#define CREEL_SIM_CHECK_H

#include "common/conf/conf.h"
#include "sim/case.h"

/* --- check_report.c ---------------------------------------------------------- */

/* What did not hold, one line each. Begin with zeros; free with report_clear. */
struct report {
    char **lines;
    size_t count, capacity;
};

void report_say(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void report_clear(struct report *report);

/* The types of WANTED must be within TOLERANCE of GOT; otherwise reports "<what>: expected … got …". */
void report_resource(struct report *report, const struct test_case *test, const char *what,
                     const struct case_resource *wanted, const struct resource *got,
                     int64_t tolerance);

/* Defaults with PROPERTIES set; NULL: one of them is wrong, which is in the report. */
struct conf *check_conf(const struct case_properties *properties, struct report *report);
/* The value of a property; NULL: not there. */
const char *check_property(const struct case_properties *properties, const char *name);

/* --- the runners --------------------------------------------------------------- */

void check_shares(const struct test_case *test, struct report *report);
void check_preemption(const struct test_case *test, struct report *report);
void check_script(const struct test_case *test, struct report *report);

#endif
