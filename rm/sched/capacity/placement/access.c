/* SPDX-License-Identifier: Apache-2.0 */
/* access.c - checks which users may submit to a queue, and which may administer it */
#include "rm/sched/capacity/placement/access.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

static const char *const keys[] = {
    [CAPACITY_SUBMIT] = "acl_submit_applications",
    [CAPACITY_ADMINISTER] = "acl_administer_queue",
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

static const struct acl *list_of_queue(struct capacity_access *access, const struct capacity_queue *queue,
                                       enum capacity_permission permission)
{
    return list_of(access, permission == CAPACITY_SUBMIT ? queue->acl_submit : queue->acl_administer);
}

void capacity_access_check_lists(struct capacity_access *access, const struct capacity_config *config,
                                 capacity_warn_fn *warn, void *context)
{
    const struct capacity_queue *queue;

    if (warn == NULL)
        return;
    TAILQ_FOREACH(queue, &config->queues, link) {
        for (int p = CAPACITY_SUBMIT; p <= CAPACITY_ADMINISTER; p++) {
            const struct acl *acl = list_of_queue(access, queue, (enum capacity_permission)p);

            if (acl_complaint(acl)) {
                scoped_free char *text = mem_printf("yarn.scheduler.capacity.%s.%s: %s: %s", queue->path,
                                                    keys[p], acl_text(acl), acl_complaint(acl));

                warn(context, text);
            }
        }
    }
}

struct capacity_access_answer capacity_access_ask(struct capacity_access *access,
                                                  const struct capacity_queue *queue,
                                                  const struct acl_person *person,
                                                  enum capacity_permission permission)
{
    struct capacity_access_answer answer = { .allowed = true };

    if (!access->gate.enabled) {
        answer.reason = CAPACITY_ACCESS_OFF;
        return answer;
    }
    if (access_gate_is_administrator(&access->gate, person)) {
        answer.reason = CAPACITY_ACCESS_CLUSTER_ADMIN;
        return answer;
    }
    for (; queue; queue = queue->parent) {
        answer.queue = queue;
        answer.reason = CAPACITY_ACCESS_SUBMIT_LIST;
        if (permission == CAPACITY_SUBMIT &&
            acl_allows(list_of_queue(access, queue, CAPACITY_SUBMIT), person))
            return answer;
        answer.reason = CAPACITY_ACCESS_ADMINISTER_LIST;
        if (acl_allows(list_of_queue(access, queue, CAPACITY_ADMINISTER), person))
            return answer;
    }
    return (struct capacity_access_answer){ .reason = CAPACITY_ACCESS_REFUSED };
}

/* Returns the lists from QUEUE up to root as text: "acl_submit_applications: "alice", root: nobody". */
static char *describe_lists(struct capacity_access *access, const struct capacity_queue *queue,
                            enum capacity_permission permission)
{
    char *text = mem_printf("%s: %s", keys[permission], acl_text(list_of_queue(access, queue, permission)));

    while ((queue = queue->parent) != NULL) {
        char *longer =
            mem_printf("%s, %s: %s", text, queue->path, acl_text(list_of_queue(access, queue, permission)));

        free(text);
        text = longer;
    }
    return text;
}

int capacity_access_require(struct capacity_access *access, const struct capacity_queue *queue,
                            const struct acl_person *person, enum capacity_permission permission,
                            struct err *err)
{
    scoped_free char *submit = NULL, *administer = NULL;

    if (capacity_access_ask(access, queue, person, permission).allowed)
        return 0;
    administer = describe_lists(access, queue, CAPACITY_ADMINISTER);
    if (permission == CAPACITY_SUBMIT)
        submit = describe_lists(access, queue, CAPACITY_SUBMIT);
    return access_refuse(person, queue->path, submit, administer, err);
}

const char *capacity_access_explain(struct capacity_access *access,
                                    const struct capacity_access_answer *answer, char *text, size_t size)
{
    enum capacity_permission permission = CAPACITY_SUBMIT;

    switch (answer->reason) {
    case CAPACITY_ACCESS_REFUSED:
        snprintf(text, size, ACCESS_REFUSED_TEXT);
        break;
    case CAPACITY_ACCESS_OFF:
        snprintf(text, size, ACCESS_OFF_TEXT);
        break;
    case CAPACITY_ACCESS_CLUSTER_ADMIN:
        snprintf(text, size, "yarn.admin.acl: %s", acl_text(access->gate.administrators));
        break;
    case CAPACITY_ACCESS_ADMINISTER_LIST:
        permission = CAPACITY_ADMINISTER;
        /* fall through */
    case CAPACITY_ACCESS_SUBMIT_LIST:
        snprintf(text, size, "%s of %s: %s", keys[permission], answer->queue->path,
                 acl_text(list_of_queue(access, answer->queue, permission)));
        break;
    }
    return text;
}
