/* SPDX-License-Identifier: Apache-2.0 */
/* command_words.c - splits the value of a key into the path of a program and its arguments */
#include "common/conf/command_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

#define BLANKS " \t\r\n"

static char **split(const char *text)
{
    char **words = NULL;
    size_t count = 0, capacity = 0;

    for (const char *at = text + strspn(text, BLANKS); *at != '\0'; at += strspn(at, BLANKS)) {
        size_t length = strcspn(at, BLANKS);

        mem_grow(words, count, capacity);
        words[count++] = mem_strndup(at, length);
        at += length;
    }
    if (words == NULL)
        return NULL;
    mem_grow(words, count, capacity);
    words[count] = NULL;
    return words;
}

int command_words_read(const struct conf *conf, enum conf_key key, char ***ret, struct err *err)
{
    const char *name = conf_key_info(key)->name;
    char origin[CONF_ORIGIN_MAX];
    char **words = split(conf_text(conf, key));
    int r;

    *ret = NULL;
    if (words != NULL && words[0][0] != '/') {
        r = err_set(err, EINVAL, "%s: %s: %s is no absolute path (expected /PATH/TO/PROGRAM ARGUMENTS)",
                    conf_origin(conf, name, origin, sizeof(origin)), name, words[0]);
        command_words_free(words);
        return r;
    }
    *ret = words;
    return 0;
}

void command_words_free(char **words)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        free(words[i]);
    free(words);
}
