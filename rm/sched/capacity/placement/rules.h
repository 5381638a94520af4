/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - the list of queue mapping rules, in the common form of both syntaxes
 *
 * The readers (legacy.c, json.c) fill the list. The check at load and capacity_placement_decide()
 * (placement.c) use it. A path may have variables as components: %user, %primary_group, %secondary_group,
 * %application, %specified, %default.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_PLACEMENT_RULES_H
#define CREEL_RM_SCHED_CAPACITY_PLACEMENT_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/conf/conf.h"
#include "common/conf/problems.h"
#include "rm/sched/capacity/config/config.h"

#define PLACEMENT_PREFIX "yarn.scheduler.capacity."
#define PLACEMENT_MAPPINGS PLACEMENT_PREFIX "queue-mappings"
#define PLACEMENT_OVERRIDE PLACEMENT_PREFIX "queue-mappings-override.enable"
#define PLACEMENT_FORMAT PLACEMENT_PREFIX "mapping-rule-format"
#define PLACEMENT_JSON PLACEMENT_PREFIX "mapping-rule-json"
#define PLACEMENT_JSON_FILE PLACEMENT_PREFIX "mapping-rule-json-file"
#define PLACEMENT_KINDS "yarn.scheduler.queue-placement-rules"
#define PLACEMENT_APP_MAPPINGS PLACEMENT_KINDS ".app-name"

enum mapping_concerns { /* users or applications that a rule concerns */
                        MAPPING_EVERYBODY,
                        MAPPING_USER,        /* the user MATCHES */
                        MAPPING_GROUP,       /* users with the group MATCHES, primary or not */
                        MAPPING_APPLICATION, /* apps of the name MATCHES */
};

enum mapping_action { MAPPING_PLACE, MAPPING_REJECT, MAPPING_SET_DEFAULT };

enum mapping_fallback {               /* action if the application cannot be placed at PATH */
                        MAPPING_SKIP, /* try the next rule */
                        MAPPING_FALL_REJECT,
                        MAPPING_PLACE_DEFAULT, /* place at %default; reject if that queue does not exist */
};

struct mapping_rule {
    enum mapping_concerns concerns;
    enum mapping_action action;
    enum mapping_fallback fallback;
    bool create;   /* PATH may be created */
    char *matches; /* owned; may have variables; NULL for everybody */
    char *path;    /* owned; PLACE: queue path; SET_DEFAULT: new value of %default */
    char *text;    /* owned; the rule as text for messages, well below
                      PLACEMENT_RULE_MAX bytes */
    char *where;   /* owned; file and line of the rule, for error messages at load */
};

struct mapping_rules {
    struct mapping_rule *items; /* owned array */
    size_t count, capacity;
};

/* Appends RULE. RULES takes ownership of its texts. */
void mapping_rules_add(struct mapping_rules *rules, struct mapping_rule rule);
void mapping_rules_done(struct mapping_rules *rules);

/* Parses VALUE, the value of KEY (PLACEMENT_MAPPINGS or PLACEMENT_APP_MAPPINGS) at ORIGIN ("<file>:<line>").
 * Adds errors to PROBLEMS. Declared for tests. */
void mapping_rules_read_list(const char *origin, const char *key, const char *value,
                             struct mapping_rules *rules, struct problems *problems);
/* Reads both lists from CONF, in the order of queue-placement-rules. */
void mapping_rules_read_legacy(const struct conf *conf, struct mapping_rules *rules,
                               struct problems *problems);

/* The origin of the JSON text, for messages. */
struct mapping_source {
    const char *name; /* "<file>:<line>: <key>", or the JSON file's name */
    bool is_file;     /* a file of its own: messages append line and column to NAME */
};
/* Parses the JSON TEXT. Adds errors to PROBLEMS. */
void mapping_rules_read_json(const struct mapping_source *source, const char *text,
                             struct mapping_rules *rules, struct problems *problems);

/* Checks whether each of RULES could ever place an application in CONFIG. Adds rules that could not to
 * PROBLEMS. Declared for tests. */
void mapping_rules_judge(const struct mapping_rules *rules, const struct capacity_config *config,
                         struct problems *problems);

#endif
