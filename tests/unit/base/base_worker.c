/* SPDX-License-Identifier: Apache-2.0 */
/* base_worker.c - test: a thread that runs jobs which block */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "common/base/worker.h"

#define LONG_MS 60000

struct fixture {
    struct worker *worker;
    int gate[2]; /* a job that reads it blocks until a byte is written */
    int ran;     /* jobs whose DONE was called */
};

struct job {
    struct worker_job job; /* first member */
    struct fixture *fixture;
    int read_fd;   /* -1: the job does not block */
    int tested_fd; /* -1: none */
    bool was_open;
    bool *is_open; /* gets WAS_OPEN; NULL: none */
};

static void run(struct worker_job *base)
{
    struct job *job = (struct job *)base;
    char byte;

    if (job->read_fd >= 0)
        while (read(job->read_fd, &byte, 1) < 0)
            ;
    job->was_open = job->tested_fd >= 0 && fcntl(job->tested_fd, F_GETFD) >= 0;
}

static void done(struct worker_job *base)
{
    struct job *job = (struct job *)base;

    job->fixture->ran++;
    if (job->is_open != NULL)
        *job->is_open = job->was_open;
    free(job);
}

static struct job *new_job(struct fixture *fixture, int read_fd)
{
    struct job *job = mem_new0(struct job);

    *job = (struct job){ { .run = run, .done = done }, fixture, read_fd, -1, false, NULL };
    return job;
}

static int set_up(void **state)
{
    struct fixture *fixture = mem_new0(struct fixture);

    *state = fixture;
    return pipe(fixture->gate) == 0 && worker_start(NULL, false, &fixture->worker, NULL) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    close(fixture->gate[1]); /* ends each job that reads */
    if (fixture->worker != NULL && !worker_free(fixture->worker, LONG_MS))
        return -1;
    close(fixture->gate[0]);
    free(fixture);
    return 0;
}

static void a_job_that_ends_in_time_is_done(void **state)
{
    struct fixture *fixture = *state;

    assert_true(worker_run(fixture->worker, &new_job(fixture, -1)->job, LONG_MS));
    assert_int_equal(fixture->ran, 1);
    assert_true(worker_wait(fixture->worker, 0));
}

static void a_job_that_blocks_is_done_later(void **state)
{
    struct fixture *fixture = *state;

    assert_false(worker_run(fixture->worker, &new_job(fixture, fixture->gate[0])->job, 1));
    assert_false(worker_run(fixture->worker, &new_job(fixture, -1)->job, 1));
    assert_false(worker_wait(fixture->worker, 1));
    assert_int_equal(fixture->ran, 0);
    assert_int_equal(write(fixture->gate[1], "x", 1), 1);
    assert_true(worker_wait(fixture->worker, LONG_MS));
    assert_int_equal(fixture->ran, 2);
}

static void a_thread_with_own_files_has_no_descriptor_of_the_process(void **state)
{
    struct fixture *fixture = *state;
    bool is_open[2];

    for (int own_files = 0; own_files < 2; own_files++) {
        struct worker *worker;
        struct job *job = new_job(fixture, -1);

        job->tested_fd = fixture->gate[0];
        job->is_open = &is_open[own_files];
        assert_int_equal(worker_start(NULL, own_files == 1, &worker, NULL), 0);
        assert_true(worker_run(worker, &job->job, LONG_MS));
        assert_true(worker_free(worker, LONG_MS));
    }
    assert_true(is_open[0]);
    assert_false(is_open[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(a_job_that_ends_in_time_is_done),
        CASE(a_job_that_blocks_is_done_later),
        CASE(a_thread_with_own_files_has_no_descriptor_of_the_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
