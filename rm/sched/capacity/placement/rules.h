/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - one list of rules, however they were written
 *
 * Between the readers (legacy.c, json.c), the judge and
 * capacity_placement_decide (placement.c). A path may have variables as components: %user,
 * %primary_group, %secondary_group, %application, %specified, %default.
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

enum mapping_concerns {                 /* whom a rule concerns */
    MAPPING_EVERYBODY,
    MAPPING_USER,                       /* the user MATCHES */
    MAPPING_GROUP,                      /* users with the group MATCHES, primary or not */
    MAPPING_APPLICATION,                /* apps of the name MATCHES */
};

enum mapping_action { MAPPING_PLACE, MAPPING_REJECT, MAPPING_SET_DEFAULT };

enum mapping_fallback {                 /* if the app cannot be placed at PATH */
    MAPPING_SKIP,                       /* the next rule */
    MAPPING_FALL_REJECT,
    MAPPING_PLACE_DEFAULT,              /* %default, or reject if that is none either */
};

struct mapping_rule {
    enum mapping_concerns concerns;
    enum mapping_action action;
    enum mapping_fallback fallback;
    bool create;                        /* may PATH be made? */
    char *matches;                      /* owned; may have variables; NULL for everybody */
    char *path;                         /* owned; PLACE: where; SET_DEFAULT: the new %default */
    char *text;                         /* owned; the rule for people, well below
                                           PLACEMENT_RULE_MAX bytes */
    char *where;                        /* owned; its file and line, for messages at load */
};

struct mapping_rules {
    struct mapping_rule *items;         /* owned array */
    size_t count, capacity;
};

/* Append RULE, whose texts then belong to RULES. */
void mapping_rules_add(struct mapping_rules *rules, struct mapping_rule rule);
void mapping_rules_done(struct mapping_rules *rules);

/* VALUE is that of KEY, PLACEMENT_MAPPINGS or PLACEMENT_APP_MAPPINGS, at ORIGIN ("<file>:<line>"). Errors are
 * added to PROBLEMS. */
void mapping_rules_read_list(const char *origin, const char *key, const char *value,
                             struct mapping_rules *rules, struct problems *problems);
/* Read both from CONF, in the order of queue-placement-rules. */
void mapping_rules_read_legacy(const struct conf *conf, struct mapping_rules *rules,
                               struct problems *problems);

/* The origin of the JSON text, for messages. */
struct mapping_source {
    const char *name;                   /* "<file>:<line>: <key>", or the JSON file's name */
    bool is_file;                       /* of its own: lines and columns go behind the name */
};
/* TEXT is JSON; what is wrong goes to PROBLEMS. */
void mapping_rules_read_json(const struct mapping_source *source, const char *text,
                             struct mapping_rules *rules, struct problems *problems);

/* Could each of RULES ever place anything in CONFIG? What could not goes to PROBLEMS. */
void mapping_rules_judge(const struct mapping_rules *rules, const struct capacity_config *config,
                         struct problems *problems);

#endif
