/* SPDX-License-Identifier: Apache-2.0 */
/* access.c - checks which users may submit to a queue or administer it */
#include "rm/identity/access.h"

#include <errno.h>
#include <stdio.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"

void access_gate_open(struct access_gate *gate, const struct conf *conf)
{
    gate->enabled = conf_bool(conf, CONF_ACL_ENABLE);
    gate->administrators = acl_new(conf_text(conf, CONF_ADMIN_ACL));
}

void access_gate_close(struct access_gate *gate)
{
    acl_free(gate->administrators);
}

static bool access_gate_is_administrator(const struct access_gate *gate, const struct acl_person *person)
{
    return !acl_is_everybody(gate->administrators) && acl_allows(gate->administrators, person);
}

bool access_gate_is_exempt(const struct access_gate *gate, const struct acl_person *person)
{
    return !gate->enabled || access_gate_is_administrator(gate, person);
}

struct access_answer access_ask(const struct access_gate *gate, const struct access_source *source,
                                const void *queue, const struct acl_person *person,
                                enum access_permission permission)
{
    struct access_answer answer = { .allowed = true };

    if (!gate->enabled) {
        answer.reason = ACCESS_OFF;
        return answer;
    }
    if (access_gate_is_administrator(gate, person)) {
        answer.reason = ACCESS_CLUSTER_ADMIN;
        return answer;
    }
    while (queue != NULL) {
        queue = source->lists(source->context, queue, &answer.queue);
        answer.reason = ACCESS_SUBMIT_LIST;
        if (permission == ACCESS_SUBMIT && acl_allows(answer.queue.lists[ACCESS_SUBMIT], person))
            return answer;
        answer.reason = ACCESS_ADMINISTER_LIST;
        if (acl_allows(answer.queue.lists[ACCESS_ADMINISTER], person))
            return answer;
    }
    return (struct access_answer){ .reason = ACCESS_REFUSED };
}

/* Returns the lists from QUEUE up to root as text, owned by the caller. */
static char *describe_lists(const struct access_source *source, const void *queue,
                            enum access_permission permission)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;

    text_builder_printf(&text, "%s:", source->names[permission]);
    while (queue != NULL) {
        struct access_queue lists;

        queue = source->lists(source->context, queue, &lists);
        text_builder_printf(&text, " %s: %s%s", lists.path, acl_text(lists.lists[permission]),
                            queue != NULL ? "," : "");
    }
    return text_builder_finish(&text);
}

int access_refuse(const struct access_source *source, const void *queue, const char *path,
                  const struct acl_person *person, enum access_permission permission, struct err *err)
{
    scoped_free char *submit = NULL;
    scoped_free char *administer = describe_lists(source, queue, ACCESS_ADMINISTER);

    if (permission == ACCESS_ADMINISTER)
        return err_set(err, EACCES, "user %s cannot administer %s (%s)", person->user, path, administer);
    submit = describe_lists(source, queue, ACCESS_SUBMIT);
    return err_set(err, EACCES, "user %s cannot submit to %s (%s; %s)", person->user, path, submit,
                   administer);
}

const char *access_explain(const struct access_gate *gate, const struct access_source *source,
                           const struct access_answer *answer, char *text, size_t size)
{
    enum access_permission permission = ACCESS_SUBMIT;

    switch (answer->reason) {
    case ACCESS_REFUSED:
        snprintf(text, size, "named by no list of the queue or of a queue above it");
        break;
    case ACCESS_OFF:
        snprintf(text, size, "yarn.acl.enable is false: access lists are not checked");
        break;
    case ACCESS_CLUSTER_ADMIN:
        snprintf(text, size, "yarn.admin.acl: %s", acl_text(gate->administrators));
        break;
    case ACCESS_ADMINISTER_LIST:
        permission = ACCESS_ADMINISTER;
        /* fall through */
    case ACCESS_SUBMIT_LIST:
        snprintf(text, size, "%s of %s: %s", source->names[permission], answer->queue.path,
                 acl_text(answer->queue.lists[permission]));
        break;
    }
    return text;
}
