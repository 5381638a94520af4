/* SPDX-License-Identifier: Apache-2.0 */
/* log_storage.c - where agents write the logs of ended applications, and where clients find them */
#include "common/conf/log_storage.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/shared_directory.h"

static int refuse(const struct conf *conf, enum conf_key key, const char *expected, struct err *err)
{
    const char *name = conf_key_info(key)->name;
    char origin[CONF_ORIGIN_MAX];

    return err_set(err, EINVAL, "%s: %s: \"%.200s\": %s", conf_origin(conf, name, origin, sizeof(origin)),
                   name, conf_text(conf, key), expected);
}

/* Returns the path in TEXT, which is a path, "file:/path", "file:///path" or "file://localhost/path"; NULL:
 * it is none of them. */
static const char *path_of(const char *text)
{
    if (strncasecmp(text, "file:", 5) == 0) {
        text += 5;
        if (strncmp(text, "//", 2) == 0) {
            text += 2;
            text += strncasecmp(text, "localhost/", 10) == 0 ? 9 : 0;
        }
    }
    return text[0] == '/' ? text : NULL;
}

static char *without_slashes(const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return mem_strndup(path, length);
}

static bool is_name(const char *text)
{
    size_t length = strlen(text);

    return length > 0 && length < 200 && text[0] != '.' && strchr(text, '/') == NULL;
}

int log_storage_read(const struct conf *conf, struct log_storage *storage, struct err *err)
{
    const char *path = path_of(conf_text(conf, CONF_REMOTE_LOG_DIR));

    *storage = (struct log_storage){ .dir = NULL };
    if (!conf_bool(conf, CONF_LOG_AGGREGATION))
        return 0;
    if (path == NULL)
        return refuse(conf, CONF_REMOTE_LOG_DIR,
                      "expected a directory on shared storage, as file:///shared/logs or /shared/logs; logs "
                      "stay on the nodes",
                      err);
    if (!is_name(conf_text(conf, CONF_REMOTE_LOG_SUFFIX)))
        return refuse(conf, CONF_REMOTE_LOG_SUFFIX,
                      "expected the name of a directory; logs stay on the nodes", err);
    storage->dir = without_slashes(path);
    storage->suffix = mem_strdup(conf_text(conf, CONF_REMOTE_LOG_SUFFIX));
    return 0;
}

/* Returns true if TEXT can be the beginning of an address: "http://", a host, printable characters alone. */
static bool is_http(const char *text)
{
    size_t scheme = strncasecmp(text, "http://", 7) == 0 ? 7 : strncasecmp(text, "https://", 8) == 0 ? 8 : 0;

    if (scheme == 0 || !isalnum((unsigned char)text[scheme]) || strpbrk(text, "\"<>\\?#") != NULL)
        return false;
    for (const char *at = text; *at; at++)
        if (!isgraph((unsigned char)*at))
            return false;
    return true;
}

int log_server_read(const struct conf *conf, enum conf_key key, const char **url, struct err *err)
{
    const char *text = conf_text(conf, key);

    *url = "";
    if (*text == '\0' || !conf_bool(conf, CONF_LOG_AGGREGATION))
        return 0;
    if (!is_http(text))
        return refuse(conf, key, "expected http://HOST/PATH or https://HOST/PATH; it is not used", err);
    *url = text;
    return 0;
}

void log_storage_clear(struct log_storage *storage)
{
    free(storage->dir);
    free(storage->suffix);
    *storage = (struct log_storage){ .dir = NULL };
}

int log_storage_check(const struct log_storage *storage, struct err *err)
{
    int r = storage->dir ? shared_directory_check(storage->dir, err) : 0;

    if (r < 0)
        err_prefix(err, "%s", conf_key_info(CONF_REMOTE_LOG_DIR)->name);
    return r;
}

char *log_storage_file(const char *node_id)
{
    char *name = mem_printf("%s" LOG_STORAGE_TYPE, node_id);

    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '.' && *at != '-')
            *at = '_';
    if (name[0] == '.')
        name[0] = '_';
    return name;
}

char *log_storage_app(const struct log_storage *storage, const char *user, const char *app_id)
{
    return mem_printf("%s/%s/%s/%s", storage->dir, user, storage->suffix, app_id);
}
