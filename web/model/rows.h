/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - private structures of the model: rows of applications, nodes, queues */
#ifndef CREEL_WEB_MODEL_ROWS_H
#define CREEL_WEB_MODEL_ROWS_H

#include <stdbool.h>

#include <bsd/sys/tree.h>

#include "web/model/feed.h"
#include "web/model/names.h"
#include "web/model/trend.h"

/* Fields that lists filter and sort by, in one array, so that lists need not read the reports. */
struct app_row {
    struct app_entry *entry;
    struct name *user, *queue, *type, *reason;
    uint64_t name_start; /* first 8 bytes of the name, big-endian, for comparison */
    int64_t submitted_ms, finished_ms, memory_mb, vcores;
    uint32_t seq; /* sequence number in the application id */
    uint32_t containers;
    int32_t priority;
    uint8_t state, final_status;
};

#define APP_TITLE_SIZE 47

/* The beginning of an application's name in lower case, to search for a part of a name in one array. */
struct app_title {
    char folded[APP_TITLE_SIZE]; /* at most APP_TITLE_SIZE - 1 bytes and a 0 byte */
    bool cut;                    /* the name is longer */
};

struct app_entry { /* in a hash table by application id */
    UT_hash_handle hh;
    RB_ENTRY(app_entry) by_name;
    Creel__AppReport *report; /* owned */
    size_t row;               /* index in model->rows */
    uint64_t load;            /* number of the last load that put the entry */
    uint64_t changed;         /* version of the model in which the report last changed */
};

RB_HEAD(app_name_tree, app_entry);
RB_PROTOTYPE(app_name_tree, app_entry, by_name, app_name_compare)

struct node_entry {
    UT_hash_handle hh;
    Creel__NodeReport *report; /* owned */
    uint64_t load, changed;    /* as in app_entry */
};

struct queue_place {
    const char *path; /* borrowed from the report */
    size_t index;     /* in queue_list.queues */
};

struct queue_list {
    Creel__QueueReport **queues; /* owned */
    struct queue_place *by_path; /* owned; all queues in the order of their paths */
    size_t count, capacity;
};

/* Returns the place of the queue with this path; NULL: there is none. */
struct queue_place *queue_list_find(const struct queue_list *list, const char *path);

struct web_model {
    bool complete;
    uint64_t version, load;
    uint64_t changed[WEB_TOPIC_COUNT]; /* versions in which the topics last changed */
    Creel__ClusterInfo *cluster;       /* owned; NULL: not loaded yet */
    struct app_entry *apps;            /* owned */
    struct app_name_tree names; /* all applications in the order of their names, and then of their ages */
    struct app_row *rows;       /* owned; mostly in the order of age */
    struct app_title *titles;   /* owned; of the rows, with the same indices */
    size_t row_count, row_capacity, title_capacity;
    size_t by_state[WEB_APP_STATES]; /* number of rows with each state */
    struct name *users, *queue_names, *types, *reasons;
    struct node_entry *nodes;   /* owned */
    struct node_entry **sorted; /* owned; all nodes by id; NULL: not sorted yet, or no nodes */
    struct web_trend trend;
    struct queue_list queues;
    struct queue_list coming; /* pages of a list not yet complete; BY_PATH is NULL */
};

/* Sorts the nodes by id, if nodes were added or removed since the last call. */
void nodes_sort(struct web_model *model);

#endif
