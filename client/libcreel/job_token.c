/* SPDX-License-Identifier: Apache-2.0 */
/* job_token.c - the token of the application in one of whose containers this process runs */
#include "client/libcreel/job_token.h"

#include <fcntl.h>
#include <stdlib.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/io/wire/token.h"

bool job_token_read(uint8_t **bytes, size_t *size)
{
    const char *name = getenv("CREEL_JOB_TOKEN_FILE");
    scoped_fd int fd = name != NULL && *name != '\0' ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    char *content;

    if (fd < 0 || file_read(fd, TOKEN_BYTES_MAX, &content, size) < 0)
        return false;
    *bytes = (uint8_t *)content;
    if (*size > 0)
        return true;
    free(content);
    return false;
}
