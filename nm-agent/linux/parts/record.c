/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - writes small files atomically, and reads them */
#include "nm-agent/linux/parts/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>

#include "common/base/file.h"
#include "common/base/mem.h"

static int replace(int directory_fd, const char *name, const void *data, size_t size,
                   enum file_durability durability, struct err *err)
{
    int result = file_replace(
        directory_fd, name,
        &(struct file_content){ .data = data, .size = size, .mode = 0600, .durability = durability });

    return result == 0 ? 0 : err_set_errno(err, -result, "cannot write %s", name);
}

int record_write(int directory_fd, const char *name, const void *data, size_t size, struct err *err)
{
    return replace(directory_fd, name, data, size, FILE_DURABLE, err);
}

int record_put(int directory_fd, const char *name, const void *data, size_t size, struct err *err)
{
    return replace(directory_fd, name, data, size, FILE_COMPLETE, err);
}

int record_put_new(int directory_fd, const char *name, const void *data, size_t size, struct err *err)
{
    scoped_fd int fd = file_open(directory_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600, NULL);
    int result = fd < 0 ? fd : file_write(fd, data, size);

    return result == 0 ? 0 : err_set_errno(err, -result, "cannot write %s", name);
}

int record_read(int directory_fd, const char *name, char **data, size_t *size, struct err *err)
{
    scoped_fd int fd = file_open(directory_fd, name, O_RDONLY | O_NOFOLLOW, 0, NULL);
    int result = fd < 0 ? fd : file_read(fd, SIZE_MAX, data, size);

    return result == 0 ? 0 : err_set_errno(err, -result, "cannot read %s", name);
}
