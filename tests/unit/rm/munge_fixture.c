/* SPDX-License-Identifier: Apache-2.0 */
/* munge_fixture.c - fixture: munged processes of a test */
#include "munge_fixture.h"

#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"

#define MUNGED "/usr/sbin/munged"
#define KEY_BYTES 128
#define READY_TRIES 2000 /* of 10 ms */

bool munge_fixture_is_possible(void)
{
#ifdef HAVE_LIBMUNGE
    return access(MUNGED, X_OK) == 0 && access("/usr/bin/faketime", X_OK) == 0;
#else
    return false;
#endif
}

void munge_fixture_open(struct munge_fixture *fixture)
{
    *fixture = (struct munge_fixture){ .directory = "/tmp/creel-munge-XXXXXX" };
    assert_non_null(mkdtemp(fixture->directory));
    assert_int_equal(chmod(fixture->directory, 0755), 0);
}

void munge_fixture_close(struct munge_fixture *fixture)
{
    scoped_free char *command = mem_printf("rm -rf %s", fixture->directory);

    for (unsigned i = 0; i < fixture->count; i++) {
        kill(-fixture->daemons[i].pid, SIGKILL); /* its group: faketime starts munged as a child */
        waitpid(fixture->daemons[i].pid, NULL, 0);
        free(fixture->daemons[i].socket);
    }
    assert_int_equal(system(command), 0);
}

static void write_key(const char *file, char key)
{
    char bytes[KEY_BYTES];
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);

    assert_true(fd >= 0);
    memset(bytes, key, sizeof(bytes));
    assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
    close(fd);
}

/* Replaces this process by munged, whose files begin with PREFIX. */
static void become_daemon(const char *prefix, const char *shift)
{
    char *words[16];
    unsigned count = 0;

    if (shift != NULL) {
        words[count++] = mem_strdup("/usr/bin/faketime");
        words[count++] = mem_strdup("--exclude-monotonic");
        words[count++] = mem_strdup("-f");
        words[count++] = mem_strdup(shift);
    }
    words[count++] = mem_strdup(MUNGED);
    words[count++] = mem_strdup("--foreground");
    words[count++] = mem_printf("--socket=%s.socket", prefix);
    words[count++] = mem_printf("--key-file=%s.key", prefix);
    words[count++] = mem_printf("--pid-file=%s.pid", prefix);
    words[count++] = mem_printf("--seed-file=%s.seed", prefix);
    words[count++] = mem_printf("--log-file=%s.log", prefix);
    words[count] = NULL;
    if (setpgid(0, 0) < 0 || freopen("/dev/null", "w", stdout) == NULL ||
        freopen("/dev/null", "w", stderr) == NULL)
        _exit(127);
    execv(words[0], words);
    _exit(127);
}

static void wait_for(const char *file)
{
    const struct timespec pause = { .tv_nsec = 10000000 };
    struct stat status;

    for (unsigned i = 0; i < READY_TRIES; i++) {
        if (stat(file, &status) == 0 && S_ISSOCK(status.st_mode))
            return;
        nanosleep(&pause, NULL);
    }
    fail_msg("munged does not make %s", file);
}

const char *munge_fixture_start(struct munge_fixture *fixture, char key, const char *shift)
{
    struct munge_daemon *daemon = &fixture->daemons[fixture->count];
    scoped_free char *prefix = mem_printf("%s/%u", fixture->directory, fixture->count);
    scoped_free char *key_file = mem_printf("%s.key", prefix);

    assert_true(fixture->count < MUNGE_DAEMONS_MAX);
    fixture->count++;
    write_key(key_file, key);
    daemon->socket = mem_printf("%s.socket", prefix);
    daemon->pid = fork();
    assert_true(daemon->pid >= 0);
    if (daemon->pid == 0)
        become_daemon(prefix, shift);
    wait_for(daemon->socket);
    return daemon->socket;
}
