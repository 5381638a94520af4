/* SPDX-License-Identifier: Apache-2.0 */
/* fair_script.h - between the files of fair_script: a case that runs on the slow fair scheduler */
#ifndef CREEL_TESTS_REFERENCE_FAIR_SCRIPT_H
#define CREEL_TESTS_REFERENCE_FAIR_SCRIPT_H

#include "tests/reference/fair.h"
#include "tests/reference/script.h"

struct fair_script {
    const struct test_case *test;
    struct slow slow;
    struct script_names nodes, racks, apps, users;
    int64_t priorities[SLOW_KEYS];      /* of requests, by key; key 0 is the AM's */
    int key_count;
    char paths[SLOW_QUEUES][SCRIPT_NAME];
    enum script_app_state states[SLOW_APPS];
    FILE *report;
    int failures;
};

int fair_script_queue(const struct fair_script *script, const char *name);    /* -1: there is none */
void fair_script_expect(struct fair_script *script, const struct case_step *step);
void fair_script_differs(struct fair_script *script, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
