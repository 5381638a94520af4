/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - interned strings with reference counts */
#include "web/model/names.h"

#include <string.h>

#include "common/base/mem.h"

struct name *names_intern(struct name **table, const char *text)
{
    size_t length = strlen(text);
    struct name *name;

    HASH_FIND(hh, *table, text, length, name);
    if (name == NULL) {
        name = mem_alloc0(sizeof(*name) + length + 1);
        memcpy(name->text, text, length);
        HASH_ADD_KEYPTR(hh, *table, name->text, length, name);
    }
    name->users++;
    return name;
}

void names_drop(struct name **table, struct name *name)
{
    if (name == NULL || --name->users > 0)
        return;
    HASH_DEL(*table, name);
    free(name);
}
