/* SPDX-License-Identifier: Apache-2.0 */
/* common_faults.c - finds a fault that most nodes have at once */
#include "rm/master/nodes/common_faults.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/master/nodes/avoid.h"
#include "rm/master/nodes/clock.h"
#include "rm/master/parts/format.h"
#include "rm/master/state.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"

enum kind { START, FAILURE, UNHEALTHY, CLOCK, REPORT };

#define AHEAD "ahead of"
#define BEHIND "behind"

struct fault { /* of a node */
    enum kind kind;
    uint64_t key;     /* the kind, and a hash of what is compared */
    const char *text; /* borrowed from the node */
    size_t length;    /* of TEXT */
};

struct common_fault { /* a sum */
    UT_hash_handle hh;
    uint64_t key;
    uint32_t count; /* of nodes */
};

struct faults {
    struct fault items[COMMON_OF_NODE];
    size_t count;
};

/* --- the last start of a node --------------------------------------------------- */

void rm_common_faults_forget(struct node *node)
{
    rm_text_set(&node->faulty.start.why, NULL);
}

void rm_common_faults_count(struct master *m, const struct container *container,
                            const Creel__ContainerStatus *status)
{
    struct node *node = container->node;

    if (container->state == CONTAINER_COMPLETED) /* a repeated report */
        return;
    if (status->node_fault) {
        rm_text_set_brief(&node->faulty.start.why, status->diagnostics);
        node->faulty.start.at_ms = m->now_ms;
    } else if (status->started_ms > 0 && container->started_ms == 0) {
        rm_common_faults_forget(node);
    }
}

/* --- comparison ----------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What is left out of a text before it is compared. */
struct names {
    const char *id, *host; /* of the node */
    size_t id_size, host_size;
};

static bool begins(const char *text, size_t length, const char *name, size_t size)
{
    return size > 0 && size <= length && *text == *name && memcmp(text, name, size) == 0;
}

/* Returns the length of the name of the node with which TEXT begins; 0: with none. */
static size_t name_length(const struct names *names, const char *text, size_t length)
{
    if (begins(text, length, names->id, names->id_size))
        return names->id_size;
    return begins(text, length, names->host, names->host_size) ? names->host_size : 0;
}

/* Writes what two nodes have in common if they have the same fault: the beginning of TEXT, of LENGTH bytes,
 * with marks in place of names of the node and of numbers that are no exit status. */
static void write_comparable(const struct node *node, const char *text, size_t length,
                             char ret[COMMON_COMPARED + 1])
{
    static const char status[] = "exit status ";
    const struct names names = { node->id, node->host, strlen(node->id), strlen(node->host) };
    size_t at = 0, written = 0;

    length = length < COMMON_COMPARED ? length : COMMON_COMPARED;
    while (at < length) {
        size_t name = name_length(&names, text + at, length - at);

        if (name > 0) {
            ret[written++] = '@';
            at += name;
        } else if (begins(text + at, length - at, status, strlen(status))) {
            for (at += strlen(status); at < length && (is_digit(text[at]) || text[at] == '-'); at++)
                ret[written++] = text[at];
        } else if (is_digit(text[at])) {
            ret[written++] = '0';
            while (at < length && is_digit(text[at]))
                at++;
        } else {
            ret[written++] = text[at++];
        }
    }
    ret[written] = '\0';
}

/* Adds a fault to those of NODE, unless it has it already. */
static void add_fault(struct faults *faults, const struct node *node, enum kind kind, const char *text,
                      size_t length)
{
    char comparable[COMMON_COMPARED + 1];
    uint64_t key;

    write_comparable(node, text, length, comparable);
    key = (uint64_t)kind << 32 | text_hash(comparable);
    for (size_t i = 0; i < faults->count; i++)
        if (faults->items[i].key == key)
            return;
    if (faults->count < COMMON_OF_NODE)
        faults->items[faults->count++] = (struct fault){ kind, key, text, length };
}

/* Adds each of the problems of a report, "one; another". */
static void add_report(struct faults *faults, const struct node *node, enum kind kind)
{
    const char *end;

    for (const char *at = node->health_report; at != NULL && *at != '\0'; at = *end ? end + 2 : end) {
        end = strstr(at, "; ");
        end = end != NULL ? end : at + strlen(at);
        add_fault(faults, node, kind, at, (size_t)(end - at));
    }
}

static void find_faults(const struct master *m, const struct node *node, struct faults *faults)
{
    const struct failed_start *start = &node->faulty.start;
    const struct failing *failing = &node->faulty.failing;
    const char *failure, *clock = node->clock.skew_ms > 0 ? AHEAD : BEHIND;

    faults->count = 0;
    if (node->session == 0)
        return;
    if (start->why != NULL && m->now_ms - start->at_ms <= COMMON_SHOWN_MS)
        add_fault(faults, node, START, start->why, strlen(start->why));
    else if (rm_node_list_has(&failing->in_failing) && (failure = strchr(failing->last, ' ')) != NULL)
        add_fault(faults, node, FAILURE, failure + 1, strlen(failure + 1)); /* without the container */
    if (rm_clock_differs(m, node))
        add_fault(faults, node, CLOCK, clock, strlen(clock));
    if (rm_avoid_reason(m, node) == NULL) /* else it is unhealthy because of these starts */
        add_report(faults, node, node->state == NODE_STATE_UNHEALTHY ? UNHEALTHY : REPORT);
    if (node->faulty.missing.text != NULL)
        add_fault(faults, node, REPORT, node->faulty.missing.text, strlen(node->faulty.missing.text));
}

/* --- sums --------------------------------------------------------------------------- */

static void count_key(struct master *m, uint64_t key, bool more)
{
    struct common_fault *fault;

    HASH_FIND(hh, m->node_faults.common, &key, sizeof(key), fault);
    if (fault == NULL) {
        fault = mem_new0(struct common_fault);
        fault->key = key;
        HASH_ADD(hh, m->node_faults.common, key, sizeof(key), fault);
    }
    fault->count += more ? 1u : -1u;
    if (fault->count > 0)
        return;
    HASH_DEL(m->node_faults.common, fault);
    free(fault);
}

void rm_common_faults_update(struct master *m, struct node *node)
{
    struct counted_faults *counted = &node->faulty.counted;
    bool serves = node->session != 0;
    struct faults faults;

    find_faults(m, node, &faults);
    m->node_faults.registered += (uint32_t)serves - (uint32_t)counted->serves;
    counted->serves = serves;
    for (size_t i = 0; i < faults.count; i++)
        count_key(m, faults.items[i].key, true);
    for (size_t i = 0; i < counted->count; i++)
        count_key(m, counted->keys[i], false);
    counted->count = faults.count;
    for (size_t i = 0; i < faults.count; i++)
        counted->keys[i] = faults.items[i].key;
}

/* Returns the fault that most nodes have; NULL: none is common. */
static const struct common_fault *find_common(const struct master *m)
{
    const struct common_fault *common = NULL, *fault;

    for (fault = m->node_faults.common; fault != NULL; fault = fault->hh.next) {
        if (fault->count < 2 || fault->count * 2 <= m->node_faults.registered)
            continue;
        if (common == NULL || fault->count > common->count ||
            (fault->count == common->count && fault->key < common->key))
            common = fault;
    }
    return common;
}

/* Returns the first node that has the fault KEY, and sets *RET to the fault; NULL: none has it any more, by
 * its last report. */
static const struct node *find_example(const struct master *m, uint64_t key, struct fault *ret)
{
    struct faults faults;
    struct node *node;

    RB_FOREACH(node, rm_node_tree, (struct rm_node_tree *)(uintptr_t)&m->nodes) {
        find_faults(m, node, &faults);
        for (size_t i = 0; i < faults.count; i++) {
            if (faults.items[i].key != key)
                continue;
            *ret = faults.items[i];
            return node;
        }
    }
    return NULL;
}

/* --- as a sentence ---------------------------------------------------------------- */

/* Most clocks agree with each other, and not with that of the resource manager. */
static const char *describe_clock(const struct master *m, const struct common_fault *common,
                                  const struct node *node, const char *direction)
{
    int64_t skew_ms = node->clock.skew_ms;

    return arena_printf(m->out->arena,
                        "the clocks of %u of %u nodes are %s the resource manager's (%s by %s): probably its "
                        "own clock is wrong",
                        common->count, m->node_faults.registered, direction, node->id,
                        format_duration(m->out->arena, skew_ms < 0 ? -skew_ms : skew_ms));
}

/* Returns a sentence; NULL: no node has the fault any more. */
static const char *describe(const struct master *m, const struct common_fault *common)
{
    static const char *const words[] = {
        [START] = "cannot start containers: ",
        [FAILURE] = "containers fail soon after their start, ",
        [UNHEALTHY] = "unhealthy: ",
        [REPORT] = "",
    };
    struct fault fault;
    const struct node *node = find_example(m, common->key, &fault);

    if (node == NULL)
        return NULL;
    if (fault.kind == CLOCK)
        return describe_clock(m, common, node, fault.text);
    return arena_printf(m->out->arena, "%u of %u nodes: %s%.*s (as on %s)", common->count,
                        m->node_faults.registered, words[fault.kind], (int)fault.length, fault.text,
                        node->id);
}

static bool prevents_starts(const struct common_fault *common)
{
    return common->key >> 32 < CLOCK;
}

void rm_common_faults_find(const struct master *m, struct master_node_faults *ret)
{
    const struct common_fault *common = find_common(m);
    const char *text = common != NULL ? describe(m, common) : NULL;

    ret->common = text != NULL ? common->count : 0;
    ret->common_everywhere =
        text != NULL && prevents_starts(common) && common->count == m->node_faults.registered;
    ret->common_text = text != NULL ? text : "";
}

const char *rm_common_faults_of_starts(const struct master *m)
{
    const struct common_fault *common = find_common(m);

    return common != NULL && prevents_starts(common) ? describe(m, common) : NULL;
}
