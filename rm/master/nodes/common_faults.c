/* SPDX-License-Identifier: Apache-2.0 */
/* common_faults.c - finds a fault that most nodes have at once */
#include "rm/master/nodes/common_faults.h"

#include <string.h>

#include "common/base/text.h"
#include "rm/master/nodes/avoid.h"
#include "rm/master/state.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"

enum kind { START, FAILURE, UNHEALTHY, REPORT };

struct fault {
    enum kind kind;
    uint32_t hash; /* of what is compared */
    const char *text;
    size_t length;           /* of TEXT */
    const struct node *node; /* the first one that has it */
    const struct node *last; /* the last one that was counted */
    uint32_t count;          /* of nodes */
};

struct survey {
    uint32_t nodes; /* registered */
    struct fault faults[COMMON_KINDS];
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

static void count_fault(struct survey *survey, const struct node *node, enum kind kind, const char *text,
                        size_t length)
{
    char comparable[COMMON_COMPARED + 1];
    struct fault *fault = survey->faults;
    uint32_t hash;

    write_comparable(node, text, length, comparable);
    hash = text_hash(comparable);
    while (fault < survey->faults + survey->count && (fault->kind != kind || fault->hash != hash))
        fault++;
    if (fault == survey->faults + COMMON_KINDS)
        return;
    if (fault == survey->faults + survey->count) {
        *fault = (struct fault){ .kind = kind, .hash = hash, .text = text, .length = length, .node = node };
        survey->count++;
    }
    fault->count += fault->last != node;
    fault->last = node;
}

/* Counts each of the problems of a report, "one; another". */
static void count_report(struct survey *survey, const struct node *node, enum kind kind)
{
    const char *end;

    for (const char *at = node->health_report; at != NULL && *at != '\0'; at = *end ? end + 2 : end) {
        end = strstr(at, "; ");
        end = end != NULL ? end : at + strlen(at);
        count_fault(survey, node, kind, at, (size_t)(end - at));
    }
}

static void count_node(const struct master *m, struct survey *survey, const struct node *node)
{
    const struct failed_start *start = &node->faulty.start;
    const struct failing *failing = &node->faulty.failing;
    const char *failure;

    survey->nodes++;
    if (start->why != NULL && m->now_ms - start->at_ms <= COMMON_SHOWN_MS)
        count_fault(survey, node, START, start->why, strlen(start->why));
    else if (rm_node_list_has(&failing->in_failing) && (failure = strchr(failing->last, ' ')) != NULL)
        count_fault(survey, node, FAILURE, failure + 1, strlen(failure + 1)); /* without the container */
    if (rm_avoid_reason(m, node) == NULL) /* else it is unhealthy because of these starts */
        count_report(survey, node, node->state == NODE_STATE_UNHEALTHY ? UNHEALTHY : REPORT);
}

/* Returns the fault that most nodes have; NULL: none is common. */
static const struct fault *find_common(const struct master *m, struct survey *survey)
{
    const struct fault *common = NULL;
    struct node *node;

    *survey = (struct survey){ .nodes = 0 };
    RB_FOREACH(node, rm_node_tree, (struct rm_node_tree *)(uintptr_t)&m->nodes)
        if (node->session != 0)
            count_node(m, survey, node);
    for (size_t i = 0; i < survey->count; i++) {
        const struct fault *fault = &survey->faults[i];

        if (fault->count < 2 || fault->count * 2 <= survey->nodes)
            continue;
        if (common == NULL || fault->count > common->count ||
            (fault->count == common->count && fault->kind < common->kind))
            common = fault;
    }
    return common;
}

/* --- as a sentence ---------------------------------------------------------------- */

static const char *describe(const struct master *m, const struct survey *survey, const struct fault *fault)
{
    static const char *const words[] = {
        [START] = "cannot start containers: ",
        [FAILURE] = "containers fail soon after their start, ",
        [UNHEALTHY] = "unhealthy: ",
        [REPORT] = "",
    };

    return arena_printf(m->out->arena, "%u of %u nodes: %s%.*s (as on %s)", fault->count, survey->nodes,
                        words[fault->kind], (int)fault->length, fault->text, fault->node->id);
}

void rm_common_faults_find(const struct master *m, struct master_node_faults *ret)
{
    struct survey survey;
    const struct fault *fault = find_common(m, &survey);

    ret->common = fault != NULL ? fault->count : 0;
    ret->common_everywhere = fault != NULL && fault->kind != REPORT && fault->count == survey.nodes;
    ret->common_text = fault != NULL ? describe(m, &survey, fault) : "";
}

const char *rm_common_faults_of_starts(const struct master *m)
{
    struct survey survey;
    const struct fault *fault = find_common(m, &survey);

    return fault != NULL && fault->kind != REPORT ? describe(m, &survey, fault) : NULL;
}
