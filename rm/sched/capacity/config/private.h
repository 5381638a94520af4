/* SPDX-License-Identifier: Apache-2.0 */
/*
 * private.h - what the files of the capacity configuration share
 *
 *   key_table.c every key, one row each
 *   rows.c      reads all rows: inheritance, then the reader of the row's type, which is one of these:
 *   read.c      capacity_read_plain, for numbers and switches; it also looks up keys and reports
 *   global.c    keys of the whole scheduler that are more than a number or a switch
 *   queue.c     the same of a queue; priority.c and vector.c: those with a syntax of their own
 *   names.c     unknown keys; labels and users in names
 *   tree.c      queues: making, finding, taking out, freeing
 *   load.c      all of it in order
 *   judge.c     rules between queues; judge_share.c: between capacities
 *   compute.c   figures
 *   dynamic.c   queues that submissions make
 *   managed.c   leaves to which their parent gives its capacity
 *   accept.c    a refresh
 */
#ifndef CREEL_RM_SCHED_CAPACITY_CONFIG_PRIVATE_H
#define CREEL_RM_SCHED_CAPACITY_CONFIG_PRIVATE_H

#include "common/conf/problems.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/capacity/config/key_table.h"

#define CAPACITY_PREFIX "yarn.scheduler.capacity."
#define CAPACITY_LABEL_PREFIX "accessible-node-labels."
#define CAPACITY_USER_PREFIX "user-settings."
#define CAPACITY_SUM_TOLERANCE 0.0005f      /* of 1, as YARN's parent queues have it */
#define CAPACITY_MAXIMUM_TOLERANCE 0.0001f  /* how much a maximum may be below its capacity */
#define CAPACITY_WEIGHT_MAX 10000.0f

/* A configuration that is being read. */
struct capacity_reading {
    struct capacity_config *config;
    const struct conf *conf;
    struct problems problems;
    char *key;                  /* owned; the key that was looked for last */
    enum capacity_key row;      /* that is being read, */
    int label;                  /* for this label, */
    void *member;               /* into this member; NULL if the row has none */
    bool quiet;                 /* report nothing */
};

/* --- tree ---------------------------------------------------------------------- */

/* A new leaf NAME below PARENT (NULL: root), behind its siblings, with its shares empty. */
struct capacity_queue *capacity_queue_new(struct capacity_config *config,
                                          struct capacity_queue *parent, const char *name);
/* Take out and free QUEUE, which has no children. */
void capacity_queue_drop(struct capacity_config *config, struct capacity_queue *queue);
/* The queue with the path of LENGTH bytes, or NULL. */
struct capacity_queue *capacity_queue_at(const struct capacity_config *config, const char *path,
                                         size_t length);
/* The queue whose path, with a dot behind it, is the longest that PATH begins with; root if there is none. */
struct capacity_queue *capacity_queue_above(const struct capacity_config *config, const char *path);
/* QUEUE is a leaf from now on, or no longer one. */
void capacity_queue_set_leaf(struct capacity_config *config, struct capacity_queue *queue, bool leaf);

void capacity_number_set(struct capacity_number **numbers, const char *name, double value);
/* NULL if there is none with NAME. */
const struct capacity_number *capacity_number_find(const struct capacity_number *numbers,
                                                   const char *name);

/* --- values ---------------------------------------------------------------------- */

/* The value of KEY of the scheduler (QUEUE NULL), or of QUEUE for LABEL, of a dynamic queue also
 * from its templates; NULL if no file has it. reading->key is its name either way. */
const char *capacity_get(struct capacity_reading *reading, const struct capacity_queue *queue,
                         enum capacity_key key, int label);
/* The same for a key by its name, which is PREFIX and NAME together. */
const char *capacity_get_named(struct capacity_reading *reading,
                               const struct capacity_queue *queue, const char *prefix,
                               const char *name);
/* The weight of USER. */
const char *capacity_get_weight(struct capacity_reading *reading,
                                const struct capacity_queue *queue, const char *user);
/* As capacity_get, for a message: capacity_problem(capacity_at(...), ...). */
struct capacity_reading *capacity_at(struct capacity_reading *reading,
                                     const struct capacity_queue *queue, enum capacity_key key,
                                     int label);

/* Report about reading->key, with where it was set and its value. */
void capacity_problem(struct capacity_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void capacity_warning(struct capacity_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A number or a switch into *MEMBER, which stays as it is if no file has the key or the value is
 * wrong (then that is reported). True if *MEMBER was set. */
bool capacity_read_value(struct capacity_reading *reading, const struct capacity_queue *queue,
                         enum capacity_key key, void *member);
/* The same from TEXT, the value of reading->key. */
bool capacity_read_text(struct capacity_reading *reading, enum capacity_key key, const char *text,
                        void *member);

/* As Java reads a float, which may end with f or d. */
bool capacity_parse_float(const char *text, float *value);
/* "memory-mb=8192,vcores=4", also in brackets, as a resource over *RET; false and reported if it is
 * none. */
bool capacity_read_resource(struct capacity_reading *reading, const char *text,
                            struct resource *ret);

/* Reads TEXT (NULL: no file has it), the value of reading->row for QUEUE and reading->label. Before,
 * reading->member has the value that counts without the key. */
typedef void capacity_reader(struct capacity_reading *reading, struct capacity_queue *queue,
                             const char *text);
capacity_reader capacity_read_acl, capacity_read_allocation, capacity_read_calculator,
    capacity_read_capacity, capacity_read_creation, capacity_read_default_label,
    capacity_read_factor, capacity_read_fraction, capacity_read_labels, capacity_read_lifetime,
    capacity_read_max_apps, capacity_read_maximum, capacity_read_offswitch, capacity_read_order,
    capacity_read_plain, capacity_read_policy, capacity_read_prefix, capacity_read_priorities,
    capacity_read_state, capacity_read_workflows;

void capacity_priority_rules_free(struct capacity_queue *queue);
/* The capacity of type T, and its unit, in any of the three forms. */
double capacity_share_amount(const struct capacity_share *share, size_t t, enum capacity_unit *unit);
/* The sum over the children of PARENT whose capacity of type T has UNIT, but for those that are idle. */
double capacity_amount_of_children(const struct capacity_queue *parent, int label, size_t t,
                                   enum capacity_unit unit);

/* --- names ------------------------------------------------------------------------- */

/* Go through all keys: labels are declared, unknown keys get a warning. */
void capacity_names_look(struct capacity_reading *reading);
/* The weights that the templates of QUEUE, which a submission makes, give users. */
void capacity_names_weights(struct capacity_reading *reading, struct capacity_queue *queue);
/* False, and reported, if the keys are not those of a capacity-scheduler.xml of YARN. */
bool capacity_names_are_ours(struct capacity_reading *reading);

/* --- steps of a load --------------------------------------------------------------- */

/* Keys outside of the table: the sizes of containers, and labels. */
void capacity_read_cluster(struct capacity_reading *reading);
/* Those, and all rows of the scheduler; all rows of QUEUE, for each label. In the table's order. */
void capacity_read_scheduler(struct capacity_reading *reading);
void capacity_read_queue(struct capacity_reading *reading, struct capacity_queue *queue);
void capacity_judge(struct capacity_reading *reading);
void capacity_judge_shares(struct capacity_reading *reading, struct capacity_queue *queue);

/* Check the capacities of the queues right below PARENT with each other. */
void capacity_judge_siblings(struct capacity_reading *reading, const struct capacity_queue *parent);
void capacity_judge_user_weights(struct capacity_reading *reading,
                                 const struct capacity_queue *leaf);
void capacity_judge_templates(struct capacity_reading *reading, struct capacity_queue *queue);

/* Add the dynamic queue NAME below PARENT, with the values of its templates. It is added also if one of
 * them is wrong, which is reported. */
struct capacity_queue *capacity_dynamic_add(struct capacity_reading *reading,
                                            struct capacity_queue *parent, const char *name,
                                            bool leaf);

/* LEAF is new below a parent that deals capacity out: it has its own if there is enough left. */
void capacity_managed_begin(struct capacity_config *config, struct capacity_queue *leaf);
/* LEAF was OLD in OLD_CONFIG: a capacity that it did not have it does not get now. */
void capacity_managed_follow(const struct capacity_config *old_config,
                             const struct capacity_queue *old, struct capacity_config *config,
                             struct capacity_queue *leaf);

void capacity_reading_begin(struct capacity_reading *reading, struct capacity_config *config,
                            const struct conf *conf);
/* As problems_finish; frees what the reading has, but not the config. */
int capacity_reading_end(struct capacity_reading *reading, struct err *err);

#endif
