/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_fixture.h - fixture: the agent's Linux runtime with directories, cgroups and containers of its own
 *
 * All files are below one temporary directory, all cgroups below /creel-test-<pid>. fixture_close checks that
 * nothing else is left.
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

/* Set-up and tear-down for cmocka: *STATE is a struct fixture. */
int fixture_open(void **state);
int fixture_close(void **state);

/* Simulates a crash and restart of the agent: replaces the runtime by a new runtime. */
void fixture_restart(struct fixture *fixture);

/* Returns a plan for `sh -c SCRIPT` as user nobody with 64 MB; the caller may change the plan. */
struct launch fixture_plan(const char *id, const char *const argv[]);
#define SHELL(script) ((const char *const[]){ "/bin/sh", "-c", (script), NULL })

/* Saves and launches PLAN. Fails the test if either is refused. */
void fixture_launch(struct fixture *fixture, const struct launch *plan);

/* Wait for the next event (fixture_wait: of KIND; of container ID unless NULL). The test fails after 20 s. */
struct runtime_event fixture_event(struct fixture *fixture);
struct runtime_event fixture_wait(struct fixture *fixture, const char *id, enum runtime_event_kind kind);
/* Launches the container, waits for its end and cleans up. Returns the exit event. */
struct runtime_event fixture_run(struct fixture *fixture, const struct launch *plan);

/* Returns the control group of container ID, or (ABOVE) that of all containers, in the hierarchy of the first
 * controller that has FILE there. NULL: none has it. The caller frees it. */
char *fixture_group(const struct fixture *fixture, const char *id, bool above, const char *file);
/* Returns a whole log, NUL-terminated, "" if there is no log. The caller frees the text. */
char *fixture_log(struct fixture *fixture, const char *id, const char *file);

/* Returns the number of processes that have TEXT in their command line. */
int fixture_processes(const char *text);
/* Returns the number of cgroups below the fixture's cgroup root, summed over all controllers, without the
 * instance's own groups. */
int fixture_groups(const struct fixture *fixture);
/* Returns whether PATH below the fixture's base directory exists. */
bool fixture_has(const struct fixture *fixture, const char *path);
/* Freezes or thaws the processes of container ID in the freezer of cgroup v1. A frozen process handles no
 * signal, not even SIGKILL. Tries for 10 s: on a busy machine the kernel sometimes refuses the write with
 * EIO. */
bool fixture_freeze(const struct fixture *fixture, const char *id, bool frozen);
/* Like fixture_freeze, for process PID. */
bool fixture_freeze_process(const struct fixture *fixture, int pid, bool frozen);
/* Keeps the thread of PATH, a directory of local-dirs or log-dirs, busy until fixture_unblock, as a disk does
 * that does not answer. */
struct blockade *fixture_block(struct fixture *fixture, const char *path);
void fixture_unblock(struct blockade *blockade);
/* Waits until CONDITION holds. Fails the test after 20 s. */
void fixture_until(struct fixture *fixture, bool (*condition)(struct fixture *));

#endif
