/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.h - conformance cases (tests/conformance/FORMAT.md) on the references
 *
 * What a case expects was computed by YARN's own classes. So the cases show that the model is YARN. The
 * model runs without any of enum ref_difference.
 *
 * The model has no labels, placement rules, limits of parallel apps or preemption policy, and does not judge
 * configurations. A case that needs any of these, or more than the model's arrays take, is not for it.
 */
#ifndef CREEL_TESTS_REFERENCE_SCRIPT_H
#define CREEL_TESTS_REFERENCE_SCRIPT_H

#include <stdio.h>

#include "sim/case.h"
#include "tests/reference/reference.h"

enum { SCRIPT_NAME = 64 };

struct script_names {
    char name[REF_APPS][SCRIPT_NAME];
    int count;
};

enum script_app_state { SCRIPT_UNKNOWN, SCRIPT_REJECTED, SCRIPT_THERE, SCRIPT_FINISHED, SCRIPT_KILLED };

struct script {
    const struct test_case *test;
    struct reference ref;
    struct script_names nodes, racks, apps, users;
    int64_t priorities[REF_KEYS];       /* of requests, by key; key 0 is priority 0 */
    int key_count;
    int rack_of[REF_NODES];
    enum script_app_state states[REF_APPS];
    FILE *report;                       /* one line for each difference */
    int failures;
};

enum script_result { SCRIPT_PASSED, SCRIPT_FAILED, SCRIPT_NOT_FOR_IT };

/* Why the case is not for the model goes to WHY; differences go to REPORT. */
enum script_result script_run(const struct test_case *test, FILE *report, char why[128]);
/* The same with the slow fair scheduler. Queues that submissions make are there from the start. */
enum script_result script_run_fair(const struct test_case *test, FILE *report);

/* --- between the files of it ------------------------------------------------ */

/* The index of NAME, added if it is new; -1: MOST are known already. */
int script_index(struct script_names *names, const char *name, int most);
int script_find(const struct script_names *names, const char *name);    /* -1: unknown */
/* -1: not for the model, with the reason in WHY. */
int script_configure(struct script *script, const struct case_properties *capacity,
                     struct ref_config *config, char why[128]);
int script_queue(const struct script *script, const char *name);        /* by path or last name; -1 */
void script_expect(struct script *script, const struct case_step *step);
void script_differs(struct script *script, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
