/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_disk.c - test: the store when processes are killed and disks are full or read-only
 *
 * A writer is killed repeatedly in the middle of its work: every acknowledged transaction is there
 * afterwards, and each transaction is there completely or not at all. A full or read-only file system gives
 * an error that names the file. The store continues when there is space again. The file systems are mounted
 * in a mount namespace of a child process, so that none is left behind.
 */
#include "tests/unit/store/store_support.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/base/rng.h"
#include "rm/store/store_upgrade.h"

#define KILLS 60
#define CONTAINERS 3

/* --- kill -9 --------------------------------------------------------------- */

/* Writes one transaction after another, each with an app and all its rows, and sends every committed
 * number to ACKNOWLEDGED. Never returns. */
static void write_until_killed(const char *directory, unsigned from, int acknowledged)
{
    struct store *store;
    struct err err;

    if (store_open_sqlite(directory, NOW_MS, &store, &err) < 0)
        _exit(1);
    for (unsigned seq = from;; seq++) {
        if (store_begin(store, &err) < 0 || put_app(store, seq, &err) < 0 ||
            put_attempt(store, seq, 1, &err) < 0)
            _exit(2);
        for (unsigned i = 1; i <= CONTAINERS; i++)
            if (put_container(store, seq, 1, i, &err) < 0)
                _exit(3);
        if (store_commit(store, &err) < 0 || write(acknowledged, &seq, sizeof(seq)) != sizeof(seq))
            _exit(4);
    }
}

/* Starts a writer and kills it after some acknowledgements. Returns the last acknowledged number. */
static unsigned kill_a_writer(const char *directory, unsigned from, unsigned after, unsigned spin)
{
    unsigned last = from - 1, seq;
    int channel[2], status;
    pid_t child;

    assert_int_equal(pipe(channel), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(channel[0]);
        write_until_killed(directory, from, channel[1]);
    }
    close(channel[1]);
    for (unsigned i = 0; i < after && read(channel[0], &seq, sizeof(seq)) == sizeof(seq); i++)
        last = seq;
    for (volatile unsigned i = 0; i < spin; i++)
        ; /* kills at another point of the next transaction */
    kill(child, SIGKILL);
    while (read(channel[0], &seq, sizeof(seq)) == sizeof(seq))
        last = seq;
    close(channel[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return last;
}

static void committed_rows_survive_sigkill(void **state)
{
    unsigned last = 0;
    struct rng rng;

    rng_seed(&rng, 20);
    for (unsigned round = 0; round < KILLS; round++) {
        struct loaded loaded;
        struct store *store;
        struct err err = { 0 };
        unsigned acknowledged =
            kill_a_writer(*state, last + 1, (unsigned)rng_below(&rng, 6), (unsigned)rng_below(&rng, 2000000));

        assert_ok(store_open_sqlite(*state, NOW_MS, &store, &err), err);
        assert_ok(load_all(store, &loaded, NULL, &err), err);
        /* The transaction being written may be there, completely. */
        assert_in_range(loaded.apps, acknowledged, acknowledged + 1);
        assert_int_equal(loaded.attempts, loaded.apps);
        assert_int_equal(loaded.containers, CONTAINERS * loaded.apps);
        assert_int_equal(store_last_app_seq(store), loaded.apps);
        assert_string_equal(loaded.quarantined, "");
        last = (unsigned)loaded.apps;
        loaded_free(&loaded);
        store_close(store);
    }
    assert_true(last > KILLS);
}

/* --- file systems ---------------------------------------------------------- */

/* In a child process: mounts a tmpfs with OPTIONS on DIRECTORY and runs BODY; the mount ends with the
 * child. BODY returns 0, or the number of the check that failed. */
static void in_tmpfs(const char *directory, const char *options, int (*body)(const char *directory))
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        int flags = CLONE_NEWNS | (geteuid() != 0 ? CLONE_NEWUSER : 0);

        if (unshare(flags) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
            mount("tmpfs", directory, "tmpfs", 0, options) < 0) {
            perror("mounting a tmpfs");
            _exit(99);
        }
        _exit(body(directory));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int fill(const char *directory)
{
    scoped_free char *file = mem_printf("%s/ballast", directory);
    scoped_fd int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char block[4096] = { 0 };

    while (write(fd, block, sizeof(block)) > 0)
        ;
    return errno == ENOSPC ? 0 : -1;
}

static void empty(const char *directory)
{
    scoped_free char *file = mem_printf("%s/ballast", directory);

    unlink(file);
}

/* Makes BYTES of a filled disk free again. */
static int leave_room(const char *directory, off_t bytes)
{
    scoped_free char *file = mem_printf("%s/ballast", directory);
    struct stat now;

    return stat(file, &now) < 0 ? -1 : truncate(file, now.st_size - bytes);
}

static int put_large(struct store *store, unsigned seq, struct err *err)
{
    char name[60000];
    int r;

    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    r = store_begin(store, err);
    if (r == 0)
        r = put_app_named(store, seq, CREEL__APP_STATE__APP_RUNNING, name, err);
    return r == 0 ? store_commit(store, err) : r;
}

/* Each return value identifies a failed check. */
static int full_disk(const char *directory)
{
    struct store *store;
    struct loaded loaded;
    struct err err = { 0 };

    if (store_open_sqlite(directory, NOW_MS, &store, &err) < 0)
        return 1;
    if (put_large(store, 1, &err) < 0)
        return 2;
    if (fill(directory) < 0)
        return 3;
    for (int i = 0; i < 3; i++) {
        if (put_large(store, 2, &err) != -ENOSPC)
            return 4;
        if (strstr(err.text, "state.db") == NULL || strstr(err.text, "make room") == NULL)
            return 5;
    }
    empty(directory);
    if (store_probe(store, &err) < 0)
        return 6;
    if (put_large(store, 2, &err) < 0)
        return 7;
    store_close(store);
    if (store_open_sqlite(directory, NOW_MS, &store, &err) < 0)
        return 8;
    if (load_all(store, &loaded, NULL, &err) < 0 || loaded.apps != 2)
        return 9;
    loaded_free(&loaded);
    store_close(store);
    return 0;
}

static void full_disk_is_reported_and_survived(void **state)
{
    in_tmpfs(*state, "size=1m", full_disk);
}

/* A backup to a full disk names the file and what to do. */
static int no_room_for_a_backup(const char *directory)
{
    scoped_free char *state = mem_printf("%s/state", directory), *copy = mem_printf("%s/copy", directory);
    struct store_report report = { 0 };
    struct store *store;
    struct err err = { 0 };

    if (mkdir(state, 0700) < 0 || store_open_sqlite(state, NOW_MS, &store, &err) < 0)
        return 1;
    for (unsigned seq = 1; seq <= 5; seq++)
        if (put_large(store, seq, &err) < 0)
            return 2;
    store_close(store);
    /* The state can be opened, which needs a file of 32 KiB, but there is no room for a copy of 300 KiB. */
    if (fill(directory) < 0 || leave_room(directory, 128 << 10) < 0)
        return 3;
    if (store_backup(state, copy, &report, &err) != -ENOSPC)
        return 4;
    if (strstr(err.text, "copy.part: cannot be copied to: the disk is full: make room there") == NULL)
        return 5;
    empty(directory);
    if (store_backup(state, copy, &report, &err) < 0)
        return 6;
    store_report_done(&report);
    return 0;
}

static void a_backup_without_room_says_what_to_do(void **state)
{
    in_tmpfs(*state, "size=2m", no_room_for_a_backup);
}

/* There is no room for a copy before the upgrade: nothing is changed, unless no copy is wanted. */
static int no_room_for_an_upgrade(const char *directory)
{
    struct store_upgrade upgrade;
    struct store *store;
    struct err err = { 0 };

    scratch_sql(directory, store_schema_3());
    if (store_upgrade_prepare(directory, 3, NOW_MS, &upgrade, &err) != -ENOSPC)
        return 1;
    if (strstr(err.text, directory) == NULL || strstr(err.text, "from schema 3 to 5") == NULL ||
        strstr(err.text, "nothing was changed") == NULL ||
        strstr(err.text, "creel.resourcemanager.upgrade-copies to 0") == NULL)
        return 2;
    scratch_expect(directory, "PRAGMA user_version", "3");
    if (store_upgrade_prepare(directory, 0, NOW_MS, &upgrade, &err) < 0 || upgrade.copy != NULL)
        return 3;
    if (store_open_sqlite(directory, NOW_MS, &store, &err) < 0)
        return 4;
    store_close(store);
    return 0;
}

static void an_upgrade_without_room_for_a_copy_is_refused(void **state)
{
    in_tmpfs(*state, "size=2m", no_room_for_an_upgrade);
}

static int full_at_start(const char *directory)
{
    struct store *store = NULL;
    struct err err = { 0 };

    if (fill(directory) < 0)
        return 1;
    if (store_open_sqlite(directory, NOW_MS, &store, &err) != -ENOSPC)
        return 2;
    if (strstr(err.text, directory) == NULL)
        return 3;
    empty(directory);
    if (store_open_sqlite(directory, NOW_MS, &store, &err) < 0)
        return 4;
    store_close(store);
    return 0;
}

static void full_disk_at_start_is_reported(void **state)
{
    in_tmpfs(*state, "size=512k", full_at_start);
}

static int read_only(const char *directory)
{
    struct store *store = NULL;
    struct err err = { 0 };

    if (store_open_sqlite(directory, NOW_MS, &store, &err) < 0)
        return 1;
    store_close(store);
    if (mount("tmpfs", directory, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL) < 0)
        return 2;
    if (store_open_sqlite(directory, NOW_MS, &store, &err) != -EROFS)
        return 3;
    if (strstr(err.text, directory) == NULL || strstr(err.text, "writable") == NULL)
        return 4;
    return 0;
}

static void read_only_directory_is_reported(void **state)
{
    in_tmpfs(*state, "size=1m", read_only);
}

static void missing_directory_is_reported(void **state)
{
    scoped_free char *directory = mem_printf("%s/absent", (char *)*state);
    struct store *store = NULL;
    struct err err = { 0 };

    assert_int_equal(store_open_sqlite(directory, NOW_MS, &store, &err), -ENOENT);
    assert_contains(err.text, directory);
}

static void put_node(struct store *store, const char *id, bool registered)
{
    Creel__StoredNode row = CREEL__STORED_NODE__INIT;
    struct err err;

    row.node_id = (char *)(uintptr_t)id;
    row.registered = registered;
    assert_ok(store_begin(store, &err), err);
    assert_ok(store_put_node(store, &row, &err), err);
    assert_ok(store_commit(store, &err), err);
}

static void a_node_is_kept_while_its_row_says_something(void **state)
{
    struct store *store = open_store(*state);

    put_node(store, "n1:1", true);
    put_node(store, "n2:1", true);
    put_node(store, "n1:1", false);
    put_node(store, "n3:1", false);
    store_close(store);
    scratch_expect(*state, "SELECT group_concat(id) FROM nodes", "n2:1");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_node_is_kept_while_its_row_says_something),
        TEST(committed_rows_survive_sigkill),
        TEST(full_disk_is_reported_and_survived),
        TEST(a_backup_without_room_says_what_to_do),
        TEST(an_upgrade_without_room_for_a_copy_is_refused),
        TEST(full_disk_at_start_is_reported),
        TEST(read_only_directory_is_reported),
        TEST(missing_directory_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
