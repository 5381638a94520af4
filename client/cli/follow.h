/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.h - the output of an application's containers, as it comes
 *
 * Step by step, without threads: each step reads what every log has since the
 * last one. Containers that appear later (tasks, further attempts) join; one that
 * has ended and was read to its end is left alone.
 *
 *     while (!follow_finished(follow)) {
 *             if (follow_step(follow, &error) == 0)
 *                     follow_rest(follow, 200, &error);
 *     }
 */
#ifndef CREEL_CLI_FOLLOW_H
#define CREEL_CLI_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/include/creel.h"

struct follow;

struct follow_options {
    const char *container_id;   /* only this one; NULL: all */
    bool without_master;        /* leave out the built-in master of a job of tasks */
    bool no_stdout, no_stderr;
    int64_t tail_lines;         /* begin so many lines before the end; -1: at the beginning */
    int64_t tail_bytes;         /* or so many bytes; -1 */
};

/* A piece of one log, never empty. CONTAINER lives during the call. */
typedef void follow_sink_fn(void *context, const struct creel_container *container,
                            bool is_stderr, const char *data, size_t size);
/* A log cannot be read (node gone, expired): said once for each log. */
typedef void follow_trouble_fn(void *context, const struct creel_container *container,
                               const struct creel_error *error);

struct follow_calls {
    follow_sink_fn *sink;
    follow_trouble_fn *trouble; /* may be NULL */
    void *context;
};

/* CLIENT is borrowed. APP_ID whole or a suffix. */
int follow_new(struct creel_client *client, const char *app_id,
               const struct follow_options *options, const struct follow_calls *calls,
               struct follow **ret, struct creel_error *error);
void follow_free(struct follow *follow);                /* NULL is fine */

/* Read once what is there: bytes handed to the sink, or -errno if the RM fails. */
int64_t follow_step(struct follow *follow, struct creel_error *error);
/* Nothing was there: wait until the application changes, at most WAIT_MS. */
int follow_rest(struct follow *follow, int64_t wait_ms, struct creel_error *error);

/* All that is there now has been read to its end / and no more can come. */
bool follow_finished(const struct follow *follow);
/* The application as last seen; borrowed until the next call. */
const struct creel_app *follow_app(const struct follow *follow);
/* Its containers as last seen. */
const struct creel_containers *follow_containers(const struct follow *follow);

#endif
