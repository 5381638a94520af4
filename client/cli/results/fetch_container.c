/* SPDX-License-Identifier: Apache-2.0 */
/* fetch_container.c - brings the results of one container to a directory here */
#include "client/cli/results/fetch_container.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/frame/archive_program.h"
#include "client/cli/results/place_tree.h"
#include "common/base/file.h"
#include "common/base/job/archive_limits.h"
#include "common/base/mem.h"
#include "common/base/monotonic.h"

#define WAIT_MS 10000      /* of one read, while the container ends */
#define PATIENCE_MS 600000 /* for the end of the container: it may pack a lot */
#define PROGRESS_AFTER_MS 1000
#define PROGRESS_EVERY_MS 200

struct transfer {
    struct creel_client *client;
    const struct creel_container *container;
    const struct fetch_place *place;
    struct results *results;
    int64_t started_ms, shown_ms;
    struct err *err;
};

static int set_error(const struct transfer *transfer, const char *what, const struct creel_error *error)
{
    return err_set(transfer->err, error->code, "results of %s: %s%s", transfer->place->label, what,
                   error->text);
}

static int damaged(const struct transfer *transfer, const char *problem)
{
    return err_set(transfer->err, EBADMSG, "results of %s: the data from node %s %s; nothing was written",
                   transfer->place->label, transfer->container->node_id, problem);
}

static int cannot(const struct transfer *transfer, int code, const char *path)
{
    return err_set_errno(transfer->err, code, "results of %s: %s cannot be written", transfer->place->label,
                         path);
}

/* --- the list ------------------------------------------------------------------------ */

/* Reads the list, which does not exist before the container has ended. TEXT has room for RESULTS_LIST_MAX. */
static int read_list(const struct transfer *transfer, struct creel_log *log, char *text, size_t *size)
{
    int64_t until_ms = monotonic_ms() + PATIENCE_MS;
    struct creel_error error;

    *size = 0;
    for (;;) {
        struct creel_log_piece piece;

        if (creel_log_read(log, *size, false, RESULTS_LIST_MAX, WAIT_MS, &piece, &error) < 0)
            return set_error(transfer, "", &error);
        if (piece.size > RESULTS_LIST_MAX - *size)
            return damaged(transfer, "has a list of results that is too long");
        if (piece.size > 0) /* else there is no data to point to */
            memcpy(text + *size, piece.data, piece.size);
        *size += piece.size;
        if (piece.size == 0 && (piece.finished || *size > 0))
            return 0;
        if (*size == 0 && monotonic_ms() > until_ms)
            return err_set(transfer->err, ETIMEDOUT, "results of %s: its container does not end",
                           transfer->place->label);
    }
}

static int get_list(const struct transfer *transfer)
{
    char text[RESULTS_LIST_MAX];
    struct creel_error error;
    struct creel_log *log;
    size_t size;
    int r;

    if (creel_log_open(transfer->client, transfer->container, RESULTS_LIST, &log, &error) < 0)
        return set_error(transfer, "", &error);
    r = read_list(transfer, log, text, &size);
    creel_log_close(log);
    if (r < 0)
        return r;
    if (size == 0)
        return err_set(transfer->err, ENOENT, "results of %s: there are none; was it submitted with --fetch?",
                       transfer->place->label);
    return results_parse(text, size, transfer->results) < 0
               ? damaged(transfer, "has no valid list of results")
               : 0;
}

/* --- the archive --------------------------------------------------------------------- */

static void show_progress(struct transfer *transfer, int64_t done)
{
    int64_t now_ms = monotonic_ms();

    if (!transfer->place->progress || now_ms - transfer->started_ms < PROGRESS_AFTER_MS ||
        now_ms - transfer->shown_ms < PROGRESS_EVERY_MS)
        return;
    transfer->shown_ms = now_ms;
    fprintf(stderr, "\r\033[Kcreel: results of %s: %" PRId64 " of %" PRId64 " MiB", transfer->place->label,
            done >> 20, transfer->results->bytes >> 20);
    fflush(stderr);
}

static void end_progress(const struct transfer *transfer)
{
    if (transfer->shown_ms != 0)
        fputs("\r\033[K", stderr);
}

/* Copies the archive to FD, and compares it with the list. */
static int copy_archive(struct transfer *transfer, struct creel_log *log, int fd)
{
    uint8_t hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    int64_t done = 0;
    int r;

    crypto_hash_sha256_init(&state);
    while (done < transfer->results->bytes) {
        struct creel_log_piece piece;
        struct creel_error error;

        if (creel_log_read(log, (uint64_t)done, false, 0, 0, &piece, &error) < 0)
            return set_error(transfer, "", &error);
        if (piece.size == 0 || (int64_t)piece.size > transfer->results->bytes - done)
            return damaged(transfer, "differs in size from the list of results");
        if ((r = file_write(fd, piece.data, piece.size)) < 0)
            return cannot(transfer, -r, transfer->place->directory);
        crypto_hash_sha256_update(&state, piece.data, piece.size);
        done += (int64_t)piece.size;
        show_progress(transfer, done);
    }
    crypto_hash_sha256_final(&state, hash);
    return memcmp(hash, transfer->results->sha256, sizeof(hash)) == 0
               ? 0
               : damaged(transfer, "differs in SHA-256 from the list of results");
}

static int get_archive(struct transfer *transfer, int fd)
{
    struct creel_error error;
    struct creel_log *log;
    int r;

    if (creel_log_open(transfer->client, transfer->container, RESULTS_ARCHIVE, &log, &error) < 0)
        return set_error(transfer, "", &error);
    transfer->started_ms = monotonic_ms();
    r = copy_archive(transfer, log, fd);
    end_progress(transfer);
    creel_log_close(log);
    return r;
}

/* --- its files ------------------------------------------------------------------------ */

/* Unpacks the archive ARCHIVE_FD in the directory HIDDEN_FD, and moves its files to TARGET_FD. */
static int unpack_and_place(const struct transfer *transfer, int archive_fd, int hidden_fd, int target_fd)
{
    char bytes[24], entries[24];
    const struct archive_request request = {
        .words = { "unpack", entries, bytes }, .in = archive_fd, .out = -1, .list = -1, .directory = hidden_fd
    };
    int r;

    snprintf(entries, sizeof(entries), "%d", ARCHIVE_ENTRIES_MAX);
    snprintf(bytes, sizeof(bytes), "%" PRId64, transfer->results->bytes);
    if (lseek(archive_fd, 0, SEEK_SET) != 0)
        return cannot(transfer, errno, transfer->place->directory);
    r = archive_program_run(&request, transfer->err);
    if (r == 0)
        r = place_tree(hidden_fd, target_fd, transfer->err);
    if (r < 0)
        err_prefix(transfer->err, "results of %s: %s", transfer->place->label, transfer->place->directory);
    return r;
}

/* Opens a file without name in the directory FD. */
static int open_nameless(const struct transfer *transfer, int fd)
{
    int file = openat(fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    scoped_free char *path = NULL;

    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return file;
    path = mem_printf("%s/.creel-fetch-XXXXXX", transfer->place->directory);
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

static int place_archive(struct transfer *transfer, int target_fd, const char *hidden)
{
    scoped_fd int hidden_fd = open(hidden, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    scoped_fd int archive_fd = open_nameless(transfer, target_fd);
    int r;

    if (hidden_fd < 0 || archive_fd < 0)
        return cannot(transfer, errno, transfer->place->directory);
    r = get_archive(transfer, archive_fd);
    if (r == 0)
        r = unpack_and_place(transfer, archive_fd, hidden_fd, target_fd);
    place_tree_clear(hidden_fd);
    return r;
}

static int make_directory(const struct transfer *transfer, const char *path)
{
    return mkdir(path, 0777) != 0 && errno != EEXIST ? cannot(transfer, errno, path) : 0;
}

static int get_files(struct transfer *transfer)
{
    const char *directory = transfer->place->directory;
    scoped_free char *hidden = mem_printf("%s/.creel-fetch-XXXXXX", directory);
    scoped_fd int target_fd = -1;
    int r = make_directory(transfer, directory);

    if (r < 0)
        return r;
    target_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (target_fd < 0 || mkdtemp(hidden) == NULL)
        return cannot(transfer, errno, directory);
    r = place_archive(transfer, target_fd, hidden);
    rmdir(hidden);
    return r;
}

int fetch_container(struct creel_client *client, const struct creel_container *container,
                    const struct fetch_place *place, struct results *results, struct err *err)
{
    struct transfer transfer = { client, container, place, results, 0, 0, err };
    int r;

    *results = (struct results){ .bytes = 0 };
    r = get_list(&transfer);
    return r == 0 && results->bytes > 0 ? get_files(&transfer) : r;
}
