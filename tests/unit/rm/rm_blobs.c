/* SPDX-License-Identifier: Apache-2.0 */
/* rm_blobs.c - test: storage of submitted files: complete, with the right hash, bounded, or not stored */
#include "tests/unit/rm/blobs_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

static int set_up(void **state)
{
    return set_up_with(state, 0);
}

static void reads_back(struct blobs *blobs, struct sample *sample)
{
    Creel__GetBlob request = CREEL__GET_BLOB__INIT;
    uint8_t data[300];
    uint64_t size_bytes = 0;
    struct err err = { 0 };
    size_t length;

    request.hash.data = sample->hash;
    request.hash.len = sizeof(sample->hash);
    do {
        assert_ok(blobs_get(blobs, &request, data, sizeof(data), &length, &size_bytes, &err), err);
        assert_int_equal(size_bytes, sample->size);
        assert_memory_equal(data, sample->bytes + request.offset, length);
        request.offset += length;
    } while (length > 0);
    assert_int_equal(request.offset, sample->size);
    request.offset = sample->size + 1;
    assert_int_equal(blobs_get(blobs, &request, data, 1, &length, &size_bytes, &err), -EINVAL);
}

static void a_directory_that_was_replaced_or_removed(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *path = mem_printf("%s/blobs", fixture->directory);
    scoped_free char *command = mem_printf("rm -rf %s", path);
    struct sample sample = sample_of(100, 'a'), other = sample_of(100, 'b');
    scoped_free char *aside = mem_printf("%s/aside", fixture->directory);
    struct err err = { 0 };
    bool here = false;
    struct job job;

    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(put_whole(fixture->blobs, 1, &sample, &err), -EIO);
    assert_contains(err.text, "is not the directory that the resource manager uses");
    assert_int_equal(find_as(fixture->blobs, "ann", &sample, NOW_MS, &here, &err), -EIO);
    assert_contains(err.text, "is not the directory that the resource manager uses");
    job_init(&job);
    job_add(&job, (char[]){ "a" }, &sample);
    assert_int_equal(blobs_check_job(fixture->blobs, &job.spec, NOW_MS, &err), -EIO);
    assert_int_equal(rename(aside, path), 0);
    assert_ok(put_at(fixture->blobs, 7, &other, 0, 50, &err), err);
    assert_int_equal(system(command), 0);
    assert_int_equal(put_whole(fixture->blobs, 1, &sample, &err), -EIO);
    assert_int_equal(blobs_error(-EIO), CREEL__ERROR_CODE__ERROR_STORE);
    assert_contains(err.text, "/blobs, which has the submitted files: No such file or directory");
    assert_int_equal(put_at(fixture->blobs, 7, &other, 50, 50, &err), -EIO); /* it was begun before */
    assert_int_equal(mkdir(path, 0700), 0);
    assert_ok(put_whole(fixture->blobs, 1, &sample, &err), err);
    assert_true(has(fixture->blobs, &sample));
    reads_back(fixture->blobs, &sample);
    free(command);
    command = mem_printf("rm -rf %s/tmp", path);
    assert_int_equal(system(command), 0);
    assert_ok(put_whole(fixture->blobs, 1, &other, &err), err);
}

/* Files that were put back into a directory that was removed and made again are found without an upload. */
static void a_directory_that_was_made_again_is_read(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *command =
        mem_printf("cd %s && cp -Rp blobs copy && rm -r blobs && mv copy blobs", fixture->directory);
    struct sample sample = sample_of(100, 'a');
    struct err err = { 0 };

    assert_ok(put_whole(fixture->blobs, 1, &sample, &err), err);
    assert_int_equal(system(command), 0);
    reads_back(fixture->blobs, &sample);
    assert_true(has(fixture->blobs, &sample));
}

/* --- uploads --------------------------------------------------------------- */

static void file_uploaded_in_chunks_is_unchanged(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(FILE_MAX, 'a');
    struct err err = { 0 };

    assert_false(has(fixture->blobs, &sample));
    assert_ok(put_at(fixture->blobs, 1, &sample, 0, 400, &err), err);
    assert_ok(put_at(fixture->blobs, 1, &sample, 400, 400, &err), err);
    assert_ok(put_at(fixture->blobs, 1, &sample, 400, 400, &err), err);
    assert_false(has(fixture->blobs, &sample));
    assert_ok(put_at(fixture->blobs, 1, &sample, 800, 200, &err), err);
    assert_true(has(fixture->blobs, &sample));
    assert_ok(put_at(fixture->blobs, 1, &sample, 800, 200, &err), err);
    reads_back(fixture->blobs, &sample);

    /* Also after a restart. */
    blobs_free(fixture->blobs);
    fixture->blobs = open_blobs(fixture->directory, 0);
    assert_true(has(fixture->blobs, &sample));
}

static void an_empty_file_is_a_file(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(0, 0);
    struct err err = { 0 };

    assert_ok(put_whole(fixture->blobs, 1, &sample, &err), err);
    assert_true(has(fixture->blobs, &sample));
    reads_back(fixture->blobs, &sample);
}

static void two_clients_upload_the_same_file(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(FILE_MAX, 'b');
    struct err err = { 0 };

    assert_ok(put_at(fixture->blobs, 1, &sample, 0, 600, &err), err);
    assert_ok(put_at(fixture->blobs, 2, &sample, 0, 500, &err), err);
    assert_ok(put_at(fixture->blobs, 1, &sample, 600, 400, &err), err);
    assert_true(has(fixture->blobs, &sample));
    assert_ok(put_at(fixture->blobs, 2, &sample, 500, 500, &err), err);
    assert_ok(put_at(fixture->blobs, 3, &sample, 500, 500, &err), err);
    reads_back(fixture->blobs, &sample);
    assert_int_equal(files_in(fixture->directory, "blobs"), 1);
}

static void chunks_out_of_order_are_refused(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(FILE_MAX, 'c');
    struct err err = { 0 };

    assert_int_equal(put_at(fixture->blobs, 1, &sample, 400, 400, &err), -ESTALE);
    assert_int_equal(blobs_error(-ESTALE), CREEL__ERROR_CODE__ERROR_BAD_STATE);
    assert_ok(put_at(fixture->blobs, 1, &sample, 0, 400, &err), err);
    assert_int_equal(put_at(fixture->blobs, 1, &sample, 500, 400, &err), -ESTALE);
    assert_int_equal(put_at(fixture->blobs, 1, &sample, 300, 400, &err), -ESTALE);

    /* An upload can be restarted at any time. */
    assert_ok(put_at(fixture->blobs, 1, &sample, 0, 500, &err), err);
    assert_ok(put_at(fixture->blobs, 1, &sample, 500, 500, &err), err);
    reads_back(fixture->blobs, &sample);
}

static void another_content_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(100, 'd');
    struct err err = { 0 };

    sample.bytes[50] = 'x';
    assert_int_equal(put_whole(fixture->blobs, 1, &sample, &err), -EINVAL);
    assert_contains(err.text, "hash");
    assert_false(has(fixture->blobs, &sample));
    assert_int_equal(files_in(fixture->directory, "blobs"), 0);
}

static void nonsense_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(100, 'e');
    Creel__PutBlob chunk = CREEL__PUT_BLOB__INIT;
    Creel__GetBlob get = CREEL__GET_BLOB__INIT;
    uint8_t data[8];
    uint64_t size_bytes;
    size_t length;
    struct err err = { 0 };
    bool here;

    chunk.hash.data = sample.hash;
    chunk.hash.len = 31;
    chunk.size_bytes = 100;
    assert_int_equal(blobs_put(fixture->blobs, 1, "ann", &chunk, NOW_MS, &err), -EINVAL);
    assert_int_equal(blobs_has(fixture->blobs, "ann", &chunk.hash, NOW_MS, &here, &err), -EINVAL);
    chunk.hash.len = 32;
    assert_int_equal(blobs_put(fixture->blobs, 1, "ann", &chunk, NOW_MS, &err), -EINVAL);
    chunk.data.data = sample.bytes;
    chunk.data.len = 100;
    chunk.offset = UINT64_MAX - 50;
    assert_int_equal(blobs_put(fixture->blobs, 1, "ann", &chunk, NOW_MS, &err), -EINVAL);
    chunk.offset = 1;
    assert_int_equal(blobs_put(fixture->blobs, 1, "ann", &chunk, NOW_MS, &err), -EINVAL);
    get.hash = chunk.hash;
    assert_int_equal(blobs_get(fixture->blobs, &get, data, 8, &length, &size_bytes, &err), -ENOENT);
    assert_int_equal(files_in(fixture->directory, "blobs"), 0);
}

/* --- bounds ---------------------------------------------------------------- */

static void a_file_over_the_limit_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(FILE_MAX + 1, 'f');
    struct err err = { 0 };

    assert_int_equal(put_at(fixture->blobs, 1, &sample, 0, 100, &err), -EFBIG);
    assert_int_equal(blobs_error(-EFBIG), CREEL__ERROR_CODE__ERROR_TOO_LARGE);
    assert_contains(err.text, "creel.submit.file-size-max");
    assert_contains(err.text, "1000");
}

static void unfinished_uploads_of_a_connection_are_bounded(void **state)
{
    struct fixture *fixture = *state;
    struct sample samples[3];
    struct err err = { 0 };

    for (int i = 0; i < 3; i++)
        samples[i] = sample_of(FILE_MAX, 'g' + i);
    assert_ok(put_at(fixture->blobs, 1, &samples[0], 0, 1, &err), err);
    assert_ok(put_at(fixture->blobs, 1, &samples[1], 0, 1, &err), err);
    assert_int_equal(put_at(fixture->blobs, 1, &samples[2], 0, 1, &err), -EFBIG);
    assert_contains(err.text, "creel.submit.files-size-max");
    assert_ok(put_at(fixture->blobs, 2, &samples[2], 0, 1, &err), err);
}

static void upload_over_the_limit_replaces_an_idle_one(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(2, 'h');
    Creel__PutBlob chunk = CREEL__PUT_BLOB__INIT;
    struct err err = { 0 };

    for (uint64_t i = 0; i < BLOBS_UPLOADS_MAX; i++) {
        char user[16];

        snprintf(user, sizeof(user), "user%d", (int)(i / BLOBS_UPLOADS_OF_USER_MAX));
        assert_ok(put_at_as(fixture->blobs, user, i + 1, &sample, 0, 1, &err), err);
    }
    assert_int_equal(put_at(fixture->blobs, 9999, &sample, 0, 1, &err), -EAGAIN);
    assert_int_equal(blobs_uploads(fixture->blobs).used, BLOBS_UPLOADS_MAX);
    assert_int_equal(blobs_uploads(fixture->blobs).refused_full, 1);
    assert_int_equal(blobs_error(-EAGAIN), CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    chunk.hash.data = sample.hash;
    chunk.hash.len = sizeof(sample.hash);
    chunk.size_bytes = 2;
    chunk.data.data = sample.bytes;
    chunk.data.len = 1;
    assert_ok(blobs_put(fixture->blobs, 9999, "ann", &chunk, NOW_MS + 60000, &err), err);
    /* The new upload replaced the oldest unfinished upload. */
    assert_int_equal(put_at(fixture->blobs, 1, &sample, 1, 1, &err), -ESTALE);
    assert_ok(put_at(fixture->blobs, 2, &sample, 1, 1, &err), err);
}

/* One user does not keep the others from uploading. */
static void a_user_has_a_share_of_the_uploads(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(2, 'h');
    struct err err = { 0 };

    for (uint64_t i = 0; i < BLOBS_UPLOADS_OF_USER_MAX; i++)
        assert_ok(put_at(fixture->blobs, i + 1, &sample, 0, 1, &err), err);
    assert_int_equal(put_at(fixture->blobs, 9999, &sample, 0, 1, &err), -EAGAIN);
    assert_contains(err.text, "user ann uploads 256 files at once");
    assert_ok(put_at_as(fixture->blobs, "bob", 9999, &sample, 0, 1, &err), err);
    assert_int_equal(blobs_uploads(fixture->blobs).used, BLOBS_UPLOADS_OF_USER_MAX + 1);
    assert_int_equal(blobs_uploads(fixture->blobs).refused_owner, 1);
    assert_ok(put_at(fixture->blobs, 1, &sample, 1, 1, &err), err); /* the end of one makes room */
    assert_int_equal(blobs_uploads(fixture->blobs).used, BLOBS_UPLOADS_OF_USER_MAX);
    sample = sample_of(2, 'i');
    assert_ok(put_at(fixture->blobs, 9999, &sample, 0, 1, &err), err);
}

static int put_as(struct blobs *blobs, const char *user, int fill, size_t taken, int64_t now_ms,
                  struct err *err)
{
    struct sample sample = sample_of(FILE_MAX, fill);
    Creel__PutBlob chunk = CREEL__PUT_BLOB__INIT;

    chunk.hash.data = sample.hash;
    chunk.hash.len = sizeof(sample.hash);
    chunk.size_bytes = FILE_MAX;
    chunk.data.data = sample.bytes;
    chunk.data.len = taken;
    return blobs_put(blobs, (uint64_t)(100 + fill), user, &chunk, now_ms, err);
}

static void uploads_of_a_user_are_limited_over_all_connections(void **state)
{
    struct fixture *fixture = *state;
    struct err err = { 0 };
    int most = USER_MAX / FILE_MAX;

    for (int i = 0; i < most; i++) /* half of the uploads are complete */
        assert_ok(put_as(fixture->blobs, "bob", i, i % 2 ? FILE_MAX : 1, NOW_MS, &err), err);
    assert_int_equal(put_as(fixture->blobs, "bob", most, 1, NOW_MS, &err), -EFBIG);
    assert_contains(err.text, "creel.submit.user-files-size-max");
    assert_ok(put_as(fixture->blobs, "ann", most, 1, NOW_MS, &err), err);
    /* Abandoned and old uploads do not count. */
    blobs_drop_stalled(fixture->blobs, NOW_MS + BLOBS_KEEP_MS);
    for (int i = 0; i < most; i++)
        assert_ok(put_as(fixture->blobs, "bob", 50 + i, 1, NOW_MS + BLOBS_KEEP_MS, &err), err);
    assert_int_equal(put_as(fixture->blobs, "bob", 49, 1, NOW_MS + BLOBS_KEEP_MS, &err), -EFBIG);
}

/* --- jobs ------------------------------------------------------------------ */

static void a_job_needs_its_files(void **state)
{
    struct fixture *fixture = *state;
    struct sample here = sample_of(FILE_MAX, 'i'), gone = sample_of(10, 'j');
    struct err err = { 0 };
    struct job job;

    assert_ok(put_whole(fixture->blobs, 1, &here, &err), err);
    job_init(&job);
    job_add(&job, (char[]){ "here.sh" }, &here);
    job_add(&job, (char[]){ "again.sh" }, &here);
    assert_ok(blobs_check_job(fixture->blobs, &job.spec, NOW_MS, &err), err);

    job_add(&job, (char[]){ "gone.sh" }, &gone);
    assert_int_equal(blobs_check_job(fixture->blobs, &job.spec, NOW_MS, &err), -ENOENT);
    assert_int_equal(blobs_error(-ENOENT), CREEL__ERROR_CODE__ERROR_NOT_FOUND);
    assert_contains(err.text, "\"gone.sh\"");

    assert_ok(put_whole(fixture->blobs, 1, &gone, &err), err);
    job.refs[2].size_bytes = 11;
    assert_int_equal(blobs_check_job(fixture->blobs, &job.spec, NOW_MS, &err), -EINVAL);
    job.refs[2].size_bytes = FILE_MAX + 1;
    assert_int_equal(blobs_check_job(fixture->blobs, &job.spec, NOW_MS, &err), -EFBIG);
    assert_contains(err.text, "\"gone.sh\"");
    assert_contains(err.text, "creel.submit.file-size-max");
}

static void the_files_of_a_job_are_bounded_together(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(FILE_MAX, 'k');
    struct err err = { 0 };
    struct job job;

    assert_ok(put_whole(fixture->blobs, 1, &sample, &err), err);
    job_init(&job);
    job_add(&job, (char[]){ "a" }, &sample);
    job_add(&job, (char[]){ "b" }, &sample);
    assert_ok(blobs_check_job(fixture->blobs, &job.spec, NOW_MS, &err), err);
    job_add(&job, (char[]){ "c" }, &sample);
    assert_int_equal(blobs_check_job(fixture->blobs, &job.spec, NOW_MS, &err), -EFBIG);
    assert_contains(err.text, "creel.submit.files-size-max");
}

/* --- sweeping -------------------------------------------------------------- */

static void unused_files_go_after_ten_minutes(void **state)
{
    struct fixture *fixture = *state;
    struct sample used = sample_of(10, 'l'), idle = sample_of(10, 'm'), asked = sample_of(10, 'n');
    struct err err = { 0 };
    struct job job;

    job_init(&job);
    job_add(&job, (char[]){ "used" }, &used);
    assert_ok(put_whole(fixture->blobs, 1, &used, &err), err);
    assert_ok(put_whole(fixture->blobs, 1, &idle, &err), err);
    assert_ok(put_whole(fixture->blobs, 1, &asked, &err), err);
    assert_int_equal(blobs_sweep(fixture->blobs, NOW_MS + BLOBS_KEEP_MS - 1), 0);

    /* A client that received the reply that the file exists has ten more minutes to submit. */
    assert_true(has_at(fixture->blobs, &asked, NOW_MS + BLOBS_KEEP_MS - 1));
    blobs_mark_job(fixture->blobs, &job.spec);
    assert_int_equal(blobs_sweep(fixture->blobs, NOW_MS + BLOBS_KEEP_MS), 1);
    assert_true(has(fixture->blobs, &used));
    assert_false(has(fixture->blobs, &idle));
    assert_true(has(fixture->blobs, &asked));

    /* The job has ended: no file is marked as used. */
    assert_int_equal(blobs_sweep(fixture->blobs, NOW_MS + 3 * BLOBS_KEEP_MS), 2);
    assert_int_equal(files_in(fixture->directory, "blobs"), 0);
}

static void files_of_an_ended_job_stay_for_ten_minutes(void **state)
{
    struct fixture *fixture = *state;
    struct sample used = sample_of(10, 'u');
    const int64_t end_ms = NOW_MS + 5 * BLOBS_KEEP_MS / 2;
    struct err err = { 0 };
    struct job job;

    job_init(&job);
    job_add(&job, (char[]){ "used" }, &used);
    assert_ok(put_whole(fixture->blobs, 1, &used, &err), err);
    for (int64_t now_ms = NOW_MS; now_ms <= end_ms; now_ms += BLOBS_SWEEP_MS) {
        blobs_mark_job(fixture->blobs, &job.spec);
        assert_int_equal(blobs_sweep(fixture->blobs, now_ms), 0);
    }
    assert_int_equal(blobs_sweep(fixture->blobs, end_ms + BLOBS_SWEEP_MS), 0);
    assert_int_equal(blobs_sweep(fixture->blobs, end_ms + BLOBS_KEEP_MS - 1), 0);
    assert_int_equal(blobs_sweep(fixture->blobs, end_ms + BLOBS_KEEP_MS), 1);
}

static void abandoned_uploads_are_removed(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(100, 'o');
    struct err err = { 0 };

    assert_ok(put_at(fixture->blobs, 1, &sample, 0, 50, &err), err);
    assert_int_equal(files_in(fixture->directory, "blobs/tmp"), 1);
    blobs_drop_stalled(fixture->blobs, NOW_MS + BLOBS_KEEP_MS - 1);
    assert_int_equal(files_in(fixture->directory, "blobs/tmp"), 1);
    blobs_drop_stalled(fixture->blobs, NOW_MS + BLOBS_KEEP_MS);
    assert_int_equal(files_in(fixture->directory, "blobs/tmp"), 0);
    assert_int_equal(put_at(fixture->blobs, 1, &sample, 50, 50, &err), -ESTALE);
}

/* Sweeps and queries keep the file until it is so old that it is not offered any more. */
static void a_file_that_is_offered_is_accepted_for_ten_minutes(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(10, 'p');
    int64_t now_ms = NOW_MS, offered_ms = 0;
    struct err err = { 0 };
    struct job job;

    job_init(&job);
    job_add(&job, (char[]){ "a" }, &sample);
    assert_ok(put_whole(fixture->blobs, 1, &sample, &err), err);
    while (has_at(fixture->blobs, &sample, now_ms)) {
        offered_ms = now_ms;
        now_ms += BLOBS_KEEP_MS / 10;
        blobs_sweep(fixture->blobs, now_ms);
    }
    assert_true(offered_ms > NOW_MS + 2 * BLOBS_KEEP_MS);
    assert_ok(blobs_check_job(fixture->blobs, &job.spec, offered_ms + BLOBS_KEEP_MS - 1, &err), err);
}

static void leftovers_of_a_killed_daemon_are_removed_at_start(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *file = mem_printf("%s/blobs/tmp/1-left", fixture->directory);
    scoped_fd int fd = open(file, O_WRONLY | O_CREAT, 0600);

    assert_true(fd >= 0);
    blobs_free(fixture->blobs);
    fixture->blobs = open_blobs(fixture->directory, 0);
    assert_int_equal(access(file, F_OK), -1);
}

/* --- a full disk ----------------------------------------------------------- */

static void fill_disk(const char *directory)
{
    scoped_free char *path = mem_printf("%s/other", directory);
    scoped_fd int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const char block[4096] = "";

    while (write(fd, block, sizeof(block)) > 0)
        ;
}

static int full_disk(const char *directory)
{
    struct blobs_limits limits = { 1 << 20, 1 << 20, 1 << 30, 0 };
    struct sample sample = sample_of(4096, 'p');
    struct blobs *blobs = blobs_new(directory, &limits);
    struct err err = { 0 };
    struct statvfs status;
    int r = 0;

    if (mount("tmpfs", directory, "tmpfs", 0, "size=32k") < 0 || blobs_open(blobs, &err) < 0)
        return 1;
    for (int i = 0; i < 100 && r == 0; i++) {
        sample = sample_of(4096, i);
        r = put_whole(blobs, 1, &sample, &err);
    }
    /* The database is on the same disk: some space is left for it. */
    if (statvfs(directory, &status) < 0 || status.f_bavail == 0)
        return 5;
    if (r != -ENOSPC || blobs_error(r) != CREEL__ERROR_CODE__ERROR_STORE)
        return 2;
    if (strstr(err.text, directory) == NULL || files_in(directory, "blobs/tmp") != 0)
        return 3;
    blobs_sweep(blobs, NOW_MS + BLOBS_KEEP_MS);
    if (put_whole(blobs, 1, &sample, &err) < 0)
        return 4;
    /* Others fill the disk while a file is uploaded. */
    sample = sample_of(4096, 'q');
    if (put_at(blobs, 1, &sample, 0, 2048, &err) < 0)
        return 6;
    fill_disk(directory);
    if (put_at(blobs, 1, &sample, 2048, 2048, &err) != -ENOSPC ||
        strstr(err.text, "are reserved for its state") == NULL)
        return 7;
    blobs_free(blobs);
    return 0;
}

static void full_disk_is_reported_and_survived(void **state)
{
    struct fixture *fixture = *state;
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        blobs_free(fixture->blobs);
        if (unshare(CLONE_NEWNS | (geteuid() != 0 ? CLONE_NEWUSER : 0)) < 0 ||
            mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
            _exit(99);
        _exit(full_disk(fixture->directory));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_directory_that_was_replaced_or_removed),
        TEST(a_directory_that_was_made_again_is_read),
        TEST(file_uploaded_in_chunks_is_unchanged),
        TEST(an_empty_file_is_a_file),
        TEST(two_clients_upload_the_same_file),
        TEST(chunks_out_of_order_are_refused),
        TEST(another_content_is_refused),
        TEST(nonsense_is_refused),
        TEST(a_file_over_the_limit_is_refused),
        TEST(unfinished_uploads_of_a_connection_are_bounded),
        TEST(upload_over_the_limit_replaces_an_idle_one),
        TEST(a_user_has_a_share_of_the_uploads),
        TEST(uploads_of_a_user_are_limited_over_all_connections),
        TEST(a_job_needs_its_files),
        TEST(the_files_of_a_job_are_bounded_together),
        TEST(unused_files_go_after_ten_minutes),
        TEST(files_of_an_ended_job_stay_for_ten_minutes),
        TEST(abandoned_uploads_are_removed),
        TEST(a_file_that_is_offered_is_accepted_for_ten_minutes),
        TEST(leftovers_of_a_killed_daemon_are_removed_at_start),
        TEST(full_disk_is_reported_and_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
