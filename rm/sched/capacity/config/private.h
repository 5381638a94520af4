/* SPDX-License-Identifier: Apache-2.0 */
/*
 * private.h - what the files of the capacity configuration share
 *
 *   tree.c      queues: making, finding, taking out, freeing
 *   read.c      values of keys, with what is wrong about them
 *   vector.c    capacities as written: "12.5", "3w", "[memory=10240,vcores=12]"
 *   names.c     keys that mean nothing, labels that keys name
 *   effect.c    keys that change nothing here, and why
 *   global.c    keys that are of no queue
 *   queue.c     keys of a queue
 *   priority.c  who may have which application priority
 *   judge.c     rules between queues; judge_share.c: between capacities
 *   compute.c   figures
 *   load.c      all of it in order
 *   dynamic.c   queues that submissions make
 *   managed.c   leaves to which their parent deals its capacity out
 *   accept.c    a refresh
 */
#ifndef CREEL_RM_SCHED_CAPACITY_CONFIG_PRIVATE_H
#define CREEL_RM_SCHED_CAPACITY_CONFIG_PRIVATE_H

#include "common/conf/problems.h"
#include "rm/sched/capacity/config/config.h"

#define CAPACITY_PREFIX "yarn.scheduler.capacity."
#define CAPACITY_SUM_TOLERANCE 0.0005f      /* of 1, as YARN's parent queues have it */
#define CAPACITY_MAXIMUM_TOLERANCE 0.0001f  /* how much a maximum may be below its capacity */
#define CAPACITY_WEIGHT_MAX 10000.0f

/* Leaves by their last component; ONE is whichever came first. */
struct capacity_leaf_name {
    UT_hash_handle hh;
    struct capacity_queue *one;
    size_t count;
};

/* A configuration that is being read. */
struct capacity_reading {
    struct capacity_config *config;
    const struct conf *conf;
    struct problems problems;
    char *key;                  /* owned; the key that was looked for last */
    size_t key_size;
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
/* QUEUE is a leaf from now on, or no longer one. */
void capacity_queue_set_leaf(struct capacity_config *config, struct capacity_queue *queue, bool leaf);

/* --- values ---------------------------------------------------------------------- */

/* Value of CAPACITY_PREFIX SUFFIX (QUEUE NULL), or of that key of QUEUE, of a dynamic queue also
 * from its templates; NULL if nobody gave it. reading->key is its name either way. */
const char *capacity_get(struct capacity_reading *reading, const struct capacity_queue *queue,
                         const char *suffix);

/* Report about reading->key, with where it was set. */
void capacity_problem(struct capacity_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void capacity_warning(struct capacity_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same about the key SUFFIX of QUEUE, with its value if it has one. */
void capacity_problem_at(struct capacity_reading *reading, const struct capacity_queue *queue,
                         const char *suffix, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void capacity_warning_at(struct capacity_reading *reading, const struct capacity_queue *queue,
                         const char *suffix, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Each reads one key into *VALUE, which stays as it is if nobody gave the key or it is wrong
 * (then that is reported). True if *VALUE was set. */
bool capacity_get_int(struct capacity_reading *reading, const struct capacity_queue *queue,
                      const char *suffix, int64_t minimum, int64_t maximum, int64_t *value);
/* MINUS_ONE: -1 is a value too. */
bool capacity_get_float(struct capacity_reading *reading, const struct capacity_queue *queue,
                        const char *suffix, float minimum, float maximum, bool minus_one,
                        float *value);
bool capacity_get_bool(struct capacity_reading *reading, const struct capacity_queue *queue,
                       const char *suffix, bool *value);

/* As Java reads a float: with an f or d behind it, if somebody likes that. */
bool capacity_parse_float(const char *text, float *value);

/* The next word of the comma-separated *REST, trimmed, empty ones passed over; NULL at the end.
 * Cuts *REST up. */
char *capacity_next_word(char **rest);

/* --- capacities -------------------------------------------------------------------- */

/* capacity and maximum-capacity, with PREFIX before these ("", "accessible-node-labels.x."). */
void capacity_read_share(struct capacity_reading *reading, struct capacity_queue *queue,
                         const char *prefix, struct capacity_share *share);
/* "memory-mb=8192,vcores=4" as a resource over *RET; false and reported if it is none. */
bool capacity_read_resource(struct capacity_reading *reading, const char *text,
                            struct resource *ret);
void capacity_share_done(struct capacity_share *share);
/* What type T of a capacity is, whatever form it was written in. */
double capacity_share_amount(const struct capacity_share *share, int t, enum capacity_unit *unit);

/* --- names ------------------------------------------------------------------------- */

/* Is SUFFIX a key that queues have? */
bool capacity_key_known(const char *suffix);
/* Go through all keys: labels are declared, what means nothing is warned of. */
void capacity_names_look(struct capacity_reading *reading);
/* SUFFIX, a known key, of QUEUE or of none, has VALUE: say so if that changes nothing here. */
void capacity_warn_of_effect(struct capacity_reading *reading, const struct capacity_queue *queue,
                             const char *suffix, const char *value);
/* The weights that the templates of QUEUE, which a submission makes, give users. */
void capacity_names_settings(struct capacity_reading *reading, struct capacity_queue *queue);
/* Refuse what is no capacity-scheduler.xml of YARN at all. False if refused. */
bool capacity_names_are_ours(struct capacity_reading *reading);

/* --- steps of a load --------------------------------------------------------------- */

void capacity_read_global(struct capacity_reading *reading);
void capacity_read_queue(struct capacity_reading *reading, struct capacity_queue *queue);
void capacity_read_workflows(struct capacity_reading *reading);
void capacity_workflows_free(struct capacity_config *config);
void capacity_read_priority_rules(struct capacity_reading *reading, struct capacity_queue *queue);
void capacity_priority_rules_free(struct capacity_queue *queue);
void capacity_judge(struct capacity_reading *reading);
void capacity_judge_shares(struct capacity_reading *reading, struct capacity_queue *queue);

/* The queues right below PARENT against each other. */
void capacity_judge_siblings(struct capacity_reading *reading, const struct capacity_queue *parent);
void capacity_judge_user_weights(struct capacity_reading *reading,
                                 const struct capacity_queue *leaf);
void capacity_judge_templates(struct capacity_reading *reading, struct capacity_queue *queue);

/* A dynamic queue NAME below PARENT, by its templates; what is wrong is reported, it is there
 * all the same. */
struct capacity_queue *capacity_dynamic_add(struct capacity_reading *reading,
                                            struct capacity_queue *parent, const char *name,
                                            bool leaf);

/* LEAF is new below a parent that deals capacity out: it has its own if there is enough left. */
void capacity_managed_begin(struct capacity_config *config, struct capacity_queue *leaf);
/* It is the OLD one of OLD_CONFIG: what it had not, it still has not. */
void capacity_managed_follow(const struct capacity_config *old_config,
                             const struct capacity_queue *old, struct capacity_config *config,
                             struct capacity_queue *leaf);
void capacity_managed_read(struct capacity_reading *reading, struct capacity_queue *queue);

void capacity_reading_begin(struct capacity_reading *reading, struct capacity_config *config,
                            const struct conf *conf);
/* As problems_finish; frees what the reading has, but not the config. */
int capacity_reading_end(struct capacity_reading *reading, struct err *err);

/* "accessible-node-labels.<label>." or "" into TEXT, which is returned. */
#define CAPACITY_SHARE_PREFIX_MAX (CAPACITY_LABEL_NAME_MAX + 64)
const char *capacity_share_prefix(const struct capacity_config *config, int label,
                                  char text[CAPACITY_SHARE_PREFIX_MAX]);

#endif
