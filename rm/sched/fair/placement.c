/* SPDX-License-Identifier: Apache-2.0 */
/* placement.c - the fair scheduler's queuePlacementPolicy: builds and applies the rules */
#include "rm/sched/fair/placement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_print.h"
#include "common/conf/problems.h"
#include "rm/sched/fair/element_table.h"
#include "rm/sched/queue_name.h"

#define DEFAULT_NAME "default"

enum rule_kind {
#define KIND(constant, ...) constant,
    FAIR_RULES(KIND)
#undef KIND
};

/* When a rule never continues with the next rule. */
enum rule_end { END_NEVER, END_IF_CREATING, END_ALWAYS };

static const struct {
    const char *name;
    enum rule_end end;
    bool takes_inner; /* the inner rule gives the parent of the resulting queue */
    bool may_be_inner;
} kinds[] = {
#define ROW(constant, name, end, takes_inner, may_be_inner, doc) \
    [constant] = { name, end, takes_inner, may_be_inner },
    FAIR_RULES(ROW)
#undef ROW
};

struct fair_rule {
    enum rule_kind kind;
    bool create;
    char *queue;             /* owned; DEFAULT: a full path */
    char *where;             /* owned */
    struct fair_rule *inner; /* owned; NULL: none */
    bool is_inner;
    struct fair_rule *next; /* owned */
};

struct fair_placement {
    struct fair_rule *first, **end; /* owned list */
    bool finished;
};

struct fair_placement *fair_placement_new(void)
{
    struct fair_placement *placement = mem_new0(struct fair_placement);

    placement->end = &placement->first;
    return placement;
}

static void rule_free(struct fair_rule *rule)
{
    if (rule == NULL)
        return;
    rule_free(rule->inner); /* the inner rule has no inner rule itself */
    free(rule->queue);
    free(rule->where);
    free(rule);
}

void fair_placement_free(struct fair_placement *placement)
{
    if (placement == NULL)
        return;
    while (placement->first) {
        struct fair_rule *rule = placement->first;

        placement->first = rule->next;
        rule_free(rule);
    }
    free(placement);
}

/* --- building -------------------------------------------------------------- */

/* Returns PATH, with "root." prepended if missing. The caller frees it. */
static char *with_root(const char *path)
{
    if (text_equal(path, "root") || text_has_prefix(path, "root."))
        return mem_strdup(path);
    return mem_printf("root.%s", path);
}

/* Returns the enum rule_kind called NAME, or -EINVAL. */
static int find_kind(const char *name, const char *where, struct err *err)
{
    char shown[PROBLEMS_SHOWN_MAX];

    if (name == NULL || *name == '\0')
        return err_set(err, EINVAL, "%s: rule: the attribute name is missing", where);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (text_equal(kinds[i].name, name))
            return (int)i;
    return err_set(err, EINVAL,
                   "%s: rule \"%s\": not known (there is: specified, user, primaryGroup, "
                   "secondaryGroupExistingQueue, nestedUserQueue, default, reject)",
                   where, problems_show(name, shown));
}

static int check_nesting(const struct fair_rule *inside, enum rule_kind kind, const char *where,
                         struct err *err)
{
    if (inside == NULL)
        return 0;
    if (inside->is_inner)
        return err_set(err, EINVAL,
                       "%s: rule %s: a rule that is inside another has none inside "
                       "itself",
                       where, kinds[kind].name);
    if (!kinds[inside->kind].takes_inner)
        return err_set(err, EINVAL, "%s: rule %s: the rule %s around it has none inside", where,
                       kinds[kind].name, kinds[inside->kind].name);
    if (!kinds[kind].may_be_inner)
        return err_set(err, EINVAL, "%s: rule %s: cannot be inside another", where, kinds[kind].name);
    if (inside->kind == kind || (inside->kind == RULE_NESTED && kind == RULE_USER))
        return err_set(err, EINVAL, "%s: rule %s: is of the same kind as the rule around it", where,
                       kinds[kind].name);
    return 0;
}

int fair_placement_add(struct fair_placement *placement, struct fair_rule *inside,
                       const struct fair_rule_spec *spec, struct fair_rule **ret, struct err *err)
{
    const char *create = spec->create, *queue = spec->queue;
    struct fair_rule *rule;
    char shown[PROBLEMS_SHOWN_MAX];
    int r = find_kind(spec->name, spec->where, err);
    enum rule_kind kind;

    if (r < 0)
        return r;
    kind = (enum rule_kind)r;
    if ((r = check_nesting(inside, kind, spec->where, err)) < 0)
        return r;
    if (kind == RULE_DEFAULT && queue && *queue && !queue_path_is_clean(queue))
        return err_set(err, EINVAL,
                       "%s: rule default: queue \"%s\": a part of this path is empty, or "
                       "has blanks at its ends",
                       spec->where, problems_show(queue, shown));

    rule = mem_new0(struct fair_rule);
    rule->kind = kind;
    rule->create = create == NULL || *create == '\0' || strcasecmp(create, "true") == 0;
    rule->where = mem_strdup(spec->where);
    rule->is_inner = inside != NULL;
    if (kind == RULE_DEFAULT)
        rule->queue = with_root(queue && *queue ? queue : DEFAULT_NAME);
    if (inside) {
        rule_free(inside->inner);
        inside->inner = rule;
    } else {
        *placement->end = rule;
        placement->end = &rule->next;
    }
    if (ret)
        *ret = rule;
    return 0;
}

/* Returns true if YARN treats RULE as terminal, taking every submission. (A rule with an inner rule continues
 * nevertheless if the inner rule gives a leaf queue.) */
static bool always_ends(const struct fair_rule *rule)
{
    enum rule_end end = kinds[rule->kind].end;

    return (end == END_ALWAYS || (end == END_IF_CREATING && rule->create)) &&
           (rule->inner == NULL || always_ends(rule->inner));
}

int fair_placement_finish(struct fair_placement *placement, struct err *err)
{
    if (placement->first == NULL)
        return err_set(err, EINVAL, "queuePlacementPolicy: has no rule");
    for (const struct fair_rule *rule = placement->first; rule; rule = rule->next) {
        const char *name = kinds[rule->kind].name;

        if (rule->kind == RULE_NESTED && rule->inner == NULL)
            return err_set(err, EINVAL, "%s: rule %s: needs a rule inside that gives the parent queue",
                           rule->where, name);
        /* Differs: YARN also refuses rules after a rule that has an inner one. But such a rule continues if
         * the inner one gives a leaf queue, so the rules after it can be reached. Files for releases before
         * YARN-8967 have such rules, and YARN's own converter to the capacity scheduler has an option to
         * accept them (--no-terminal-rule-check). creel only warns about them: fair_placement_unreached(). */
        if (rule->next && rule->inner == NULL && always_ends(rule))
            return err_set(err, EINVAL,
                           "%s: rule %s: is never reached: rule %s (%s) before it never "
                           "passes on",
                           rule->next->where, kinds[rule->next->kind].name, name, rule->where);
        if (rule->next == NULL && !always_ends(rule))
            return err_set(err, EINVAL,
                           "%s: rule %s: is the last one and may pass on: end with "
                           "default or reject, or let it create queues",
                           rule->where, name);
    }
    placement->finished = true;
    return 0;
}

const char *fair_placement_unreached(const struct fair_placement *placement)
{
    for (const struct fair_rule *rule = placement->first; rule; rule = rule->next)
        if (rule->next && always_ends(rule))
            return rule->next->where;
    return NULL;
}

const struct fair_rule *fair_placement_first(const struct fair_placement *placement)
{
    return placement->first;
}

struct fair_rule_view fair_rule_describe(const struct fair_rule *rule)
{
    return (struct fair_rule_view){ kinds[rule->kind].name, rule->where, rule->queue,
                                    rule->create,           rule->inner, rule->next };
}

static int add_built_in(struct fair_placement *placement, const char *name, const char *create)
{
    const struct fair_rule_spec spec = { .name = name, .create = create, .where = "built in" };

    return fair_placement_add(placement, NULL, &spec, NULL, NULL);
}

struct fair_placement *fair_placement_default(bool user_as_default_queue, bool allow_undeclared_pools)
{
    struct fair_placement *placement = fair_placement_new();
    const char *create = allow_undeclared_pools ? "true" : "false";
    int r = add_built_in(placement, "specified", create);

    if (user_as_default_queue)
        r |= add_built_in(placement, "user", create);
    if (!user_as_default_queue || !allow_undeclared_pools)
        r |= add_built_in(placement, "default", NULL);
    r |= fair_placement_finish(placement, NULL);
    if (r != 0)
        abort();
    return placement;
}

/* --- deciding -------------------------------------------------------------- */

struct fair_decision {
    const struct fair_queue_view *view;
    const struct placement_request *request;
    struct err *err;
};

static bool is_configured(const struct fair_decision *decision, const char *path)
{
    return decision->view->configured(decision->view->context, path) != FAIR_QUEUE_NONE;
}

/* Makes PATH the result of RULE if PATH may be created, or is in the file; else continues with the next rule.
 * Takes ownership of PATH. */
static int offer(const struct fair_decision *decision, const struct fair_rule *rule, char *path, char **ret)
{
    if (rule->create || is_configured(decision, path)) {
        *ret = path;
        return 1;
    }
    free(path);
    return 0;
}

static int ask(const struct fair_decision *decision, const struct fair_rule *rule, char **ret);

/* Determines the parent of a queue named after a user or group: the result of the inner rule, or root.
 * Returns 1: *PARENT is set; 0: continue with the next rule. */
static int ask_parent(const struct fair_decision *decision, const struct fair_rule *rule, char **parent)
{
    int r;

    if (rule->inner == NULL) {
        *parent = mem_strdup("root");
        return 1;
    }
    if ((r = ask(decision, rule->inner, parent)) <= 0)
        return r;
    if (decision->view->existing(decision->view->context, *parent) == FAIR_QUEUE_LEAF) {
        free(*parent);
        *parent = NULL;
        return 0;
    }
    return 1;
}

/* Differs: for the user or group root, YARN takes the queue root itself, and refuses it because it is not a
 * leaf. In creel the queue is root.root, as for any other name. */
static int ask_named_for(const struct fair_decision *decision, const struct fair_rule *rule,
                         const char *somebody, char **ret)
{
    scoped_free char *component = queue_name_component(somebody);
    scoped_free char *parent = NULL;
    int r;

    if (*component == '\0')
        return 0;
    if ((r = ask_parent(decision, rule, &parent)) <= 0)
        return r;
    return offer(decision, rule, mem_printf("%s.%s", parent, component), ret);
}

/* Returns -EPERM if no group of the user is known. Group rules do not continue with the next rule in this
 * case. */
static int require_group(const struct fair_decision *decision, const struct fair_rule *rule)
{
    const struct acl_person *person = &decision->request->person;
    char shown[PROBLEMS_SHOWN_MAX];

    if (person->group_count > 0)
        return 0;
    return err_set(decision->err, EPERM, "rule %s (%s): user %s has no group", kinds[rule->kind].name,
                   rule->where, problems_show(person->user, shown));
}

static int ask_primary(const struct fair_decision *decision, const struct fair_rule *rule, char **ret)
{
    int r = require_group(decision, rule);

    return r < 0 ? r : ask_named_for(decision, rule, decision->request->person.groups[0], ret);
}

/* Tries all groups, including the primary one (SecondaryGroupExistingPlacementRule), although YARN's manual
 * names only the secondary groups. */
static int ask_secondary(const struct fair_decision *decision, const struct fair_rule *rule, char **ret)
{
    const struct acl_person *person = &decision->request->person;
    scoped_free char *parent = NULL;
    int r;

    if ((r = require_group(decision, rule)) < 0 || (r = ask_parent(decision, rule, &parent)) <= 0)
        return r;
    for (size_t i = 0; i < person->group_count; i++) {
        scoped_free char *component = queue_name_component(person->groups[i]);
        char *path = mem_printf("%s.%s", parent, component);

        if (*component && is_configured(decision, path)) {
            *ret = path;
            return 1;
        }
        free(path);
    }
    return 0;
}

static int ask_specified(const struct fair_decision *decision, const struct fair_rule *rule, char **ret)
{
    const char *queue = decision->request->queue;
    char shown[PROBLEMS_SHOWN_MAX];

    if (queue == NULL || *queue == '\0' || text_equal(queue, DEFAULT_NAME))
        return 0;
    if (!queue_path_is_clean(queue))
        return err_set(decision->err, EINVAL,
                       "queue \"%s\": cannot be the name of one: a part is "
                       "empty, or has blanks at its ends",
                       problems_show(queue, shown));
    return offer(decision, rule, with_root(queue), ret);
}

/* Applies RULE. Returns 1: *RET (owned by the caller) is the path; 0: continue with the next rule; else
 * -errno. */
static int ask(const struct fair_decision *decision, const struct fair_rule *rule, char **ret)
{
    const struct acl_person *person = &decision->request->person;

    switch (rule->kind) {
    case RULE_SPECIFIED:
        return ask_specified(decision, rule, ret);
    case RULE_USER:
    case RULE_NESTED:
        return ask_named_for(decision, rule, person->user, ret);
    case RULE_PRIMARY_GROUP:
        return ask_primary(decision, rule, ret);
    case RULE_SECONDARY_GROUP:
        return ask_secondary(decision, rule, ret);
    case RULE_DEFAULT:
        return offer(decision, rule, mem_strdup(rule->queue), ret);
    case RULE_REJECT:
        return err_set(decision->err, EPERM, "rejected by the placement rule reject (%s)", rule->where);
    }
    return 0;
}

/* Checks whether an application can be placed at PATH. -EISDIR: no. */
static int check_leaf(const struct fair_queue_view *view, const char *path, bool *create, struct err *err)
{
    enum fair_queue_kind kind = view->existing(view->context, path);
    scoped_free char *above = mem_strdup(path);
    char *dot;

    *create = kind == FAIR_QUEUE_NONE;
    if (kind == FAIR_QUEUE_PARENT)
        return err_set(err, EISDIR, "queue %s: not a leaf queue", path);
    while (kind == FAIR_QUEUE_NONE && (dot = strrchr(above, '.')) != NULL) {
        *dot = '\0';
        kind = view->existing(view->context, above);
        if (kind == FAIR_QUEUE_LEAF)
            return err_set(err, EISDIR, "queue %s: cannot be made: %s is a leaf queue", path, above);
    }
    return 0;
}

static const char *rule_text(const struct fair_rule *rule, char text[PLACEMENT_RULE_MAX])
{
    char shown[PROBLEMS_SHOWN_MAX], where[PROBLEMS_SHOWN_MAX];

    text_print(text, PLACEMENT_RULE_MAX, "%s%s%s%s%s%s (%s)", kinds[rule->kind].name, rule->queue ? " " : "",
               rule->queue ? problems_show(rule->queue, shown) : "", rule->inner ? " in " : "",
               rule->inner ? kinds[rule->inner->kind].name : "", rule->create ? "" : ", create=false",
               problems_show(rule->where, where));
    return text;
}

static int settle(const struct fair_queue_view *view, int number, const char *text, char *path,
                  struct placement_result *result, struct err *err)
{
    bool create;
    int r = check_leaf(view, path, &create, err);

    if (r < 0) {
        err_prefix(err, "placement rule %d, %s", number, text);
        free(path);
        return r;
    }
    *result = (struct placement_result){ .queue = path, .create = create, .rule = number };
    text_print(result->why, sizeof(result->why), "%s", text);
    return 0;
}

int fair_placement_decide(const struct fair_placement *placement, const struct fair_queue_view *view,
                          const struct placement_request *request, placement_trace_fn *trace, void *context,
                          struct placement_result *result, struct err *err)
{
    struct fair_decision decision = { .view = view, .request = request, .err = err };
    char text[PLACEMENT_RULE_MAX];
    int number = 0;

    for (const struct fair_rule *rule = placement->first; rule; rule = rule->next) {
        char *path = NULL;
        int r = ask(&decision, rule, &path);

        number++;
        rule_text(rule, text);
        if (trace)
            trace(context, number, text, r > 0 ? path : r < 0 ? "rejects" : "passes on");
        if (r < 0)
            return r;
        if (r > 0)
            return settle(view, number, text, path, result, err);
    }
    return err_set(err, EPERM, "no placement rule accepts it");
}
