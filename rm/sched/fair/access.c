/* SPDX-License-Identifier: Apache-2.0 */
/* access.c - checks which users may submit to a queue of the fair scheduler, and which may administer it */
#include "rm/sched/fair/access.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

static const char *const elements[] = {
    [FAIR_SUBMIT] = "aclSubmitApps",
    [FAIR_ADMINISTER] = "aclAdministerApps",
};

struct fair_access {
    struct access_gate gate;
};

struct fair_access *fair_access_new(const struct conf *conf)
{
    struct fair_access *access = mem_new0(struct fair_access);

    access_gate_open(&access->gate, conf);
    return access;
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

static const struct acl *list_of(const struct fair_settings *settings, enum fair_permission permission)
{
    return permission == FAIR_SUBMIT ? settings->acl_submit : settings->acl_administer;
}

struct fair_access_answer fair_access_ask(const struct fair_access *access,
                                          const struct fair_allocations *allocations, const char *path,
                                          const struct acl_person *person, enum fair_permission permission)
{
    struct fair_access_answer answer = { .allowed = true };
    const struct fair_settings *queue;

    if (!access->gate.enabled) {
        answer.reason = FAIR_ACCESS_OFF;
        return answer;
    }
    if (access_gate_is_administrator(&access->gate, person)) {
        answer.reason = FAIR_ACCESS_CLUSTER_ADMIN;
        return answer;
    }
    for (queue = nearest(allocations, path); queue; queue = queue->parent) {
        answer.queue = queue;
        answer.reason = FAIR_ACCESS_SUBMIT_LIST;
        if (permission == FAIR_SUBMIT && acl_allows(queue->acl_submit, person))
            return answer;
        answer.reason = FAIR_ACCESS_ADMINISTER_LIST;
        if (acl_allows(queue->acl_administer, person))
            return answer;
    }
    return (struct fair_access_answer){ .reason = FAIR_ACCESS_REFUSED };
}

/* Returns the lists from QUEUE up to root as text: "aclSubmitApps: root.dev: "alice", root: nobody". */
static char *describe_lists(const struct fair_settings *queue, enum fair_permission permission)
{
    char *text = mem_printf("%s:", elements[permission]);

    for (; queue; queue = queue->parent) {
        scoped_free char *before = text;

        text = mem_printf("%s %s: %s%s", before, queue->path, acl_text(list_of(queue, permission)),
                          queue->parent ? "," : "");
    }
    return text;
}

int fair_access_require(const struct fair_access *access, const struct fair_allocations *allocations,
                        const char *path, const struct acl_person *person, enum fair_permission permission,
                        struct err *err)
{
    const struct fair_settings *queue = nearest(allocations, path);
    scoped_free char *submit = NULL, *administer = NULL;

    if (fair_access_ask(access, allocations, path, person, permission).allowed)
        return 0;
    administer = describe_lists(queue, FAIR_ADMINISTER);
    if (permission == FAIR_SUBMIT)
        submit = describe_lists(queue, FAIR_SUBMIT);
    return access_refuse(person, path, submit, administer, err);
}

const char *fair_access_explain(const struct fair_access *access, const struct fair_access_answer *answer,
                                char *text, size_t size)
{
    enum fair_permission permission = FAIR_SUBMIT;

    switch (answer->reason) {
    case FAIR_ACCESS_REFUSED:
        snprintf(text, size, ACCESS_REFUSED_TEXT);
        break;
    case FAIR_ACCESS_OFF:
        snprintf(text, size, ACCESS_OFF_TEXT);
        break;
    case FAIR_ACCESS_CLUSTER_ADMIN:
        snprintf(text, size, "yarn.admin.acl: %s", acl_text(access->gate.administrators));
        break;
    case FAIR_ACCESS_ADMINISTER_LIST:
        permission = FAIR_ADMINISTER;
        /* fall through */
    case FAIR_ACCESS_SUBMIT_LIST:
        snprintf(text, size, "%s of %s: %s", elements[permission], answer->queue->path,
                 acl_text(list_of(answer->queue, permission)));
        break;
    }
    return text;
}
