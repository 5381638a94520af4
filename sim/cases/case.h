/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case.h - reads a conformance case into plain data (tests/conformance/FORMAT.md)
 *
 * case_read checks a whole file and returns its content as structs; check_*.c runs the cases. Texts, arrays
 * and the case itself are owned by the case and freed by case_free. A list that is missing in the file has
 * count 0. A missing text is NULL, unless a comment states a default.
 */
#ifndef CREEL_SIM_CASE_H
#define CREEL_SIM_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/resource.h"

#define CASE_BYTES_MAX (1u << 20)
#define CASE_LIFETIME_MAX 1000000000 /* seconds */

enum case_kind { CASE_FAIR_SHARES, CASE_PREEMPTION, CASE_SCHEDULER };

/* A resource in a file. If a type is missing, its bit in GIVEN is clear, and its amount is 0, or INT64_MAX in
 * a maximum. */
struct case_resource {
    struct resource amount;
    uint32_t given;
};

struct case_resources {
    struct case_resource *items;
    size_t count;
};

struct case_property {
    const char *name, *value;
};
struct case_properties {
    struct case_property *items;
    size_t count;
};

struct case_texts {
    const char **items;
    size_t count;
};

/* A name with a whole number: {app: N}. */
struct case_count {
    const char *name;
    int64_t count;
};
struct case_counts {
    struct case_count *items;
    size_t count;
    bool given;
};

/* --- kind fair-shares -------------------------------------------------------- */

struct case_member {
    const char *name;
    double weight; /* default 1.0 */
    struct case_resource minimum, maximum;
    bool active; /* default true */
};

struct case_share {
    const char *name;
    size_t member; /* index of the member */
    struct case_resource share;
};

struct case_shares {
    const char *policy; /* "fair", "drf" */
    bool steady;
    struct case_resource total;
    struct case_member *members;
    size_t member_count;
    struct case_share *expect;
    size_t expect_count;
    int64_t tolerance;
};

/* --- kind preemption ---------------------------------------------------------- */

struct case_group { /* a group of equal containers */
    int64_t count;
    struct case_resource size;
    int64_t priority; /* default 1 */
    bool am;
    const char *node; /* NULL: no node given */
};

struct case_groups {
    struct case_group *items;
    size_t count;
};

struct case_app {
    const char *id, *user;
    int64_t priority;
    struct case_resource pending;
    struct case_groups containers, reserved;
};

struct case_queue {
    const char *path;
    struct case_resource guaranteed, maximum, used, pending, reserved, user_limit;
    bool pending_given, user_limit_given, disable_given, disable;
    int64_t priority;
    double max_am_percent;     /* a fraction; default 0.1 */
    double user_limit_percent; /* default 100 */
    struct case_app *apps;
    size_t app_count;
    bool apps_given;
};

struct case_node {
    const char *name;
    struct case_resource total, available;
};

struct case_node_counts { /* an app with numbers of containers by node: {app: {node: N}} */
    const char *app;
    struct case_counts nodes;
};

struct case_round {
    int line;
    int64_t at_ms;
    struct case_counts gone;
    struct case_counts preempt, kill, at_least;
    struct case_texts never;
    struct case_node_counts *on;
    size_t on_count;
    bool others_any;
};

struct case_preemption {
    struct case_properties properties;
    struct case_resource cluster;
    struct case_node *nodes;
    size_t node_count;
    struct case_queue *queues;
    size_t queue_count;
    struct case_round *rounds;
    size_t round_count;
};

/* --- kind scheduler ------------------------------------------------------------ */

enum case_op {
    OP_ADD_NODE,
    OP_REMOVE_NODE,
    OP_UPDATE_NODE,
    OP_DRAIN_NODE,
    OP_RESUME_NODE,
    OP_SET_LABEL,
    OP_SUBMIT,
    OP_ASK,
    OP_RELEASE,
    OP_BLACKLIST,
    OP_HEARTBEAT,
    OP_ADVANCE,
    OP_UPDATE,
    OP_PREEMPT,
    OP_COMPLETE,
    OP_RESIZE,
    OP_FINISH,
    OP_KILL_APP,
    OP_MOVE,
    OP_SET_PRIORITY,
    OP_REFRESH,
    OP_STOP_QUEUE,
    OP_START_QUEUE,
    OP_EXPECT,
    CASE_OPS
};

struct case_request {
    int64_t priority; /* default 1 */
    int64_t count;
    struct case_resource resource;
    const char *where; /* host, rack or "*"; default "*" */
    bool relax;        /* default true */
    const char *label;
};

/* What an expected figure (struct case_claim) describes. */
enum case_subject {
    SUBJECT_QUEUE,
    SUBJECT_APP,
    SUBJECT_USER,
    SUBJECT_NODE,
    SUBJECT_CLUSTER,
    SUBJECT_PREEMPTED,
    SUBJECT_KILLED
};

enum case_figure {
    FIGURE_EXISTS,
    FIGURE_STATE,
    FIGURE_USED,
    FIGURE_PENDING,
    FIGURE_DEMAND,
    FIGURE_RESERVED,
    FIGURE_FAIR_SHARE,
    FIGURE_STEADY_FAIR_SHARE,
    FIGURE_MIN_SHARE,
    FIGURE_MAX_SHARE,
    FIGURE_CAPACITY,
    FIGURE_ABSOLUTE_CAPACITY,
    FIGURE_ABSOLUTE_MAX_CAPACITY,
    FIGURE_ABSOLUTE_USED,
    FIGURE_USED_CAPACITY,
    FIGURE_MAX_APPS,
    FIGURE_MAX_APPS_PER_USER,
    FIGURE_AM_LIMIT,
    FIGURE_AM_USED,
    FIGURE_USER_LIMIT,
    FIGURE_ACTIVE_APPS,
    FIGURE_PENDING_APPS,
    FIGURE_RUNNING_CONTAINERS,
    FIGURE_ORDER,
    FIGURE_QUEUE,
    FIGURE_CONTAINERS,
    FIGURE_RESERVED_CONTAINERS,
    FIGURE_HEADROOM,
    FIGURE_ON,
    FIGURE_SIZES,
    FIGURE_AM_RUNNING,
    FIGURE_AVAILABLE,
    FIGURE_RESERVED_BY,
    FIGURE_RESOURCE,
    FIGURE_ACCESSIBLE,
    FIGURE_KILLABLE,
    FIGURE_LIFETIME,
    FIGURE_COUNT,
    CASE_FIGURES
};

enum case_value {
    VALUE_BOOL,
    VALUE_WHOLE,
    VALUE_FLOAT,
    VALUE_TEXT,
    VALUE_RESOURCE,
    VALUE_TEXTS,
    VALUE_COUNTS,
    VALUE_RESOURCES
};

struct case_claim {
    int line;
    enum case_subject subject;
    const char *name;  /* name of the queue, app, user or node; NULL: the cluster */
    const char *queue; /* for SUBJECT_USER: the queue */
    const char *label; /* for SUBJECT_QUEUE and SUBJECT_APP: the label whose partition the figure describes;
                          NULL: as without labels */
    enum case_figure figure;
    enum case_value value; /* selects which of the following members is set */
    bool truth;
    int64_t whole;
    double real;
    const char *text; /* NULL: the file has null */
    struct case_resource resource;
    struct case_texts texts;
    struct case_counts counts;
    struct case_resources resources;
};

struct case_step {
    int line;
    enum case_op op;
    bool refused;        /* "error": the step must be refused */
    const char *refusal; /* text that the error message must contain; NULL: any message */
    const char *app, *user, *queue, *node, *rack, *label;
    struct case_resource resource;
    struct case_resource am;
    bool am_given, priority_given;
    int64_t priority;
    int64_t lifetime; /* for SUBMIT: requested lifetime in seconds; 0: none */
    int64_t count;    /* for RELEASE and COMPLETE; default 1 */
    int64_t index;    /* for RESIZE: which of the app's containers, oldest first; default 0 */
    int64_t times;    /* default 1 */
    int64_t ms;
    struct case_texts nodes; /* for HEARTBEAT; "*" means every node */
    struct case_texts add, remove;
    struct case_request *requests;
    size_t request_count;
    struct case_properties capacity; /* for REFRESH */
    const char *fair;
    struct case_claim *claims;
    size_t claim_count;
    int64_t tolerance;
};

struct case_script {
    const char *scheduler; /* "capacity", "fair", "fifo" */
    struct case_properties site, capacity;
    const char *fair; /* text of the allocation file */
    bool load_refused;
    const char *load_refusal; /* text that the error message must contain; NULL: any message */
    struct case_step *steps;
    size_t step_count;
};

/* --- a case ----------------------------------------------------------------------- */

struct arena;

struct test_case {
    const char *name, *source, *note;
    enum case_kind kind;
    const char *types[RESOURCE_TYPES_MAX]; /* "memory-mb", "vcores", others in order of appearance */
    int type_count;
    struct case_shares shares; /* only the member for KIND is filled */
    struct case_preemption preemption;
    struct case_script script;
    struct arena *arena;
};

/* Parses SIZE bytes of TEXT as the file NAME. -EINVAL: not a valid case; ERR has "<name>:<line>: <where>:
 * <problem>". Declared for tests. */
int case_read(const char *name, const char *text, size_t size, struct test_case **ret, struct err *err);
/* Reads a case from the file PATH. -EINVAL as case_read; other -errno if the file cannot be read. */
int case_read_file(const char *path, struct test_case **ret, struct err *err);
void case_free(struct test_case *test); /* TEST may be NULL */

const char *case_op_name(enum case_op op);
const char *case_figure_name(enum case_figure figure);

#endif
