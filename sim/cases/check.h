/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - creel-sim check: runs conformance cases against the scheduler core, with TAP output
 *
 * A runner gets a case of its kind, and adds each failed expectation to the report. It continues after a
 * wrong figure, so that a report shows all wrong figures. A case with an empty report has passed.
 */
#ifndef CREEL_SIM_CHECK_H
#define CREEL_SIM_CHECK_H

#include "common/conf/conf.h"
#include "sim/cases/case.h"

/* --- check_report.c ---------------------------------------------------------- */

/* Failed expectations, one line each. Initialize with zeros; free with report_clear. */
struct report {
    char **lines;
    size_t count, capacity;
};

void report_append(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_clear(struct report *report);

/* Checks that the types of WANTED are within TOLERANCE of GOT; otherwise reports "<what>: expected … got
 * …". */
void report_resource(struct report *report, const struct test_case *test, const char *what,
                     const struct case_resource *wanted, const struct resource *got, int64_t tolerance);

/* Returns the default configuration with PROPERTIES set; NULL: a property is invalid, which is reported. */
struct conf *check_conf(const struct case_properties *properties, struct report *report);
/* Returns the value of a property; NULL if it is missing. */
const char *check_property(const struct case_properties *properties, const char *name);

/* --- runners ------------------------------------------------------------------- */

void check_shares(const struct test_case *test, struct report *report);
void check_preemption(const struct test_case *test, struct report *report);
void check_script(const struct test_case *test, struct report *report);

#endif
