/* SPDX-License-Identifier: Apache-2.0 */
/* script_common.c - handles names, steps and claims of a conformance case, for both references */
#include "tests/reference/script_common.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* --- names ---------------------------------------------------------------------- */

int script_find(const struct script_names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return i;
    return -1;
}

int script_index(struct script_names *names, const char *name, int most)
{
    int index = script_find(names, name);

    if (index >= 0)
        return index;
    if (names->count == most || strlen(name) >= SCRIPT_NAME)
        return -1;
    memcpy(names->name[names->count], name, strlen(name) + 1);
    return names->count++;
}

int script_key(const struct script_common *script, int64_t priority)
{
    for (int k = script->first_key; k < script->key_count; k++)
        if (script->priorities[k] == priority)
            return k;
    return -1;
}

/* Adds a key for PRIORITY. Keys are in order of priority, the order in which requests are served. */
static bool add_priority(struct script_common *script, int64_t priority)
{
    int at = script->key_count;

    if (script_key(script, priority) >= 0)
        return true;
    if (at == script->model->keys || priority < 0)
        return false;
    for (; at > script->first_key && script->priorities[at - 1] > priority; at--)
        script->priorities[at] = script->priorities[at - 1];
    script->priorities[at] = priority;
    script->key_count++;
    return true;
}

static bool add_location(struct script_common *script, const char *name)
{
    if (strcmp(name, "*") == 0)
        return true;
    if (*name == '/')
        return script_index(&script->racks, name, script->model->racks) >= 0;
    return script_index(&script->nodes, name, script->model->nodes) >= 0;
}

bool script_add_names(struct script_common *script, const struct case_step *step)
{
    switch (step->op) {
    case OP_ADD_NODE:
        return add_location(script, step->node) &&
               add_location(script, step->rack ? step->rack : "/default-rack");
    case OP_SUBMIT:
        return script_index(&script->apps, step->app, script->model->apps) >= 0 &&
               script_index(&script->users, step->user, script->model->users) >= 0;
    case OP_ASK:
        for (size_t i = 0; i < step->request_count; i++)
            if (!add_location(script, step->requests[i].where) ||
                !add_priority(script, step->requests[i].priority))
                return false;
        return true;
    default:
        return true;
    }
}

/* --- steps ---------------------------------------------------------------------- */

static void offer(struct script_common *script, const char *name)
{
    for (int n = 0; n < script->nodes.count; n++)
        if (strcmp(name, "*") == 0 || strcmp(script->nodes.name[n], name) == 0)
            script->model->offer(script, n);
}

static bool heartbeat(struct script_common *script, const struct case_step *step)
{
    for (int64_t i = 0; i < step->times; i++) {
        if (step->node != NULL)
            offer(script, step->node);
        for (size_t n = 0; n < step->nodes.count; n++)
            offer(script, step->nodes.items[n]);
    }
    return true;
}

static bool blacklist(struct script_common *script, const struct case_step *step)
{
    int app = script_find(&script->apps, step->app);

    for (int i = 0; i < 2; i++) {
        const struct case_texts *names = i == 0 ? &step->add : &step->remove;

        for (size_t n = 0; n < names->count; n++)
            if (script_find(&script->nodes, names->items[n]) >= 0)
                script->model->avoid(script, app, script_find(&script->nodes, names->items[n]), i == 0);
    }
    return true;
}

static bool end_containers(struct script_common *script, const struct case_step *step)
{
    int node = step->node ? script_find(&script->nodes, step->node) : -1;

    for (int64_t i = 0; i < step->count; i++) {
        int container = script->model->newest(script, script_find(&script->apps, step->app), node);

        if (container < 0)
            return false;
        script->model->end_container(script, container);
    }
    return true;
}

static bool end_app(struct script_common *script, const struct case_step *step)
{
    int app = script_find(&script->apps, step->app), container;

    if (app < 0 || !script->model->has_app(script, app))
        return false;
    while ((container = script->model->newest(script, app, -1)) >= 0)
        script->model->end_container(script, container);
    script->model->remove_app(script, app);
    script->states[app] = step->op == OP_FINISH ? SCRIPT_FINISHED : SCRIPT_KILLED;
    return true;
}

static bool run(struct script_common *script, const struct case_step *step)
{
    switch (step->op) {
    case OP_RELEASE:
    case OP_COMPLETE:
        return end_containers(script, step);
    case OP_BLACKLIST:
        return blacklist(script, step);
    case OP_HEARTBEAT:
        return heartbeat(script, step);
    case OP_FINISH:
    case OP_KILL_APP:
        return end_app(script, step);
    default:
        return script->model->run(script, step);
    }
}

static void check(struct script_common *script, const struct case_step *step)
{
    for (size_t i = 0; i < step->claim_count; i++) {
        const struct case_claim *claim = &step->claims[i];
        char what[256];

        snprintf(what, sizeof(what), "%s %s", claim->name ? claim->name : "cluster",
                 case_figure_name(claim->figure));
        script->model->check(script, step, claim, what);
    }
}

void script_steps(struct script_common *script)
{
    for (size_t i = 0; i < script->test->script.step_count; i++) {
        const struct case_step *step = &script->test->script.steps[i];

        if (step->op == OP_EXPECT)
            check(script, step);
        else if (run(script, step) == step->refused)
            script_differs(script, step->line, "%s: expected %s", case_op_name(step->op),
                           step->refused ? "a refusal, got none" : "no refusal, got one");
    }
}

/* --- claims --------------------------------------------------------------------- */

void script_differs(struct script_common *script, int line, const char *format, ...)
{
    va_list args;

    script->failures++;
    fprintf(script->report, "  line %d: ", line);
    va_start(args, format);
    vfprintf(script->report, format, args);
    va_end(args);
    fputc('\n', script->report);
}

void script_whole(struct script_common *script, const struct case_claim *claim, const char *what, int64_t got)
{
    if (claim->whole != got)
        script_differs(script, claim->line, "%s: expected %" PRId64 ", got %" PRId64, what, claim->whole,
                       got);
}

void script_text(struct script_common *script, const struct case_claim *claim, const char *what,
                 const char *got)
{
    const char *wanted = claim->text ? claim->text : "null";

    if (strcmp(wanted, got) != 0)
        script_differs(script, claim->line, "%s: expected %s, got %s", what, wanted, got);
}

void script_amount(struct script_common *script, const struct case_step *step, const struct case_claim *claim,
                   const char *what, struct resource got)
{
    for (int t = 0; t < script->test->type_count; t++) {
        int64_t apart = claim->resource.amount.value[t] - got.value[t];

        if ((claim->resource.given & 1u << t) != 0 && (apart > step->tolerance || apart < -step->tolerance))
            script_differs(script, claim->line, "%s: %s: expected %" PRId64 ", got %" PRId64, what,
                           script->test->types[t], claim->resource.amount.value[t], got.value[t]);
    }
}

void script_on(struct script_common *script, const struct case_claim *claim, const char *what, int app)
{
    for (size_t i = 0; i < claim->counts.count; i++) {
        const struct case_count *wanted = &claim->counts.items[i];
        int64_t got = script->model->count(script, app, script_find(&script->nodes, wanted->name));

        if (got != wanted->count)
            script_differs(script, claim->line, "%s %s: expected %" PRId64 ", got %" PRId64, what,
                           wanted->name, wanted->count, got);
    }
}

void script_reserved_by(struct script_common *script, const struct case_claim *claim, const char *what,
                        int app)
{
    script_text(script, claim, what, app < 0 ? "null" : script->apps.name[app]);
}

void script_state(struct script_common *script, const struct case_claim *claim, const char *what, int app,
                  bool active)
{
    switch (script->states[app]) {
    case SCRIPT_REJECTED:
        script_text(script, claim, what, "rejected");
        return;
    case SCRIPT_FINISHED:
        script_text(script, claim, what, "finished");
        return;
    case SCRIPT_KILLED:
        script_text(script, claim, what, "killed");
        return;
    default:
        script_text(script, claim, what, active ? "active" : "pending");
        return;
    }
}
