/* SPDX-License-Identifier: Apache-2.0 */
/* clock_record.c - notices that the clock of the host was set while the resource manager did not run */
#include "rm/net/parts/clock_record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/io/loop/log.h"

#define BOOT_ID_MAX 64
#define CLOSE_ENOUGH_MS 10000
#define CHANGE_MS 1000

static int64_t since_boot_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool read_text(const char *path, char *text, size_t room)
{
    scoped_fd int fd = file_open(AT_FDCWD, path, O_RDONLY, 0, NULL);
    ssize_t got = fd >= 0 ? read(fd, text, room - 1) : -1;

    if (got < 0)
        return false;
    text[got] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return true;
}

static bool read_boot_id(char boot_id[BOOT_ID_MAX])
{
    const char *passed = getenv("CREEL_BOOT_ID");

    if (passed && *passed) {
        snprintf(boot_id, BOOT_ID_MAX, "%s", passed);
        return true;
    }
    return read_text("/proc/sys/kernel/random/boot_id", boot_id, BOOT_ID_MAX) && *boot_id;
}

int64_t clock_record_read(const char *directory, int64_t wall_ms)
{
    scoped_free char *path = mem_printf("%s/clock", directory);
    char text[256], boot_id[BOOT_ID_MAX], recorded[BOOT_ID_MAX];
    int64_t offset_ms, set_ms;

    if (!read_text(path, text, sizeof(text)) || !read_boot_id(boot_id) ||
        sscanf(text, "%63s %" SCNd64, recorded, &offset_ms) != 2 || strcmp(recorded, boot_id) != 0)
        return 0;
    set_ms = wall_ms - (offset_ms + since_boot_ms());
    if (set_ms < CLOSE_ENOUGH_MS && set_ms > -CLOSE_ENOUGH_MS)
        return 0;
    log_line(LOG_LEVEL_WARN,
             "the clock of this host was set %s by %" PRId64
             " s since the resource manager ran last: time limits of "
             "applications are moved by that",
             set_ms < 0 ? "back" : "forward", (set_ms < 0 ? -set_ms : set_ms) / 1000);
    return set_ms;
}

static int write_file(const char *directory, const char *boot_id, int64_t offset_ms, struct err *err)
{
    scoped_free char *path = mem_printf("%s/clock", directory);
    scoped_free char *text = mem_printf("%s %" PRId64 "\n", boot_id, offset_ms);
    int r = file_replace(AT_FDCWD, path,
                         &(struct file_content){ .data = text, .size = strlen(text), .mode = 0600 });

    return r < 0 ? file_explain_replace(path, r, err) : 0;
}

int clock_record_write(struct clock_record *record, const char *directory, int64_t now_ms, bool first,
                       struct err *err)
{
    int64_t offset_ms = now_ms - since_boot_ms(), change_ms = offset_ms - record->offset_ms;
    bool failed_before = record->failing;
    char boot_id[BOOT_ID_MAX];
    int r;

    if ((!first && change_ms < CHANGE_MS && change_ms > -CHANGE_MS) || !read_boot_id(boot_id))
        return 0;
    r = write_file(directory, boot_id, offset_ms, err);
    record->failing = r < 0;
    if (r == 0)
        record->offset_ms = offset_ms;
    return failed_before ? 0 : r;
}
