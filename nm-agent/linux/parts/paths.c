/* SPDX-License-Identifier: Apache-2.0 */
/* paths.c - builds the paths of the agent's directories, and checks names used in paths */
#include "nm-agent/linux/parts/paths.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

bool paths_is_name(const char *text)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    size_t length = text ? strlen(text) : 0;

    return length > 0 && length < 80 && text[0] != '.' && strspn(text, allowed) == length;
}

bool paths_is_file_name(const char *text)
{
    size_t length = text ? strlen(text) : 0;

    if (length == 0 || length > 255 || strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
        return false;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '/' || (unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return true;
}

bool paths_is_hash(const char *text)
{
    return text && strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

char *paths_app_work(const char *local_dir, const char *user, const char *app_id)
{
    return mem_printf("%s/usercache/%s/appcache/%s", local_dir, user, app_id);
}

char *paths_work(const char *local_dir, const char *user, const char *app_id, const char *container_id)
{
    return mem_printf("%s/usercache/%s/appcache/%s/%s", local_dir, user, app_id, container_id);
}

char *paths_job_token(const char *work)
{
    return mem_printf("%.*s/" PATHS_JOB_TOKEN, (int)(strrchr(work, '/') - work), work);
}

char *paths_app_logs(const char *log_dir, const char *app_id)
{
    return mem_printf("%s/%s", log_dir, app_id);
}

char *paths_logs(const char *log_dir, const char *app_id, const char *container_id)
{
    return mem_printf("%s/%s/%s", log_dir, app_id, container_id);
}

char **paths_split(const char *list)
{
    scoped_free char *copy = mem_strdup(list ? list : "");
    char **items = NULL, *save = NULL;
    size_t count = 0, capacity = 0;

    for (char *item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
        size_t length;

        item = text_trim(item);
        if (*item == '\0')
            continue;
        length = strlen(item);
        while (length > 1 && item[length - 1] == '/')
            item[--length] = '\0';
        mem_grow(items, count + 1, capacity);
        items[count++] = mem_strdup(item);
        items[count] = NULL;
        if (item[0] != '/') {
            paths_free_list(items);
            return NULL;
        }
    }
    return items;
}

void paths_free_list(char **list)
{
    for (char **item = list; item && *item; item++)
        free(*item);
    free(list);
}

bool paths_list_has(const char *list, const char *name)
{
    scoped_free char *copy = mem_strdup(list ? list : "");
    char *save = NULL;

    for (char *item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save))
        if (strcmp(text_trim(item), name) == 0)
            return true;
    return false;
}
