/* SPDX-License-Identifier: Apache-2.0 */
/* access.c - finds the access lists of a queue of the fair scheduler */
#include "rm/sched/fair/access.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

struct fair_access {
    struct access_gate gate;
};

struct fair_access *fair_access_new(const struct conf *conf)
{
    struct fair_access *access = mem_new0(struct fair_access);

    access_gate_open(&access->gate, conf);
    return access;
}

void fair_access_read(struct fair_access *access, const struct conf *conf)
{
    access_gate_close(&access->gate);
    access_gate_open(&access->gate, conf);
}

void fair_access_free(struct fair_access *access)
{
    if (access == NULL)
        return;
    access_gate_close(&access->gate);
    free(access);
}

/* Returns the queue PATH of the file, or the nearest one above; root if there is no other. */
static const struct fair_settings *nearest(const struct fair_allocations *allocations, const char *path)
{
    scoped_free char *above = mem_strdup(path);
    const struct fair_settings *settings;
    char *dot;

    while ((settings = fair_allocations_find(allocations, above)) == NULL) {
        if ((dot = strrchr(above, '.')) == NULL)
            return allocations->root;
        *dot = '\0';
    }
    return settings;
}

static const void *lists_of(void *context, const void *item, struct access_queue *ret)
{
    const struct fair_settings *queue = item;

    (void)context;
    *ret = (struct access_queue){
        .path = queue->path,
        .lists = { queue->acl_submit, queue->acl_administer },
    };
    return queue->parent;
}

static const struct access_source source = {
    .names = { "aclSubmitApps", "aclAdministerApps" },
    .lists = lists_of,
};

struct access_answer fair_access_ask(const struct fair_access *access,
                                     const struct fair_allocations *allocations, const char *path,
                                     const struct acl_person *person, enum access_permission permission)
{
    return access_ask(&access->gate, &source, nearest(allocations, path), person, permission);
}

int fair_access_require(const struct fair_access *access, const struct fair_allocations *allocations,
                        const char *path, const struct acl_person *person, enum access_permission permission,
                        struct err *err)
{
    if (fair_access_ask(access, allocations, path, person, permission).allowed)
        return 0;
    return access_refuse(&source, nearest(allocations, path), path, person, permission, err);
}

const char *fair_access_explain(const struct fair_access *access, const struct access_answer *answer,
                                char *text, size_t size)
{
    return access_explain(&access->gate, &source, answer, text, size);
}
