/* SPDX-License-Identifier: Apache-2.0 */
/* pem.c - reads PEM files that the configuration names */
#include "common/conf/pem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/mem.h"

int conf_read_pem(const struct conf *conf, enum conf_key key, const char *mark, char **ret, struct err *err)
{
    const char *path = conf_text(conf, key), *name = conf_key_info(key)->name;
    scoped_free char *text = mem_alloc0(CONF_PEM_BYTES_MAX + 1);
    FILE *file = file_stream(path, NULL);
    size_t size;

    if (file == NULL)
        return err_set(err, EINVAL, "%s: %s cannot be read: %s", name, path,
                       errno == EINVAL || errno == EISDIR ? "it is no file" : strerror(errno));
    size = fread(text, 1, CONF_PEM_BYTES_MAX + 1, file);
    fclose(file);
    if (size > CONF_PEM_BYTES_MAX || strlen(text) != size || strstr(text, mark) == NULL) {
        explicit_bzero(text, CONF_PEM_BYTES_MAX);
        return err_set(err, EINVAL, "%s: %s has no line with %s", name, path, mark);
    }
    *ret = mem_strdup(text);
    explicit_bzero(text, size);
    return 0;
}

void conf_free_secret(char *text)
{
    if (text != NULL)
        explicit_bzero(text, strlen(text));
    free(text);
}
