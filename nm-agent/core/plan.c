/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - from what was asked for to what the runtime is to launch */
#include <string.h>

#include "common/base/text.h"
#include "nm-agent/core/state.h"

#define TOKEN_FILE "creel-token"
#define JOB_FILE "creel-job"

/* Variables that identify the container: what was submitted cannot change them. */
static const char *const reserved[] = {
    "CONTAINER_ID", "CREEL_APP_ID", "CREEL_CONTAINER_ID", "CREEL_NODE_ID", "NM_HOST", "NM_PORT",
    "NM_HTTP_PORT", "LOCAL_DIRS", "LOG_DIRS", "CREEL_RM_AM", "CREEL_RM_KEY", "CREEL_TOKEN_FILE",
    "CREEL_JOB_FILE", "CREEL_PREEMPT_FILE",
};

static bool is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++) {
        if (strcmp(name, reserved[i]) == 0)
            return true;
    }
    return false;
}

static const char *judge_file(const Creel__LaunchContext *launch, size_t index, bool first)
{
    const Creel__FileRef *file = launch->files[index];

    if (*file->name == '\0' || strchr(file->name, '/') != NULL || strcmp(file->name, ".") == 0 ||
        strcmp(file->name, "..") == 0)
        return "a file's name is not a plain file name";
    if (file->hash.len != HASH_SIZE)
        return "a file's hash is not 32 bytes";
    if (first && (strcmp(file->name, TOKEN_FILE) == 0 || strcmp(file->name, JOB_FILE) == 0))
        return "a file is called " TOKEN_FILE " or " JOB_FILE ", which are creel's own";
    for (size_t i = 0; i < index; i++) {
        if (strcmp(file->name, launch->files[i]->name) == 0)
            return "two files have the same name";
    }
    return NULL;
}

const char *plan_judge(const Creel__LaunchContext *launch, bool first)
{
    int number;

    if (launch == NULL || launch->n_command == 0 || *launch->command[0] == '\0')
        return "there is no command";
    if (*launch->preempt_signal != '\0' && !text_parse_signal(launch->preempt_signal, &number))
        return "the signal before a preemption is none that can be sent";
    for (size_t i = 0; i < launch->n_environment; i++) {
        const char *name = launch->environment[i]->name;

        if (*name == '\0' || strchr(name, '=') != NULL)
            return "a variable's name is empty or has a '='";
    }
    for (size_t i = 0; i < launch->n_files; i++) {
        const char *wrong = judge_file(launch, i, first);

        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

struct environment {
    struct arena *arena;
    const char **items;
    size_t count;
};

static void put(struct environment *environment, const char *name, const char *value)
{
    environment->items[environment->count++] =
        arena_printf(environment->arena, "%s=%s", name, value);
}

static bool has(const Creel__LaunchContext *launch, const char *name)
{
    for (size_t i = 0; i < launch->n_environment; i++) {
        if (strcmp(launch->environment[i]->name, name) == 0)
            return true;
    }
    return false;
}

/* What an application master needs to find the RM and to identify itself. */
static void put_master(struct environment *environment, const struct agent *agent,
                       const Creel__StoredStart *start)
{
    if (!has(start->launch, "CREEL_RM"))
        put(environment, "CREEL_RM", agent->config.rm_client_address);
    put(environment, "CREEL_RM_AM", agent->config.rm_am_address);
    put(environment, "CREEL_RM_KEY", agent->config.rm_key);
    if (start->job != NULL && start->job->max_attempts > 0 &&
        !has(start->launch, "MAX_APP_ATTEMPTS"))
        put(environment, "MAX_APP_ATTEMPTS",
            arena_printf(environment->arena, "%u", start->job->max_attempts));
}

static const char *const *make_environment(struct arena *arena, const struct agent *agent,
                                           struct container *container)
{
    const Creel__StoredStart *start = books_start(container);
    struct environment environment = {
        .arena = arena,
        .items = arena_array0(arena, start->launch->n_environment + 16, sizeof(char *)),
    };

    for (size_t i = 0; i < start->launch->n_environment; i++) {
        const Creel__Variable *variable = start->launch->environment[i];

        if (!is_reserved(variable->name))
            put(&environment, variable->name, variable->value);
    }
    put(&environment, "CONTAINER_ID", container->text);
    put(&environment, "CREEL_APP_ID", container->app->text);
    put(&environment, "CREEL_CONTAINER_ID", container->text);
    put(&environment, "CREEL_NODE_ID", agent->config.node_id);
    put(&environment, "NM_HOST", agent->host);
    put(&environment, "NM_PORT", agent->port);
    put(&environment, "NM_HTTP_PORT", "0");
    if (*agent->config.conf_dir && !has(start->launch, "CREEL_CONF_DIR"))
        put(&environment, "CREEL_CONF_DIR", agent->config.conf_dir);
    if (start->grant->master)
        put_master(&environment, agent, start);
    return environment.items;
}

static void plan_secrets(struct arena *arena, const Creel__StoredStart *start,
                         struct agent_plan *plan)
{
    struct agent_secret *secrets = arena_array0(arena, 2, sizeof(*secrets));

    plan->secrets = secrets;
    if (!start->grant->master)
        return;
    if (start->am_token.len > 0) {
        secrets[plan->secret_count++] = (struct agent_secret){
            .name = TOKEN_FILE,
            .data = arena_dup(arena, start->am_token.data, start->am_token.len),
            .size = start->am_token.len,
            .variable = "CREEL_TOKEN_FILE",
        };
    }
    if (start->job != NULL) {
        size_t size = creel__job_spec__get_packed_size(start->job);
        uint8_t *bytes = arena_alloc0(arena, size + 1);

        creel__job_spec__pack(start->job, bytes);
        secrets[plan->secret_count++] = (struct agent_secret){
            .name = JOB_FILE, .data = bytes, .size = size, .variable = "CREEL_JOB_FILE",
        };
    }
}

static void plan_files(struct arena *arena, const Creel__LaunchContext *launch,
                       struct agent_plan *plan)
{
    struct agent_file *files = arena_array0(arena, launch->n_files + 1, sizeof(*files));

    for (size_t i = 0; i < launch->n_files; i++) {
        files[i].name = arena_strdup(arena, launch->files[i]->name);
        files[i].hash = arena_dup(arena, launch->files[i]->hash.data, HASH_SIZE);
        files[i].mode = launch->files[i]->mode & 0100 ? 0500 : 0400;
    }
    plan->files = files;
    plan->file_count = launch->n_files;
}

const struct agent_plan *agent_container_plan(struct agent *agent, const char *container_id,
                                              struct agent_effects *effects)
{
    struct container *container = books_find(agent, container_id);
    struct step step = { .agent = agent, .effects = effects };
    const struct agent_plan *plan;

    if (container == NULL || container->phase != PHASE_RUNNING)
        return NULL;
    plan = plan_make(&step, container);
    if (!container->dirty)
        books_fold(container);
    return plan;
}

const struct agent_plan *plan_make(struct step *step, struct container *container)
{
    const Creel__StoredStart *start = books_start(container);
    const Creel__LaunchContext *launch = start->launch;
    struct arena *arena = step->effects->arena;
    struct agent_plan *plan = arena_new0(arena, struct agent_plan);
    const char **argv = arena_array0(arena, launch->n_command + 1, sizeof(*argv));

    for (size_t i = 0; i < launch->n_command; i++)
        argv[i] = arena_strdup(arena, launch->command[i]);
    plan->container_id = arena_strdup(arena, container->text);
    plan->app_id = arena_strdup(arena, container->app->text);
    plan->user = arena_strdup(arena, start->grant->user);
    plan->resource = container->resource;
    plan->stop_after_ms = start->grant->stop_after_ms;
    plan->argv = argv;
    plan->environment = make_environment(arena, step->agent, container);
    plan->directory = *launch->directory ? arena_strdup(arena, launch->directory) : NULL;
    plan_files(arena, launch, plan);
    plan_secrets(arena, start, plan);
    return plan;
}
