/* SPDX-License-Identifier: Apache-2.0 */
/* history_loss.c - what the history lacks for good, in a file that outlives the resource manager */
#include "rm/net/history/history_loss.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/io/loop/log.h"

#define FORMAT "applications %" SCNu64 " last %" SCNd64 " moved %" SCNd64

void history_loss_open(struct history_loss *loss, const char *state_directory)
{
    char text[256] = "";
    scoped_fd int fd = -1;
    ssize_t size;

    *loss = (struct history_loss){ .path = mem_printf("%s/" HISTORY_LOSS_FILE, state_directory) };
    fd = file_open(AT_FDCWD, loss->path, O_RDONLY, 0, NULL);
    if (fd == -ENOENT)
        return;
    loss->recorded = true;
    size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (size >= 0 && sscanf(text, FORMAT, &loss->lost, &loss->last_ms, &loss->moved_ms) == 3)
        return;
    log_line(LOG_LEVEL_WARN,
             "%s is not a record of what the history lacks, and is ignored: look at it, and remove it",
             loss->path);
    loss->lost = 0;
    loss->last_ms = loss->moved_ms = 0;
}

void history_loss_done(struct history_loss *loss)
{
    free(loss->path);
    loss->path = NULL;
}

void history_loss_add(struct history_loss *loss, int64_t now_ms)
{
    loss->lost++;
    loss->last_ms = now_ms;
    loss->changed = true;
}

void history_loss_note_moved(struct history_loss *loss, bool moved, int64_t now_ms)
{
    if (moved == (loss->moved_now_ms != 0))
        return;
    loss->moved_now_ms = moved ? now_ms : 0;
    loss->changed = true;
}

static bool is_none(const struct history_loss *loss)
{
    return loss->lost == 0 && loss->moved_ms == 0 && loss->moved_now_ms == 0;
}

static void forget(struct history_loss *loss)
{
    loss->lost = 0;
    loss->last_ms = loss->moved_ms = 0;
}

static int write_file(const struct history_loss *loss)
{
    int64_t moved_ms = loss->moved_now_ms != 0 ? loss->moved_now_ms : loss->moved_ms;
    scoped_free char *text = mem_printf("applications %" PRIu64 " last %" PRId64 " moved %" PRId64 "\n",
                                        loss->lost, loss->last_ms, moved_ms);

    if (is_none(loss))
        return unlink(loss->path) < 0 && errno != ENOENT ? -errno : 0;
    return file_replace(AT_FDCWD, loss->path,
                        &(struct file_content){
                            .data = text, .size = strlen(text), .mode = 0600, .durability = FILE_DURABLE });
}

static void write_changes(struct history_loss *loss)
{
    int r = write_file(loss);

    if (r < 0 && !loss->failing)
        log_line(LOG_LEVEL_WARN,
                 "%s: cannot write: %s: after a restart it is not known what the history lacks", loss->path,
                 strerror(-r));
    loss->failing = r < 0;
    loss->changed = r < 0;
    if (r == 0)
        loss->recorded = !is_none(loss);
}

void history_loss_record(struct history_loss *loss, int64_t keep_ms, int64_t now_ms)
{
    int64_t last_ms = loss->last_ms > loss->moved_ms ? loss->last_ms : loss->moved_ms;

    if (loss->recorded && access(loss->path, F_OK) < 0 && errno == ENOENT) {
        log_line(LOG_LEVEL_INFO, "%s was removed: what the history lacks is acknowledged", loss->path);
        loss->recorded = false;
        forget(loss);
    }
    if (last_ms > 0 && now_ms - last_ms > keep_ms) {
        forget(loss);
        loss->changed = true;
    }
    if (loss->changed)
        write_changes(loss);
}

char *history_loss_text(const struct history_loss *loss)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;
    char moved[TEXT_SIZE_MAX];

    if (loss->lost > 0)
        text_builder_printf(&text,
                            "%" PRIu64
                            " application%s missing in the history, because it could not be written for too "
                            "long",
                            loss->lost, loss->lost == 1 ? " is" : "s are");
    if (loss->moved_ms > 0) {
        text_builder_separate(&text, "; ");
        text_builder_printf(&text,
                            "jobs that had ended before %s may be missing in the history, because its "
                            "directory was removed or replaced",
                            text_format_utc(loss->moved_ms, moved));
    }
    return text_builder_finish(&text);
}
