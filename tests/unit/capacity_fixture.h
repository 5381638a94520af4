/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity_fixture.h - a capacity configuration out of a few lines
 *
 * A line is "<key>=<value>"; a key that begins with neither yarn., creel. nor mapred. is one of
 * yarn.scheduler.capacity. In messages the N-th line is cs.xml:N+1.
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
    struct capacity_config *config;     /* NULL if refused */
    struct err err;
    char *warnings;                     /* one per line */
};

/* Load LINES; tells how that ended. */
int capacity_try(struct capacity_fixture *fixture, const char *lines);
/* The test fails unless it loads; and unless it is refused with a message that has TEXT. */
void capacity_good(struct capacity_fixture *fixture, const char *lines);
void capacity_bad(const char *lines, const char *text);
void capacity_done(struct capacity_fixture *fixture);

struct capacity_queue *capacity_queue(const struct capacity_fixture *fixture, const char *path);
/* Compute for a cluster without labels. */
void capacity_cluster(struct capacity_fixture *fixture, int64_t memory_mb, int64_t vcores);

void assert_fraction(float got, double expected);       /* within 1e-4 of it */
void assert_amount(const struct resource *got, int64_t memory_mb, int64_t vcores);

#endif
