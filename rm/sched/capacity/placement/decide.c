/* SPDX-License-Identifier: Apache-2.0 */
/* decide.c - the capacity scheduler's queue mappings: decides which queue a submission enters */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/base/text_print.h"
#include "rm/sched/capacity/placement/state.h"
#include "rm/sched/capacity/placement/tree.h"
#include "rm/sched/queue_name.h"

#define DEFAULT_NAME "default" /* sent by YARN's clients if no queue was named */
#define NAMED_MAX 8            /* maximum number of queues listed in a message */

/* The values of the variables in one decision. */
struct mapping_variables {
    const struct capacity_config *config;
    const struct placement_request *request;
    const char *user;               /* OWN_USER, or the user name with its dots */
    char *own_user, *primary_group; /* owned; as path components; "" without groups */
    const char *specified;          /* "" if none was named */
    const char *application;
    char *default_queue; /* owned */
};

struct decision {
    const struct capacity_placement *placement;
    struct mapping_variables variables;
    placement_trace_fn *trace;
    void *context;
    struct placement_result *result;
    struct err *err;
};

static const char *asked_queue(const struct placement_request *request)
{
    return request->queue && *request->queue ? request->queue : DEFAULT_NAME;
}

/* --- variables ------------------------------------------------------------- */

static void mapping_variables_init(struct mapping_variables *variables)
{
    const struct placement_request *request = variables->request;
    const char *asked = asked_queue(request);

    variables->user = variables->own_user = queue_name_component(request->person.user);
    /* Differs: in YARN the variable is not replaced for a user without groups, so that a queue called
     * %primary_group may be created. In creel the variable is empty, and a path with it is invalid. */
    variables->primary_group =
        queue_name_component(request->person.group_count > 0 ? request->person.groups[0] : "");
    variables->specified = text_equal(asked, DEFAULT_NAME) ? "" : asked;
    variables->application = request->app_name ? request->app_name : "";
    variables->default_queue = mem_strdup("root." DEFAULT_NAME);
}

static void mapping_variables_clear(struct mapping_variables *variables)
{
    free(variables->own_user);
    free(variables->primary_group);
    free(variables->default_queue);
}

/* Returns the first secondary group that is the name of a queue: below PARENT, or anywhere if PARENT is "".
 * The caller frees it. */
static char *secondary_group(const struct mapping_variables *variables, const char *parent)
{
    const struct acl_person *person = &variables->request->person;
    scoped_free char *full = NULL;

    if (*parent && placement_tree_normalise(variables->config, parent, &full, NULL) < 0)
        return mem_strdup("");
    for (size_t i = 1; i < person->group_count; i++) {
        char *group = queue_name_component(person->groups[i]);
        scoped_free char *path = full ? mem_printf("%s.%s", full, group) : mem_strdup(group);
        bool ambiguous;

        if (*group && placement_tree_find(variables->config, path, &ambiguous))
            return group;
        free(group);
    }
    return mem_strdup("");
}

/* Returns the value of the variable NAME (LENGTH bytes). NULL: NAME is not a variable, or is
 * %secondary_group, whose value depends on its position. */
static const char *value_of(const struct mapping_variables *variables, const char *name, size_t length)
{
    const struct {
        const char *name, *value;
    } values[] = {
        { "%user", variables->user },
        { "%primary_group", variables->primary_group },
        { "%application", variables->application },
        { "%specified", variables->specified },
        { PLACEMENT_DEFAULT_VARIABLE, variables->default_queue },
    };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (strlen(values[i].name) == length && memcmp(values[i].name, name, length) == 0)
            return values[i].value;
    return NULL;
}

/* Returns PATTERN with each component that is a variable replaced by its value. The caller frees it. */
static char *fill_path(const struct mapping_variables *variables, const char *pattern)
{
    struct text_builder path = TEXT_BUILDER_MALLOC;

    for (bool first = true;; first = false) {
        size_t length = strcspn(pattern, ".");
        scoped_free char *own = NULL;
        const char *value = value_of(variables, pattern, length);

        if (value == NULL && placement_is_variable(pattern, length))
            value = own = secondary_group(variables, first ? "" : path.text);
        else if (value == NULL)
            value = own = mem_strndup(pattern, length);
        text_builder_printf(&path, "%s%s", first ? "" : ".", value);
        if (pattern[length] == '\0')
            return text_builder_finish(&path);
        pattern += length + 1;
    }
}

/* Returns the value of the longest variable with which TEXT begins, and sets *LENGTH to its length. NULL:
 * none. */
static const char *variable_at(const struct mapping_variables *variables, const char *text, size_t *length)
{
    const char *value = NULL;

    if (*text != '%')
        return NULL;
    for (*length = strnlen(text, strlen("%primary_group")); *length > 1; --*length)
        if ((value = value_of(variables, text, *length)) != NULL)
            break;
    return value;
}

/* Returns TEXT with all variables replaced, at any position. The caller frees it. */
static char *fill_text(const struct mapping_variables *variables, const char *text)
{
    struct text_builder filled = TEXT_BUILDER_MALLOC;

    while (*text != '\0') {
        size_t length = 1;
        const char *value = variable_at(variables, text, &length);

        if (value)
            text_builder_add(&filled, value);
        else
            text_builder_add_bytes(&filled, text, length = 1);
        text += length;
    }
    return text_builder_finish(&filled);
}

/* Like fill_text(), for comparison with real names: user names keep their dots. */
static char *fill_for_people(const struct mapping_variables *variables, const char *text)
{
    struct mapping_variables plain = *variables;

    plain.user = variables->request->person.user;
    return fill_text(&plain, text);
}

static bool concerns(const struct mapping_rule *rule, const struct mapping_variables *variables)
{
    const struct acl_person *person = &variables->request->person;
    scoped_free char *matches = rule->matches ? fill_for_people(variables, rule->matches) : NULL;

    switch (rule->concerns) {
    case MAPPING_EVERYBODY:
        return true;
    case MAPPING_USER:
        return text_equal(matches, person->user);
    case MAPPING_APPLICATION:
        return text_equal(matches, variables->application);
    case MAPPING_GROUP:
        for (size_t i = 0; i < person->group_count; i++)
            if (text_equal(matches, person->groups[i]))
                return true;
        return false;
    }
    return false;
}

/* --- rules ----------------------------------------------------------------- */

static void trace(const struct decision *decision, size_t index, const char *outcome)
{
    if (decision->trace)
        decision->trace(decision->context, (int)index + 1, decision->placement->rules.items[index].text,
                        outcome);
}

/* Places the application at the path that PATTERN gives. Returns 0, or -errno with the reason in ERR. */
static int place(const struct decision *decision, const char *pattern, bool create, struct err *err)
{
    scoped_free char *wanted = fill_path(&decision->variables, pattern);
    char *path;
    enum placement_target target;
    int r = placement_tree_check(decision->variables.config, wanted, &path, &target, err);

    if (r < 0)
        return r;
    if (target == PLACEMENT_CREATABLE && !create) {
        free(path);
        return err_set(err, ENOENT, "%s: no such queue, and the rule may not create it", wanted);
    }
    decision->result->queue = path;
    decision->result->create = target == PLACEMENT_CREATABLE;
    return 0;
}

static int placed(const struct decision *decision, size_t index, const char *how)
{
    struct placement_result *result = decision->result;
    scoped_free char *outcome =
        mem_printf("%s%s%s", how, result->queue, result->create ? ", which is created" : "");

    result->rule = (int)index + 1;
    text_print(result->why, sizeof(result->why), "rule %zu: %s", index + 1,
               decision->placement->rules.items[index].text);
    trace(decision, index, outcome);
    return 1;
}

static int reject(const struct decision *decision, size_t index, const char *reason)
{
    trace(decision, index, *reason ? reason : "rejects");
    return err_set(decision->err, EPERM, "rejected by rule %zu (%s)%s%s", index + 1,
                   decision->placement->rules.items[index].text, *reason ? ": " : "", reason);
}

/* Applies the fallback of a rule that could not place the application, for REASON. */
static int fall_back(const struct decision *decision, size_t index, const char *reason)
{
    struct err err;

    switch (decision->placement->rules.items[index].fallback) {
    case MAPPING_SKIP:
        trace(decision, index, reason);
        return 0;
    case MAPPING_FALL_REJECT:
        return reject(decision, index, reason);
    case MAPPING_PLACE_DEFAULT:
        break;
    }
    if (place(decision, PLACEMENT_DEFAULT_VARIABLE, false, &err) == 0) {
        scoped_free char *how = mem_printf("%s; so the default queue, ", reason);

        return placed(decision, index, how);
    } else {
        scoped_free char *both = mem_printf("%s; the default queue: %s", reason, err.text);

        return reject(decision, index, both);
    }
}

/* Applies a rule. Returns 1: the rule placed the application; 0: try the next rule; else -errno. */
static int ask_rule(struct decision *decision, size_t index)
{
    const struct mapping_rule *rule = &decision->placement->rules.items[index];
    struct mapping_variables *variables = &decision->variables;
    struct err err;
    char *changed;

    if (!concerns(rule, variables)) {
        trace(decision, index, "does not match");
        return 0;
    }
    switch (rule->action) {
    case MAPPING_REJECT:
        return reject(decision, index, "");
    case MAPPING_SET_DEFAULT:
        changed = fill_text(variables, rule->path);
        free(variables->default_queue);
        variables->default_queue = changed;
        trace(decision, index, "sets the default queue");
        return 0;
    case MAPPING_PLACE:
        break;
    }
    if (place(decision, rule->path, rule->create, &err) == 0)
        return placed(decision, index, "places at ");
    return fall_back(decision, index, err.text);
}

static int ask_rules(struct decision *decision)
{
    int r = 0;

    mapping_variables_init(&decision->variables);
    for (size_t i = 0; r == 0 && i < decision->placement->rules.count; i++)
        r = ask_rule(decision, i);
    mapping_variables_clear(&decision->variables);
    return r;
}

/* --- without a rule -------------------------------------------------------- */

/* Lists the leaves of CONFIG called NAME (NULL: all leaves): "a, b and 3 more". The caller frees it. */
static char *list_leaves(const struct capacity_config *config, const char *name)
{
    const struct capacity_queue *queue;
    struct text_builder list = TEXT_BUILDER_MALLOC;
    size_t count = 0;

    TAILQ_FOREACH(queue, &config->queues, link) {
        if (!queue->leaf || (name && strcmp(queue->name, name) != 0))
            continue;
        if (count++ < NAMED_MAX)
            text_builder_printf(&list, "%s%s", list.length > 0 ? ", " : "", queue->path);
    }
    if (count > NAMED_MAX)
        text_builder_printf(&list, " and %zu more", count - NAMED_MAX);
    return text_builder_finish(&list);
}

static int refuse_managed(const struct decision *decision, const char *path)
{
    return err_set(decision->err, EPERM,
                   "%s: queues there are reached by queue mappings only, not "
                   "by name (auto-create-child-queue)",
                   path);
}

/* Places the application at NAME, a path that capacity_config_find() does not find: it begins with a short
 * name, or the queue must be created. */
static int place_new(const struct decision *decision, const char *name)
{
    const struct capacity_config *config = decision->variables.config;
    enum placement_target target;
    char *path;
    int r = placement_tree_check(config, name, &path, &target, decision->err);

    if (r < 0)
        return r;
    if (target == PLACEMENT_CREATABLE && placement_tree_is_managed(config, path)) {
        r = refuse_managed(decision, path);
        free(path);
        return r;
    }
    decision->result->queue = path;
    decision->result->create = target == PLACEMENT_CREATABLE;
    return 0;
}

static int refuse_name(const struct decision *decision, const char *name)
{
    const struct capacity_config *config = decision->variables.config;
    const struct capacity_queue *queue;
    scoped_free char *list = NULL;
    char shown[PROBLEMS_SHOWN_MAX];
    bool ambiguous;

    queue = placement_tree_find(config, name, &ambiguous);
    if (queue && !queue->leaf)
        return err_set(decision->err, EISDIR,
                       "%s: not a leaf queue: it has queues below it, or makes "
                       "them",
                       queue->path);
    list = list_leaves(config, NULL);
    return err_set(decision->err, ENOENT, "%s: no such queue (there is: %s)", problems_show(name, shown),
                   list);
}

/* Used if no rule decided: places in the queue that the submission names, or in the default queue. */
static int place_named(const struct decision *decision)
{
    const struct capacity_config *config = decision->variables.config;
    const char *name = asked_queue(decision->variables.request);
    bool ambiguous = false;
    const struct capacity_queue *queue = capacity_config_find(config, name, &ambiguous);
    struct placement_result *result = decision->result;
    int r;

    if (ambiguous) {
        scoped_free char *list = list_leaves(config, name);

        return err_set(decision->err, ENOTUNIQ, "%s: several queues have this name: %s", name, list);
    }
    if (queue && queue->leaf && queue->dynamic && queue->parent->auto_create_legacy &&
        !queue->parent->auto_create)
        return refuse_managed(decision, queue->path);
    if (queue && queue->leaf)
        result->queue = mem_strdup(queue->path);
    else if ((r = queue == NULL && strchr(name, '.') ? place_new(decision, name)
                                                     : refuse_name(decision, name)) < 0)
        return r;
    text_print(result->why, sizeof(result->why), "%s",
               decision->variables.request->queue && *decision->variables.request->queue
                   ? "the queue that was asked for"
                   : "no queue was asked for: the default one");
    return 0;
}

int capacity_placement_decide(const struct capacity_placement *placement,
                              const struct capacity_config *config, const struct placement_request *request,
                              placement_trace_fn *trace_fn, void *context, struct placement_result *result,
                              struct err *err)
{
    struct placement_result found = { .queue = NULL };
    struct decision decision = {
        .placement = placement,
        .variables = { .config = config, .request = request },
        .trace = trace_fn,
        .context = context,
        .result = &found,
        .err = err,
    };
    int r = 0;

    if (placement->override || text_equal(asked_queue(request), DEFAULT_NAME))
        r = ask_rules(&decision);
    if (r == 0)
        r = place_named(&decision);
    if (r < 0)
        return r;
    *result = found;
    return 0;
}
