/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_fixture.h - a runtime of a test's own: directories, cgroups, containers
 *
 * Everything lies below one temporary directory and in cgroups below
 * /creel-test-<pid>, and fixture_close checks that nothing else is left.
 */
#ifndef CREEL_TESTS_LINUX_FIXTURE_H
#define CREEL_TESTS_LINUX_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nm-agent/linux/runtime.h"

struct fixture {
    char base[128], state[160], local[160], logs[160], root[64];
    struct runtime_config config;
    struct runtime *runtime;
};

/* For cmocka's setup and teardown: *STATE is a struct fixture. */
int fixture_open(void **state);
int fixture_close(void **state);

/* The agent dies and another comes up: the runtime is made anew. */
void fixture_restart(struct fixture *fixture);

/* A plan for `sh -c SCRIPT` as user nobody with 64 MB; the caller may change it. */
struct launch fixture_plan(const char *id, const char *const argv[]);
#define SHELL(script) ((const char *const[]){ "/bin/sh", "-c", (script), NULL })

/* Save and launch; fails the test if that is refused. */
void fixture_launch(struct fixture *fixture, const struct launch *plan);

/* Wait for the next event, of container ID unless NULL; fails the test after 20 s. */
struct runtime_event fixture_event(struct fixture *fixture);
struct runtime_event fixture_wait(struct fixture *fixture, const char *id,
                                  enum runtime_event_kind kind);
/* Launch, wait for the end, clean up. */
struct runtime_event fixture_run(struct fixture *fixture, const struct launch *plan);

/* A whole log, terminated; the caller's. "" if there is none. */
char *fixture_log(struct fixture *fixture, const char *id, const char *file);

/* How many processes have TEXT in their command line. */
int fixture_processes(const char *text);
/* How many directories are below the fixture's cgroup root, over all controllers, the instance's
 * own not counted. */
int fixture_groups(const struct fixture *fixture);
/* Whether PATH below the fixture's base exists. */
bool fixture_has(const struct fixture *fixture, const char *path);
/* Fails the test if CONDITION has not come true after 20 s. */
void fixture_until(struct fixture *fixture, bool (*condition)(struct fixture *));

#endif
