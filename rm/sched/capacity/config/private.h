/* SPDX-License-Identifier: Apache-2.0 */
/*
 * private.h - declarations shared by the files that read the capacity configuration
 *
 *   key_table.c table of all keys, one row each
 *   rows.c      reads all rows: resolves inheritance, then calls the reader of the row's type
 *   read.c      capacity_read_plain, for numbers and switches; it also looks up keys and reports
 *   global.c    reads keys of the whole scheduler that are not plain numbers or booleans
 *   queue.c     the same for keys of a queue; priority.c and vector.c: keys with a special syntax
 *   names.c     warns about unknown keys; finds labels and users in names of keys
 *   label_keys.c  finds the keys that name a label
 *   tree.c      adds, finds, removes and frees queues
 *   load.c      loads a whole configuration
 *   judge.c     checks rules between queues; judge_share.c: between capacities
 *   compute.c   computes figures from capacities and cluster size
 *   dynamic.c   creates queues for submissions
 *   managed.c   leaves to which their parent assigns its capacity
 *   accept.c    checks whether a refresh may replace the configuration
 */
#ifndef CREEL_RM_SCHED_CAPACITY_CONFIG_PRIVATE_H
#define CREEL_RM_SCHED_CAPACITY_CONFIG_PRIVATE_H

#include "common/conf/problems.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/capacity/config/key_table.h"

#define CAPACITY_PREFIX "yarn.scheduler.capacity."
#define CAPACITY_LABEL_PREFIX "accessible-node-labels."
#define CAPACITY_USER_PREFIX "user-settings."
#define CAPACITY_SUM_TOLERANCE 0.0005f     /* of a sum of 1; the same as in YARN's ParentQueue */
#define CAPACITY_MAXIMUM_TOLERANCE 0.0001f /* tolerance by which a maximum may be below the capacity */
#define CAPACITY_WEIGHT_MAX 10000.0f

/* State of reading one configuration. */
struct capacity_reading {
    struct capacity_config *config;
    const struct conf *conf;
    struct problems problems;
    char *key;             /* owned; name of the key looked up last */
    enum capacity_key row; /* row being read */
    int label;             /* label index for which ROW is being read */
    void *member;          /* member into which ROW is being read; NULL if ROW has no member */
    bool quiet;            /* report nothing */
};

/* --- tree ---------------------------------------------------------------------- */

/* Creates the queue NAME as the last child of PARENT, or as the root queue if PARENT is NULL. The new
 * queue is a leaf, and PARENT becomes a parent queue. All fields of its shares are 0. */
struct capacity_queue *capacity_queue_new(struct capacity_config *config, struct capacity_queue *parent,
                                          const char *name);
/* Removes and frees QUEUE, which must have no children. */
void capacity_queue_drop(struct capacity_config *config, struct capacity_queue *queue);
/* Returns the queue whose path is the first LENGTH bytes of PATH, or NULL. */
struct capacity_queue *capacity_queue_at(const struct capacity_config *config, const char *path,
                                         size_t length);
/* Returns the queue whose path followed by a dot is the longest prefix of PATH; root if there is none. */
struct capacity_queue *capacity_queue_above(const struct capacity_config *config, const char *path);
/* Marks QUEUE as a leaf or as a parent. */
void capacity_queue_set_leaf(struct capacity_config *config, struct capacity_queue *queue, bool leaf);

void capacity_number_set(struct capacity_number **numbers, const char *name, double value);
/* Returns NULL if there is no number with NAME. */
const struct capacity_number *capacity_number_find(const struct capacity_number *numbers, const char *name);

/* --- values ---------------------------------------------------------------------- */

/* Returns the value of KEY: of the scheduler if QUEUE is NULL, else of QUEUE for LABEL; a dynamic queue also
 * uses its templates. Returns NULL if no file sets the key. Sets reading->key to the name of the key in
 * either case. */
const char *capacity_get(struct capacity_reading *reading, const struct capacity_queue *queue,
                         enum capacity_key key, int label);
/* Like capacity_get(), for a key given by its name, PREFIX followed by NAME. */
const char *capacity_get_named(struct capacity_reading *reading, const struct capacity_queue *queue,
                               const char *prefix, const char *name);
/* Returns the configured weight of USER. */
const char *capacity_get_weight(struct capacity_reading *reading, const struct capacity_queue *queue,
                                const char *user);
/* Sets reading->key like capacity_get(), for a message: capacity_problem(capacity_at(...), ...). */
struct capacity_reading *capacity_at(struct capacity_reading *reading, const struct capacity_queue *queue,
                                     enum capacity_key key, int label);

/* Reports a problem of reading->key, with its value and the file and line that set it. */
void capacity_problem(struct capacity_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void capacity_warning(struct capacity_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Does the same as capacity_warning, for a remark with EFFECT. */
void capacity_note(struct capacity_reading *reading, enum conf_effect effect, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads a number or a boolean into *MEMBER. Returns true if *MEMBER was set. *MEMBER is unchanged if no file
 * has the key, or if the value is wrong, which is reported. */
bool capacity_read_value(struct capacity_reading *reading, const struct capacity_queue *queue,
                         enum capacity_key key, void *member);
/* Like capacity_read_value(), from TEXT, the value of reading->key. */
bool capacity_read_text(struct capacity_reading *reading, enum capacity_key key, const char *text,
                        void *member);

/* Parses a float like Java: the text may end with f or d. */
bool capacity_parse_float(const char *text, float *value);
/* Parses "memory-mb=8192,vcores=4", optionally in brackets, and overwrites these types in *RET. Returns
 * false, with a report, if the text is invalid. */
bool capacity_read_resource(struct capacity_reading *reading, const char *text, struct resource *ret);

/* Reads TEXT (NULL: no file sets the key), the value of reading->row for QUEUE and reading->label. On entry,
 * the member has the value that is used if the key is not set. */
typedef void capacity_reader(struct capacity_reading *reading, struct capacity_queue *queue,
                             const char *text);
capacity_reader capacity_read_acl, capacity_read_allocation, capacity_read_calculator, capacity_read_capacity,
    capacity_read_creation, capacity_read_default_label, capacity_read_factor, capacity_read_fraction,
    capacity_read_labels, capacity_read_lifetime, capacity_read_max_apps, capacity_read_maximum,
    capacity_read_offswitch, capacity_read_order, capacity_read_plain, capacity_read_policy,
    capacity_read_prefix, capacity_read_priorities, capacity_read_state, capacity_read_workflows;

void capacity_priority_rules_free(struct capacity_queue *queue);
/* Returns the sum over the children of PARENT whose capacity of resource type T has UNIT, without idle
 * children. */
double capacity_amount_of_children(const struct capacity_queue *parent, int label, size_t t,
                                   enum capacity_unit unit);

/* --- names ------------------------------------------------------------------------- */

/* Scans all keys: declares labels and warns about unknown keys. */
void capacity_names_check(struct capacity_reading *reading);
/* Returns false, with a report, if the keys are not those of a capacity-scheduler.xml of YARN. */
bool capacity_names_are_ours(struct capacity_reading *reading);

/* --- user weights -------------------------------------------------------------------- */

/* Reads the weight of USER in QUEUE, if there is one. */
void capacity_read_user_weight(struct capacity_reading *reading, struct capacity_queue *queue,
                               const char *user);
/* Reads the weights of all users in QUEUE, a dynamic queue, also from its templates. */
void capacity_read_user_weights(struct capacity_reading *reading, struct capacity_queue *queue);
/* Checks the weights that apply in LEAF. */
void capacity_judge_user_weights(struct capacity_reading *reading, const struct capacity_queue *leaf);

/* --- steps of a load --------------------------------------------------------------- */

/* Reads keys outside the table: the sizes of containers, and node labels. */
void capacity_read_cluster(struct capacity_reading *reading);
/* capacity_read_scheduler() calls capacity_read_cluster() and reads all rows of the scheduler.
 * capacity_read_queue() reads all rows of QUEUE, for each label. Both use the order of the table. */
void capacity_read_scheduler(struct capacity_reading *reading);
void capacity_read_queue(struct capacity_reading *reading, struct capacity_queue *queue);
void capacity_judge(struct capacity_reading *reading);
void capacity_judge_shares(struct capacity_reading *reading, struct capacity_queue *queue);

/* Checks the capacities of the children of PARENT against each other. */
void capacity_judge_siblings(struct capacity_reading *reading, const struct capacity_queue *parent);
void capacity_judge_templates(struct capacity_reading *reading, struct capacity_queue *queue);

/* templates.c: the properties of all templates. */
void capacity_note_templates(struct capacity_config *config, const struct conf *conf);
void capacity_free_templates(struct capacity_config *config);

/* Adds the dynamic queue NAME below PARENT, with the values of its templates. The queue is added even if a
 * template value is wrong, which is reported. */
struct capacity_queue *capacity_dynamic_add(struct capacity_reading *reading, struct capacity_queue *parent,
                                            const char *name, bool leaf);

/* Initialises the capacity of LEAF, new below a managed parent: LEAF gets its capacity if the parent has
 * enough left. */
void capacity_managed_begin(struct capacity_config *config, struct capacity_queue *leaf);
/* Carries the state of LEAF over a refresh: if OLD in OLD_CONFIG was idle, LEAF is idle as well. */
void capacity_managed_follow(const struct capacity_config *old_config, const struct capacity_queue *old,
                             struct capacity_config *config, struct capacity_queue *leaf);

void capacity_reading_begin(struct capacity_reading *reading, struct capacity_config *config,
                            const struct conf *conf);
/* Reports the problems like problems_finish(). Frees the memory of the reading, but not the config. */
int capacity_reading_end(struct capacity_reading *reading, struct err *err);

#endif
