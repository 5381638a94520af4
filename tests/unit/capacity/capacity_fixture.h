/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity_fixture.h - fixture: a capacity scheduler configuration from a few lines of text
 *
 * A line is "<key>=<value>". A key without one of the prefixes yarn., creel. and mapred. gets the prefix
 * yarn.scheduler.capacity. Messages refer to the N-th line as cs.xml:N+1.
 */
#ifndef CREEL_TESTS_CAPACITY_FIXTURE_H
#define CREEL_TESTS_CAPACITY_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "rm/sched/capacity/config/config.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct capacity_fixture {
    struct conf *conf;
    struct capacity_config *config; /* NULL if the lines were refused */
    struct err err;
    char *warnings; /* warnings of the load, one per line */
};

/* Loads LINES. Returns 0 or a negative error. */
int capacity_try(struct capacity_fixture *fixture, const char *lines);
/* The test fails unless LINES load; capacity_bad: unless LINES are refused with a message that contains
 * TEXT. */
void capacity_good(struct capacity_fixture *fixture, const char *lines);
void capacity_bad(const char *lines, const char *text);
void capacity_done(struct capacity_fixture *fixture);

struct capacity_queue *capacity_queue(const struct capacity_fixture *fixture, const char *path);
/* Computes the queues' capacities for a cluster of that size without labels. */
void capacity_cluster(struct capacity_fixture *fixture, int64_t memory_mb, int64_t vcores);

void assert_fraction(float got, double expected); /* fails unless GOT is within 1e-4 */
void assert_amount(const struct resource *got, int64_t memory_mb, int64_t vcores);

#endif
