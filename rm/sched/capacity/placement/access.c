/* SPDX-License-Identifier: Apache-2.0 */
/* access.c - finds the access lists of a queue of the capacity scheduler */
#include "rm/sched/capacity/placement/access.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

static const char *const keys[] = {
    [ACCESS_SUBMIT] = "acl_submit_applications",
    [ACCESS_ADMINISTER] = "acl_administer_queue",
};

/* A parsed access list, cached by its text, since many queues have the same few lists. */
struct list {
    UT_hash_handle hh;
    char *text;      /* owned; as written */
    struct acl *acl; /* owned */
};

struct capacity_access {
    struct access_gate gate;
    struct list *lists; /* owned hash, by text */
};

struct capacity_access *capacity_access_new(const struct conf *conf)
{
    struct capacity_access *access = mem_new0(struct capacity_access);

    access_gate_open(&access->gate, conf);
    return access;
}

void capacity_access_read(struct capacity_access *access, const struct conf *conf)
{
    access_gate_close(&access->gate);
    access_gate_open(&access->gate, conf);
}

void capacity_access_free(struct capacity_access *access)
{
    struct list *list, *next;

    if (access == NULL)
        return;
    HASH_ITER(hh, access->lists, list, next) {
        HASH_DEL(access->lists, list);
        acl_free(list->acl);
        free(list->text);
        free(list);
    }
    access_gate_close(&access->gate);
    free(access);
}

bool capacity_access_is_exempt(const struct capacity_access *access, const struct acl_person *person)
{
    return access_gate_is_exempt(&access->gate, person);
}

static const struct acl *list_of(struct capacity_access *access, const char *text)
{
    struct list *list = NULL;
    size_t length;

    text = text ? text : "";
    length = strlen(text);
    HASH_FIND(hh, access->lists, text, length, list);
    if (list == NULL) {
        list = mem_new0(struct list);
        list->text = mem_strdup(text);
        list->acl = acl_new(text);
        HASH_ADD_KEYPTR(hh, access->lists, list->text, length, list);
    }
    return list->acl;
}

static const void *lists_of(void *context, const void *item, struct access_queue *ret)
{
    const struct capacity_queue *queue = item;

    *ret = (struct access_queue){
        .path = queue->path,
        .lists = { list_of(context, queue->acl_submit), list_of(context, queue->acl_administer) },
    };
    return queue->parent;
}

static struct access_source source_of(struct capacity_access *access)
{
    return (struct access_source){
        .names = { keys[ACCESS_SUBMIT], keys[ACCESS_ADMINISTER] },
        .lists = lists_of,
        .context = access,
    };
}

void capacity_access_check_lists(struct capacity_access *access, const struct capacity_config *config,
                                 conf_warn_fn *warn, void *context)
{
    const struct capacity_queue *queue;

    if (warn == NULL)
        return;
    TAILQ_FOREACH(queue, &config->queues, link) {
        struct access_queue lists;

        (void)lists_of(access, queue, &lists);
        for (int p = ACCESS_SUBMIT; p <= ACCESS_ADMINISTER; p++) {
            const struct acl *acl = lists.lists[p];

            if (acl_complaint(acl)) {
                scoped_free char *text = mem_printf("yarn.scheduler.capacity.%s.%s: %s: %s", queue->path,
                                                    keys[p], acl_text(acl), acl_complaint(acl));

                warn(context, CONF_WARNING, text);
            }
        }
    }
}

struct access_answer capacity_access_ask(struct capacity_access *access, const struct capacity_queue *queue,
                                         const struct acl_person *person, enum access_permission permission)
{
    const struct access_source source = source_of(access);

    return access_ask(&access->gate, &source, queue, person, permission);
}

int capacity_access_require(struct capacity_access *access, const struct capacity_queue *queue,
                            const struct acl_person *person, enum access_permission permission,
                            struct err *err)
{
    const struct access_source source = source_of(access);

    if (access_ask(&access->gate, &source, queue, person, permission).allowed)
        return 0;
    return access_refuse(&source, queue, queue->path, person, permission, err);
}

const char *capacity_access_explain(struct capacity_access *access, const struct access_answer *answer,
                                    char *text, size_t size)
{
    const struct access_source source = source_of(access);

    return access_explain(&access->gate, &source, answer, text, size);
}
