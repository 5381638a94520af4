/* SPDX-License-Identifier: Apache-2.0 */
/* base_spawn.c - tests: what a started program has from this process, and what is its own */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/spawn.h"

#define OUTPUT_MAX 4096

/* Runs WORDS as SPAWN says, whose descriptor 1 is set to a pipe. Returns its output; the caller frees it. */
static char *output_of_program(struct spawn spawn, int *fds, const char *const *words)
{
    int ends[2], status = -1;
    char *output = NULL;
    pid_t pid = -1;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    fds[1] = ends[1];
    spawn.program = words[0];
    spawn.arguments = words;
    spawn.fds = fds;
    assert_int_equal(spawn_start(&spawn, &pid), 0);
    close(ends[1]);
    assert_int_equal(file_read(ends[0], OUTPUT_MAX, &output, NULL), 0);
    close(ends[0]);
    assert_int_equal(spawn_wait(pid, &status), 0);
    assert_true(WIFEXITED(status));
    return output;
}

static char *output_of(struct spawn spawn, int *fds, const char *script)
{
    const char *words[] = { "sh", "-c", script, NULL };

    return output_of_program(spawn, fds, words);
}

static void descriptors_change_places(void **state)
{
    int first[2], second[2], fds[5] = { SPAWN_NULL, -1, SPAWN_SAME };
    scoped_free char *output = NULL;

    (void)state;
    assert_int_equal(pipe2(first, O_CLOEXEC), 0);
    assert_int_equal(pipe2(second, O_CLOEXEC), 0);
    assert_int_equal(file_write(first[1], "one\n", 4), 0);
    assert_int_equal(file_write(second[1], "two\n", 4), 0);
    close(first[1]);
    close(second[1]);
    /* The numbers 3 and 4 of the program, from descriptors that may have the numbers 4 and 3 here. */
    dup3(first[0], 40, O_CLOEXEC);
    dup3(second[0], 41, O_CLOEXEC);
    close(first[0]);
    close(second[0]);
    dup3(41, 3, O_CLOEXEC);
    dup3(40, 4, O_CLOEXEC);
    fds[3] = 4;
    fds[4] = 3;
    output = output_of((struct spawn){ .fd_count = 5 }, fds, "cat <&3; cat <&4; cat");
    assert_string_equal(output, "one\ntwo\n");
    close(3);
    close(4);
    close(40);
    close(41);
}

static void others_are_closed(void **state)
{
    int fds[3] = { SPAWN_NULL, -1, SPAWN_NULL };
    scoped_free char *inherited = NULL, *closed = NULL;
    const char *script = "[ -e /proc/$$/fd/50 ] && echo open || echo closed";

    (void)state;
    assert_int_equal(dup2(STDERR_FILENO, 50), 50);
    inherited = output_of((struct spawn){ .fd_count = 3 }, fds, script);
    closed = output_of((struct spawn){ .fd_count = 3, .closes_others = true }, fds, script);
    close(50);
    assert_string_equal(inherited, "open\n");
    assert_string_equal(closed, "closed\n");
}

static void environment_and_directory_are_its_own(void **state)
{
    const char *const environment[] = { "WORD=spawned", NULL };
    int fds[3] = { SPAWN_NULL, -1, SPAWN_SAME }, root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    scoped_free char *own = NULL, *same = NULL;

    (void)state;
    setenv("WORD", "inherited", 1);
    own = output_of((struct spawn){ .fd_count = 3, .environment = environment, .directory = root }, fds,
                    "echo $WORD; pwd -P");
    same = output_of((struct spawn){ .fd_count = 3 }, fds, "echo $WORD; [ \"$(pwd -P)\" != / ] && echo here");
    close(root);
    assert_string_equal(own, "spawned\n/\n");
    assert_string_equal(same, "inherited\nhere\n");
}

/* The mask of SIGTERM, number 15, is 0x4000. */
static void signals_are_usual_or_those_of_this_process(void **state)
{
    const char *const words[] = { "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status", NULL };
    int fds[3] = { SPAWN_NULL, -1, SPAWN_NULL };
    scoped_free char *same = NULL, *usual = NULL, *masked = NULL;
    sigset_t term, none, before;

    (void)state;
    sigemptyset(&none);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_SETMASK, &term, &before);
    signal(SIGTERM, SIG_IGN);
    same = output_of_program((struct spawn){ .fd_count = 3 }, fds, words);
    masked = output_of_program((struct spawn){ .fd_count = 3, .mask = &none }, fds, words);
    usual = output_of_program((struct spawn){ .fd_count = 3, .usual_signals = true }, fds, words);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_non_null(strstr(same, "SigBlk:\t0000000000004000\n"));
    assert_int_equal(strtoul(strstr(same, "SigIgn:") + 7, NULL, 16) & 0x4000, 0x4000);
    assert_non_null(strstr(masked, "SigBlk:\t0000000000000000\n"));
    assert_int_equal(strtoul(strstr(masked, "SigIgn:") + 7, NULL, 16) & 0x4000, 0x4000);
    assert_non_null(strstr(usual, "SigBlk:\t0000000000000000\n"));
    assert_int_equal(strtoul(strstr(usual, "SigIgn:") + 7, NULL, 16) & 0x4000, 0);
}

/* Prints the session and the process group of the shell, and its number. */
static void has_session_or_group_of_its_own(void **state)
{
    static const char script[] = "read -r _ _ _ _ group session _ </proc/$$/stat\n"
                                 "echo $((group == $$)) $((session == $$))";
    int fds[3] = { SPAWN_NULL, -1, SPAWN_SAME };
    scoped_free char *same = output_of((struct spawn){ .fd_count = 3 }, fds, script);
    scoped_free char *group = output_of((struct spawn){ .fd_count = 3, .new_group = true }, fds, script);
    scoped_free char *session = output_of((struct spawn){ .fd_count = 3, .new_session = true }, fds, script);

    (void)state;
    assert_string_equal(same, "0 0\n");
    assert_string_equal(group, "1 0\n");
    assert_string_equal(session, "1 1\n");
}

static void a_program_that_is_not_there_is_an_error(void **state)
{
    const char *words[] = { "missing", NULL };
    const int fds[] = { SPAWN_NULL, 9999 };
    struct spawn spawn = { .program = "/missing", .arguments = words, .fds = fds, .fd_count = 1 };
    pid_t pid = 7;

    (void)state;
    assert_int_equal(spawn_start(&spawn, &pid), -ENOENT);
    spawn.program = "creel-missing";
    assert_int_equal(spawn_start(&spawn, &pid), -ENOENT);
    spawn.program = "true";
    spawn.fd_count = 2;
    assert_int_equal(spawn_start(&spawn, &pid), -EBADF);
    assert_int_equal(pid, 7);
    assert_int_equal(spawn_wait(getppid(), &(int){ 0 }), -ECHILD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_change_places),
        cmocka_unit_test(others_are_closed),
        cmocka_unit_test(environment_and_directory_are_its_own),
        cmocka_unit_test(signals_are_usual_or_those_of_this_process),
        cmocka_unit_test(has_session_or_group_of_its_own),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
