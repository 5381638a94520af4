/* SPDX-License-Identifier: Apache-2.0 */
/* munge_fixture.h - fixture: munged processes of a test, with keys and sockets in a directory of its own */
#ifndef CREEL_TESTS_MUNGE_FIXTURE_H
#define CREEL_TESTS_MUNGE_FIXTURE_H

#include <stdbool.h>
#include <sys/types.h>

#define MUNGE_DAEMONS_MAX 4

struct munge_fixture {
    char directory[64];
    struct munge_daemon {
        pid_t pid;
        char *socket; /* owned */
    } daemons[MUNGE_DAEMONS_MAX];
    unsigned count;
};

/* Returns false if this machine has no munged, or libmunge was not there at configure. */
bool munge_fixture_is_possible(void);
/* Makes the directory, and frees all of the fixture: ends the daemons. */
void munge_fixture_open(struct munge_fixture *fixture);
void munge_fixture_close(struct munge_fixture *fixture);
/* Starts a munged whose key is made of KEY. SHIFT: its clock differs from the machine's, as "+1h"; NULL: it
 * does not. Returns its socket, borrowed, when it can be used. */
const char *munge_fixture_start(struct munge_fixture *fixture, char key, const char *shift);

#endif
