/* SPDX-License-Identifier: Apache-2.0 */
/* authz.c - access control: a table of operations and of the rights that each of them needs */
#include <errno.h>
#include <string.h>

#include "rm/master/services/authz.h"
#include "rm/master/services/queues.h"
#include "rm/master/state/copy.h"

enum {
    OWNER = 1 << 0,               /* owner of the application */
    ADMINISTRATOR = 1 << 1,       /* yarn.admin.acl */
    NAMED_ADMINISTRATOR = 1 << 2, /* listed by name; the default "*" lists no name */
    PROXY = 1 << 3,               /* creel.proxy-users: may act as the owner in any case */
    QUEUE_ADMINISTRATOR = 1 << 4, /* acl_administer_queue */
    QUEUE_SUBMITTER = 1 << 5,     /* acl_submit_applications */
};

/* ALWAYS: checked even if yarn.acl.enable is false; every user may do the other operations then, as in YARN.
 * AUTHZ_CONTROL_CONTAINERS includes running commands as the owner, which is more than the right to kill. It
 * is allowed only to the owner, a user that may act as the owner, and an administrator listed by name. */
#define OF_APP (OWNER | ADMINISTRATOR | QUEUE_ADMINISTRATOR)

#define OF_JOBS (OWNER | QUEUE_SUBMITTER) /* rights that a process with a job token can have */

static const struct {
    unsigned rights; /* one of these rights is sufficient */
    bool always;
    const char *verb; /* verb of the refusal: "user ann may not ..." */
} table[AUTHZ_OPERATIONS] = {
    [AUTHZ_CHANGE_CLUSTER] = { ADMINISTRATOR, true, "" },
    [AUTHZ_FOLLOW_CHANGES] = { PROXY | ADMINISTRATOR, true, "" },
    [AUTHZ_FIND_TOKENS] = { PROXY | ADMINISTRATOR, true, "" },
    [AUTHZ_EXCEED_LIMITS] = { NAMED_ADMINISTRATOR, true, "" },
    [AUTHZ_CHANGE_QUEUE] = { ADMINISTRATOR | QUEUE_ADMINISTRATOR, false, "administer" },
    [AUTHZ_MOVE_TO_QUEUE] = { ADMINISTRATOR | QUEUE_SUBMITTER, false, "submit to" },
    [AUTHZ_SEE_APP] = { OF_APP, false, "see it" },
    [AUTHZ_LIST_CONTAINERS] = { OF_APP, false, "see its containers" },
    [AUTHZ_EXPLAIN_APP] = { OF_APP, false, "see why it waits" },
    [AUTHZ_READ_LOGS] = { OF_APP, false, "read its logs" },
    [AUTHZ_CHANGE_APP] = { OF_APP, false, "change it" },
    [AUTHZ_KILL_APP] = { OF_APP, false, "kill it" },
    [AUTHZ_HOLD_AS_ADMINISTRATOR] = { ADMINISTRATOR | QUEUE_ADMINISTRATOR, true, "release it" },
    [AUTHZ_BE_MASTER] = { OWNER, true, "be its application master" },
    [AUTHZ_RERUN_APP] = { OWNER, true, "run it again" },
    [AUTHZ_CONTROL_CONTAINERS] = { OWNER | PROXY | NAMED_ADMINISTRATOR, true,
                                   "signal or enter its containers" },
};

/* --- rights ---------------------------------------------------------------- */

/* Returns true if LIST contains USER. LIST: names separated by commas and blanks; "*" is every user. */
static bool list_has(const char *list, const char *user)
{
    size_t length = strlen(user);
    const char *at = list ? list : "";

    while (*at) {
        size_t word = strcspn(at, ", \t\n");

        if ((word == 1 && *at == '*') || (word == length && strncmp(at, user, word) == 0))
            return true;
        at += word;
        at += strspn(at, ", \t\n");
    }
    return false;
}

static enum sched_access access_to(struct master *m, const char *user, const char *queue,
                                   enum sched_permission permission)
{
    struct acl_person person = { .user = user };

    person.group_count = rm_groups_of(m, user, &person.groups);
    return sched_queue_access(m->sched, queue, &person, permission, NULL);
}

/* The owner and the queue to which an operation applies; NULL if there is none. */
struct target {
    const char *owner, *queue;
};

bool master_is_proxy_user(const struct master *m, const char *user)
{
    return list_has(m->config.proxy_users, user);
}

static bool has_right(struct master *m, const char *user, unsigned right, const struct target *target)
{
    switch (right) {
    case OWNER:
        return target->owner && text_equal(user, target->owner);
    case ADMINISTRATOR:
        return list_has(m->config.admin_users, user);
    case NAMED_ADMINISTRATOR:
        return !text_equal(m->config.admin_users, "*") && list_has(m->config.admin_users, user);
    case PROXY:
        return list_has(m->config.proxy_users, user);
    case QUEUE_ADMINISTRATOR:
        return target->queue && access_to(m, user, target->queue, SCHED_ADMINISTER) == SCHED_ACCESS_ALLOWED;
    default: /* a scheduler without access lists lets every user submit */
        return target->queue && access_to(m, user, target->queue, SCHED_SUBMIT) != SCHED_ACCESS_REFUSED;
    }
}

static bool allows(struct master *m, const char *user, enum authz_operation operation,
                   const struct target *target)
{
    unsigned rights = table[operation].rights & (m->asking_job != NULL ? OF_JOBS : ~0U);

    if (!table[operation].always && !m->config.acl_enable)
        return true;
    for (unsigned right = OWNER; right <= QUEUE_SUBMITTER; right <<= 1)
        if (rights & right && has_right(m, user, right, target))
            return true;
    return false;
}

/* --- checks ------------------------------------------------------------- */

bool rm_authz_cluster(struct master *m, const char *user, enum authz_operation operation)
{
    return allows(m, user, operation, &(struct target){ .owner = NULL });
}

bool rm_authz_any_user(struct master *m, const char *user, enum authz_operation operation)
{
    const char *job = m->asking_job;
    bool allowed;

    m->asking_job = NULL;
    allowed = rm_authz_cluster(m, user, operation);
    m->asking_job = job;
    return allowed;
}

bool rm_authz_queue(struct master *m, const char *user, enum authz_operation operation, const char *path)
{
    return allows(m, user, operation, &(struct target){ .queue = path });
}

bool rm_authz_owned(struct master *m, const char *user, enum authz_operation operation, const char *owner,
                    const char *queue)
{
    return allows(m, user, operation, &(struct target){ owner, queue });
}

bool rm_authz_app(struct master *m, const char *user, enum authz_operation operation, const struct app *app)
{
    return rm_authz_owned(m, user, operation, app->user, app->queue);
}

int rm_authz_check_cluster(struct master *m, const char *user, enum authz_operation operation,
                           struct err *err)
{
    if (rm_authz_cluster(m, user, operation))
        return 0;
    if (m->asking_job != NULL)
        return err_set(err, EPERM, "%s: its token gives user %s no rights of an administrator", m->asking_job,
                       user);
    return err_set(err, EPERM, "user %s is not an administrator of this cluster (yarn.admin.acl)", user);
}

int rm_authz_check_queue(struct master *m, const char *user, enum authz_operation operation, const char *path,
                         struct err *err)
{
    if (rm_authz_queue(m, user, operation, path))
        return 0;
    return err_set(err, EPERM, "user %s may not %s %s (creel queue access %s shows who may what)", user,
                   table[operation].verb, path, path);
}

int rm_authz_check_app(struct master *m, const char *user, enum authz_operation operation,
                       const struct app *app, struct err *err)
{
    if (rm_authz_app(m, user, operation, app))
        return 0;
    return err_set(err, EPERM, "%s belongs to %s: user %s may not %s", app->text, app->user, user,
                   table[operation].verb);
}

const char *rm_authz_acting_user(struct master *m, const struct master_peer *peer,
                                 const Creel__Envelope *envelope, struct err *err)
{
    const char *as = envelope->as_user;

    if (master_may_act(m, peer->principal, as, err) < 0)
        return NULL;
    return rm_text_is_empty(as) ? peer->principal : as;
}

int master_may_act(const struct master *m, const char *principal, const char *as_user, struct err *err)
{
    if (rm_text_is_empty(as_user) || strcmp(as_user, principal) == 0 || master_is_proxy_user(m, principal))
        return 0;
    return err_set(err, EPERM, "user %s may not act for %s: it is not among creel.security.proxy-users",
                   principal, as_user);
}
