/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.c - the output of an application's containers, as it comes
 *
 * The list of containers is fetched again when the application's version has
 * changed. A log whose agent does not answer is tried again later and later, so that it
 * does not hold up the others; it is given up once its container has ended.
 */
#include "client/cli/follow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "client/libcreel/client.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop.h"

#define AGENT_TIMEOUT_MS 2000
#define RETRY_FIRST_MS 250
#define RETRY_MOST_MS 4000
#define TRIES_AFTER_END 4
#define RELIST_MS 100
#define TAIL_BLOCK ((size_t)64 << 10)

struct stream {
    struct creel_log *log;      /* owned; NULL until opened */
    uint64_t offset;
    bool placed;                /* OFFSET is where reading begins (tail) */
    bool done;
    int64_t retry_ms;           /* monotonic: not before */
    int64_t retry_step_ms;
    unsigned failures;          /* in a row, since the container ended */
};

struct source {
    char *container_id;         /* owned */
    struct stream streams[2];   /* stdout, stderr */
    UT_hash_handle hh;
};

struct follow {
    struct creel_client *client;        /* borrowed */
    struct follow_options options;
    char *container_id;         /* owned; of OPTIONS */
    struct follow_calls calls;
    struct creel_apps *apps;    /* owned; one */
    struct creel_containers *containers;        /* owned */
    struct source *sources;     /* owned; by container id */
    bool changed;               /* since the containers were listed */
    bool stale;                 /* they are to be listed again now */
    int64_t listed_ms;          /* monotonic */
};

static const char *const file_names[2] = { "stdout", "stderr" };

const struct creel_app *follow_app(const struct follow *follow)
{
    return &follow->apps->items[0];
}

const struct creel_containers *follow_containers(const struct follow *follow)
{
    return follow->containers;
}

/* --- containers ------------------------------------------------------------ */

static struct source *find_source(const struct follow *follow, const char *container_id)
{
    struct source *source;

    HASH_FIND_STR(follow->sources, container_id, source);
    return source;
}

static struct source *need_source(struct follow *follow, const char *container_id)
{
    struct source *source = find_source(follow, container_id);

    if (!source) {
        source = mem_new0(struct source);
        source->container_id = mem_strdup(container_id);
        HASH_ADD_KEYPTR(hh, follow->sources, source->container_id, strlen(source->container_id),
                        source);
    }
    return source;
}

static bool is_wanted(const struct follow *follow, const struct creel_container *container)
{
    if (follow->container_id)
        return !strcmp(follow->container_id, container->id);
    return !(follow->options.without_master && container->master &&
             follow_app(follow)->kind == CREEL_JOB_TASKS);
}

static int list_again(struct follow *follow, struct creel_error *error)
{
    struct creel_containers *containers;
    int r = creel_container_list(follow->client, follow_app(follow)->id, NULL, NULL, false,
                                 &containers, error);

    if (r < 0)
        return r;
    creel_containers_free(follow->containers);
    follow->containers = containers;
    follow->stale = follow->changed = false;
    follow->listed_ms = loop_monotonic_ms();
    return 0;
}

/* --- one log --------------------------------------------------------------- */

static bool never_ran(const struct creel_container *container)
{
    return container->state == CREEL_CONTAINER_COMPLETE && container->started_ms == 0;
}

static bool may_have_output(const struct creel_container *container)
{
    return container->state >= CREEL_CONTAINER_STARTING && !never_ran(container);
}

static void stop_stream(struct stream *stream)
{
    stream->done = true;
    creel_log_close(stream->log);
    stream->log = NULL;
}

static void stream_failed(struct follow *follow, const struct creel_container *container,
                          struct stream *stream, const struct creel_error *error)
{
    bool ended = container->state == CREEL_CONTAINER_COMPLETE;
    bool passing = error->code == EHOSTUNREACH || error->code == EAGAIN ||
        (error->code == ENOENT && !ended);

    stream->failures += ended;
    if (!passing || stream->failures >= TRIES_AFTER_END) {
        stop_stream(stream);
        if (follow->calls.trouble)
            follow->calls.trouble(follow->calls.context, container, error);
        return;
    }
    stream->retry_step_ms = stream->retry_step_ms ? stream->retry_step_ms * 2 : RETRY_FIRST_MS;
    if (stream->retry_step_ms > RETRY_MOST_MS)
        stream->retry_step_ms = RETRY_MOST_MS;
    stream->retry_ms = loop_monotonic_ms() + stream->retry_step_ms;
    /* The agent may come back at another place. */
    creel_log_close(stream->log);
    stream->log = NULL;
}

/* Where the LINES last lines begin: blocks are read backwards and newlines counted. */
static int find_tail(struct creel_log *log, int64_t lines, uint64_t *offset,
                     struct creel_error *error)
{
    struct creel_log_piece piece;
    uint64_t end;
    int64_t seen = -1;          /* the newline that ends the last line begins no further one */
    int r = creel_log_read(log, 1, true, 1, 0, &piece, error);

    if (r < 0)
        return r;
    end = piece.file_size;
    if (piece.size == 1 && *(const char *)piece.data != '\n')
        seen = 0;
    while (end > 0) {
        uint64_t start = end > TAIL_BLOCK ? end - TAIL_BLOCK : 0;
        size_t i;

        r = creel_log_read(log, start, false, (size_t)(end - start), 0, &piece, error);
        if (r < 0)
            return r;
        for (i = piece.size; i-- > 0;) {
            if (((const char *)piece.data)[i] == '\n' && ++seen == lines) {
                *offset = start + i + 1;
                return 0;
            }
        }
        end = start;
    }
    *offset = 0;
    return 0;
}

static int place_stream(struct follow *follow, struct stream *stream, struct creel_error *error)
{
    struct creel_log_piece piece;
    int r = 0;

    if (follow->options.tail_lines >= 0) {
        r = find_tail(stream->log, follow->options.tail_lines, &stream->offset, error);
    } else if (follow->options.tail_bytes >= 0) {
        r = creel_log_read(stream->log, 0, true, 1, 0, &piece, error);
        if (r == 0 && piece.file_size > (uint64_t)follow->options.tail_bytes)
            stream->offset = piece.file_size - (uint64_t)follow->options.tail_bytes;
    }
    stream->placed = r == 0;
    return r;
}

static int read_stream(struct follow *follow, const struct creel_container *container,
                       struct stream *stream, bool is_stderr, size_t *got,
                       struct creel_error *error)
{
    struct creel_log_piece piece;
    int r;

    if (!stream->log) {
        r = creel_log_open(follow->client, container, file_names[is_stderr], &stream->log, error);
        if (r < 0)
            return r;
        log_set_timeout(stream->log, AGENT_TIMEOUT_MS);
    }
    if (!stream->placed && (r = place_stream(follow, stream, error)) < 0)
        return r;
    r = creel_log_read(stream->log, stream->offset, false, 0, 0, &piece, error);
    if (r < 0)
        return r;
    stream->retry_step_ms = 0;
    stream->failures = 0;
    stream->offset = piece.offset + piece.size;
    *got = piece.size;
    if (piece.size)
        follow->calls.sink(follow->calls.context, container, is_stderr, piece.data, piece.size);
    if (piece.finished && stream->offset >= piece.file_size)
        stop_stream(stream);
    return 0;
}

static size_t step_stream(struct follow *follow, const struct creel_container *container,
                          struct stream *stream, bool is_stderr)
{
    struct creel_error error = { 0 };
    size_t got = 0;

    if (stream->done || loop_monotonic_ms() < stream->retry_ms)
        return 0;
    if (read_stream(follow, container, stream, is_stderr, &got, &error) < 0)
        stream_failed(follow, container, stream, &error);
    return got;
}

/* --- steps ----------------------------------------------------------------- */

int64_t follow_step(struct follow *follow, struct creel_error *error)
{
    int64_t sum = 0;
    int r;

    if (follow->stale && (r = list_again(follow, error)) < 0)
        return r;
    for (size_t i = 0; i < follow->containers->count; i++) {
        const struct creel_container *container = &follow->containers->items[i];
        struct source *source;

        if (!is_wanted(follow, container) || !may_have_output(container))
            continue;
        source = need_source(follow, container->id);
        if (!follow->options.no_stdout)
            sum += (int64_t)step_stream(follow, container, &source->streams[0], false);
        if (!follow->options.no_stderr)
            sum += (int64_t)step_stream(follow, container, &source->streams[1], true);
    }
    return sum;
}

static bool all_complete(const struct follow *follow)
{
    for (size_t i = 0; i < follow->containers->count; i++) {
        if (follow->containers->items[i].state != CREEL_CONTAINER_COMPLETE)
            return false;
    }
    return true;
}

int follow_rest(struct follow *follow, int64_t wait_ms, struct creel_error *error)
{
    uint64_t version = follow_app(follow)->version;
    struct creel_apps *apps;
    int r = creel_app_watch(follow->client, follow_app(follow)->id, version, wait_ms, &apps, error);

    if (r < 0)
        return r;
    if (apps->items[0].version != version)
        follow->changed = true;
    creel_apps_free(follow->apps);
    follow->apps = apps;
    /* A container may also end a little after its application. */
    if (creel_app_is_over(follow_app(follow)) && !all_complete(follow))
        follow->changed = true;
    /* The longer the list, the less often it is fetched. */
    if (follow->changed && loop_monotonic_ms() - follow->listed_ms >=
        RELIST_MS + (int64_t)follow->containers->count)
        follow->stale = true;
    return 0;
}

static bool stream_is_open(const struct follow *follow, const struct creel_container *container,
                           size_t which)
{
    const struct source *source;

    if (which == 0 ? follow->options.no_stdout : follow->options.no_stderr)
        return false;
    source = find_source(follow, container->id);
    return !source || !source->streams[which].done;
}

bool follow_finished(const struct follow *follow)
{
    bool single_over = false;

    for (size_t i = 0; i < follow->containers->count; i++) {
        const struct creel_container *container = &follow->containers->items[i];

        if (!is_wanted(follow, container))
            continue;
        if (never_ran(container))
            continue;
        if (stream_is_open(follow, container, 0) || stream_is_open(follow, container, 1))
            return false;
        single_over = true;
    }
    if (follow->container_id && single_over)
        return true;
    return creel_app_is_over(follow_app(follow)) && !follow->changed;
}

/* --- life ------------------------------------------------------------------ */

int follow_new(struct creel_client *client, const char *app_id,
               const struct follow_options *options, const struct follow_calls *calls,
               struct follow **ret, struct creel_error *error)
{
    struct follow *follow = mem_new0(struct follow);
    int r;

    follow->client = client;
    follow->options = *options;
    follow->calls = *calls;
    if (options->container_id)
        follow->container_id = mem_strdup(options->container_id);
    r = creel_app_get(client, app_id, &follow->apps, error);
    if (r == 0)
        r = list_again(follow, error);
    if (r < 0) {
        follow_free(follow);
        return r;
    }
    *ret = follow;
    return 0;
}

void follow_free(struct follow *follow)
{
    struct source *source, *next;

    if (!follow)
        return;
    HASH_ITER(hh, follow->sources, source, next) {
        HASH_DEL(follow->sources, source);
        creel_log_close(source->streams[0].log);
        creel_log_close(source->streams[1].log);
        free(source->container_id);
        free(source);
    }
    creel_containers_free(follow->containers);
    creel_apps_free(follow->apps);
    free(follow->container_id);
    free(follow);
}
