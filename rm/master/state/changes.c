/* SPDX-License-Identifier: Apache-2.0 */
#include "rm/master/state/changes.h"

static int rm_change_compare(const struct change *a, const struct change *b)
{
    return (a->version > b->version) - (a->version < b->version);
}

RB_GENERATE(rm_change_tree, change, link, rm_change_compare)

/* --- start and end ----------------------------------------------------------- */

static void drop_oldest_gone(struct master *m)
{
    struct changes *changes = &m->changes;
    struct gone *gone = TAILQ_FIRST(&changes->gone);

    TAILQ_REMOVE(&changes->gone, gone, link);
    changes->gone_count--;
    free(gone);
}

static void forget_queues(struct master *m)
{
    struct queue_change *queue, *next;

    HASH_ITER(hh, m->changes.queues, queue, next) {
        HASH_DEL(m->changes.queues, queue);
        free(queue);
    }
}

/* Ends recording. The changes of applications and nodes keep their old session number, so that they count as
 * not in the tree. */
void rm_changes_stop(struct master *m)
{
    while (m->changes.gone_count > 0)
        drop_oldest_gone(m);
    forget_queues(m);
    RB_INIT(&m->changes.tree);
    m->changes.session = 0;
}

void rm_changes_ask(struct master *m)
{
    struct changes *changes = &m->changes;

    if (changes->session == 0) {
        changes->session = ((uint64_t)m->epoch + 1) << 32 | ++changes->last_session;
        changes->version = changes->forgotten = 1;
        TAILQ_INIT(&changes->gone);
    }
    changes->asked_ms = m->now_ms;
}

static bool are_kept(struct master *m)
{
    if (m->changes.session != 0 && m->now_ms - m->changes.asked_ms > CHANGES_KEPT_MS)
        rm_changes_stop(m);
    return m->changes.session != 0;
}

/* --- changes ----------------------------------------------------------------- */

static bool is_in_tree(const struct master *m, const struct change *change)
{
    return m->changes.session != 0 && change->session == m->changes.session;
}

static void insert(struct master *m, struct change *change, enum change_kind kind, void *owner)
{
    change->kind = kind;
    change->owner = owner;
    change->session = m->changes.session;
    change->version = ++m->changes.version;
    RB_INSERT(rm_change_tree, &m->changes.tree, change);
}

static void note(struct master *m, struct change *change, enum change_kind kind, void *owner)
{
    if (!are_kept(m))
        return;
    if (is_in_tree(m, change))
        RB_REMOVE(rm_change_tree, &m->changes.tree, change);
    insert(m, change, kind, owner);
}

void rm_changes_app(struct master *m, struct app *app)
{
    note(m, &app->change, CHANGE_APP, app);
}

void rm_changes_node(struct master *m, struct node *node)
{
    if (!node->forgotten)
        note(m, &node->change, CHANGE_NODE, node);
}

static void note_gone(struct master *m, struct change *change, enum change_kind kind, const char *id)
{
    struct changes *changes = &m->changes;
    struct gone *gone;

    if (is_in_tree(m, change))
        RB_REMOVE(rm_change_tree, &changes->tree, change);
    change->session = 0;
    if (!are_kept(m))
        return;
    gone = mem_alloc0(sizeof(*gone) + strlen(id) + 1);
    memcpy(gone->id, id, strlen(id));
    insert(m, &gone->change, kind, gone);
    TAILQ_INSERT_TAIL(&changes->gone, gone, link);
    changes->gone_count++;
    if (changes->gone_count > CHANGES_GONE_MAX) {
        struct change *oldest = &TAILQ_FIRST(&changes->gone)->change;

        RB_REMOVE(rm_change_tree, &changes->tree, oldest);
        changes->forgotten = oldest->version;
        drop_oldest_gone(m);
    }
}

void rm_changes_app_gone(struct master *m, struct app *app)
{
    note_gone(m, &app->change, CHANGE_APP_GONE, app->text);
}

void rm_changes_node_gone(struct master *m, struct node *node)
{
    note_gone(m, &node->change, CHANGE_NODE_GONE, node->id);
}

static struct queue_change *change_of_queue(struct master *m, const char *path)
{
    struct queue_change *queue;

    HASH_FIND_STR(m->changes.queues, path, queue);
    if (queue == NULL) {
        queue = mem_alloc0(sizeof(*queue) + strlen(path) + 1);
        memcpy(queue->path, path, strlen(path));
        HASH_ADD_KEYPTR(hh, m->changes.queues, queue->path, strlen(path), queue);
    }
    return queue;
}

void rm_changes_move_queues(struct master *m)
{
    const char *path;

    for (int i = 0; i < CHANGES_QUEUES_MOVED && (path = sched_queue_next_changed(m->sched)) != NULL; i++) {
        struct queue_change *queue = change_of_queue(m, path);

        note(m, &queue->change, CHANGE_QUEUE, queue);
    }
}

void rm_changes_forget_queue(struct master *m, struct queue_change *queue)
{
    RB_REMOVE(rm_change_tree, &m->changes.tree, &queue->change);
    HASH_DEL(m->changes.queues, queue);
    free(queue);
}

/* --- requests ---------------------------------------------------------------- */

bool rm_changes_known(const struct master *m, uint64_t session, uint64_t since)
{
    return session == m->changes.session && since >= m->changes.forgotten && since <= m->changes.version;
}

struct change *rm_changes_after(struct master *m, uint64_t since)
{
    struct change first = { .version = since + 1 };

    return RB_NFIND(rm_change_tree, &m->changes.tree, &first);
}
