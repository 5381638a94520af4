/* SPDX-License-Identifier: Apache-2.0 */
/* rm_blobs.c - test: storage of submitted files: complete, with the right hash, bounded, or not stored */
#include "tests/unit/store_support.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sodium.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include "rm/net/blobs.h"

#define FILE_MAX 1000
#define FILES_MAX 2500
#define USER_MAX 8000

struct fixture {
    char *directory;
    struct blobs *blobs;
};

/* A file of SIZE bytes, all of value FILL. */
struct sample {
    uint8_t bytes[4096];
    size_t size;
    uint8_t hash[BLOB_HASH_BYTES];
};

static struct blobs *open_blobs(const char *directory)
{
    struct blobs_limits limits = { FILE_MAX, FILES_MAX, USER_MAX };
    struct blobs *blobs = NULL;
    struct err err = { 0 };

    assert_ok(blobs_open(directory, &limits, &blobs, &err), err);
    return blobs;
}

static int set_up(void **state)
{
    struct fixture *fixture = mem_new0(struct fixture);

    fixture->directory = scratch_make();
    fixture->blobs = open_blobs(fixture->directory);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    blobs_free(fixture->blobs);
    scratch_remove(fixture->directory);
    free(fixture);
    return 0;
}

static struct sample sample_of(size_t size, int fill)
{
    struct sample sample = { .size = size };

    memset(sample.bytes, fill, size);
    crypto_generichash(sample.hash, sizeof(sample.hash), sample.bytes, size, NULL, 0);
    return sample;
}

static int put_at_as(struct blobs *blobs, const char *user, uint64_t connection, struct sample *sample,
                     size_t offset, size_t size, struct err *err)
{
    Creel__PutBlob chunk = CREEL__PUT_BLOB__INIT;

    chunk.hash.data = sample->hash;
    chunk.hash.len = sizeof(sample->hash);
    chunk.size_bytes = sample->size;
    chunk.offset = offset;
    chunk.data.data = sample->bytes + offset;
    chunk.data.len = size;
    return blobs_put(blobs, connection, user, &chunk, NOW_MS, err);
}

static int put_at(struct blobs *blobs, uint64_t connection, struct sample *sample, size_t offset, size_t size,
                  struct err *err)
{
    return put_at_as(blobs, "ann", connection, sample, offset, size, err);
}

static int put_whole(struct blobs *blobs, uint64_t connection, struct sample *sample, struct err *err)
{
    return put_at(blobs, connection, sample, 0, sample->size, err);
}

static bool has_at(struct blobs *blobs, struct sample *sample, int64_t now_ms)
{
    ProtobufCBinaryData hash = { sizeof(sample->hash), sample->hash };
    struct err err = { 0 };
    bool here = false;

    assert_ok(blobs_has(blobs, &hash, now_ms, &here, &err), err);
    return here;
}

static bool has(struct blobs *blobs, struct sample *sample)
{
    return has_at(blobs, sample, NOW_MS);
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

static size_t files_in(const char *directory, const char *below)
{
    scoped_free char *command = mem_printf("find %s/%s -type f | wc -l", directory, below);
    FILE *pipe = popen(command, "r");
    int count = -1;

    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    return (size_t)count;
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
    fixture->blobs = open_blobs(fixture->directory);
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
    assert_int_equal(blobs_has(fixture->blobs, &chunk.hash, NOW_MS, &here, &err), -EINVAL);
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

struct job {
    Creel__JobSpec spec;
    Creel__LaunchContext launch;
    Creel__FileRef refs[4], *files[4];
};

static void job_init(struct job *job)
{
    creel__job_spec__init(&job->spec);
    creel__launch_context__init(&job->launch);
    job->spec.launch = &job->launch;
    job->launch.files = job->files;
}

static Creel__FileRef *job_add(struct job *job, char *name, struct sample *sample)
{
    Creel__FileRef *file = &job->refs[job->launch.n_files];

    creel__file_ref__init(file);
    file->name = name;
    file->hash.data = sample->hash;
    file->hash.len = sizeof(sample->hash);
    file->size_bytes = sample->size;
    job->files[job->launch.n_files++] = file;
    return file;
}

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

static void leftovers_of_a_killed_daemon_are_removed_at_start(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *file = mem_printf("%s/blobs/tmp/1-left", fixture->directory);
    scoped_fd int fd = open(file, O_WRONLY | O_CREAT, 0600);

    assert_true(fd >= 0);
    blobs_free(fixture->blobs);
    fixture->blobs = open_blobs(fixture->directory);
    assert_int_equal(access(file, F_OK), -1);
}

/* --- a full disk ----------------------------------------------------------- */

static int full_disk(const char *directory)
{
    struct blobs_limits limits = { 1 << 20, 1 << 20, 1 << 30 };
    struct sample sample = sample_of(4096, 'p');
    struct blobs *blobs = NULL;
    struct err err = { 0 };
    struct statvfs status;
    int r = 0;

    if (mount("tmpfs", directory, "tmpfs", 0, "size=32k") < 0 ||
        blobs_open(directory, &limits, &blobs, &err) < 0)
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
        TEST(abandoned_uploads_are_removed),
        TEST(leftovers_of_a_killed_daemon_are_removed_at_start),
        TEST(full_disk_is_reported_and_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
