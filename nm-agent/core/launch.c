/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - builds the parameters of a launch from the grant and the launch context */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/job/job_check.h"
#include "common/proto/launch_texts.h"
#include "nm-agent/core/output_pattern.h"
#include "nm-agent/core/slurm_variables.h"
#include "nm-agent/core/state.h"

/* Variables that identify the container: a job cannot override them. */
static const char *const reserved[] = {
    "CONTAINER_ID",   "CREEL_APP_ID",     "CREEL_CONTAINER_ID",   "CREEL_NODE_ID",      "NM_HOST",
    "NM_PORT",        "NM_HTTP_PORT",     "LOCAL_DIRS",           "LOG_DIRS",           "CREEL_RM_AM",
    "CREEL_RM_KEY",   "CREEL_TOKEN_FILE", "CREEL_JOB_FILE",       "CREEL_PREEMPT_FILE", "CREEL_SCRATCH",
    "CREEL_DEADLINE", "CREEL_ATTEMPT",    "CREEL_JOB_TOKEN_FILE",
};

static bool is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++) {
        if (strcmp(name, reserved[i]) == 0)
            return true;
    }
    return false;
}

static const char *judge_file(const Creel__LaunchContext *context, size_t index)
{
    const Creel__FileRef *file = context->files[index];

    if (*file->name == '\0' || strchr(file->name, '/') != NULL || strcmp(file->name, ".") == 0 ||
        strcmp(file->name, "..") == 0)
        return "a file's name is not a plain file name";
    if (file->hash.len != HASH_SIZE)
        return "a file's hash is not 32 bytes";
    for (size_t i = 0; i < index; i++) {
        if (strcmp(file->name, context->files[i]->name) == 0)
            return "two files have the same name";
    }
    return NULL;
}

static struct job_values values_of(const Creel__LaunchContext *context)
{
#define VALUE(member, kind, ...) [JOB_FIELD_##member] = JOB_VALUE(kind, context->member),
    return (struct job_values){ .of = { JOB_LAUNCH_FIELDS(VALUE) } };
#undef VALUE
}

int launch_judge(const Creel__LaunchContext *context, const char *user, struct err *err)
{
    struct job_values values;

    if (context == NULL || context->n_command == 0 || *context->command[0] == '\0')
        return err_set(err, EINVAL, "there is no command");
    if (!launch_texts_are_valid(context))
        return err_set(err, EINVAL, "a text of the launch has escapes of characters that are UTF-8");
    for (size_t i = 0; i < context->n_environment; i++) {
        const char *name = context->environment[i]->name;

        if (*name == '\0' || strchr(name, '=') != NULL)
            return err_set(err, EINVAL, "a variable's name is empty or has a '='");
    }
    for (size_t i = 0; i < context->n_files; i++) {
        const char *wrong = judge_file(context, i);

        if (wrong != NULL)
            return err_set(err, EINVAL, "%s", wrong);
    }
    values = values_of(context);
    return job_values_check(&values, user, err);
}

static int judge_names(const Creel__LaunchContext *context, bool first, struct err *err)
{
    for (size_t i = 0; i < context->n_files; i++) {
        const char *name = context->files[i]->name;

        if (job_check_is_own_name(name, first))
            return err_set(
                err, EINVAL,
                "file %s: the agent makes %s in the working directory itself; give the file another "
                "name",
                name, name);
    }
    return 0;
}

/* Returns true if the pattern of an output file becomes a name that is too long. The sender
 * chooses the values of variables: the longest values of job_field.h do not bound them. */
static bool is_too_long(const char *pattern, const Creel__LaunchContext *context,
                        const struct launch_place *place, struct arena *arena)
{
    return *pattern != '\0' && output_pattern_expand(pattern, context, place, arena) == NULL;
}

static int judge_files(const Creel__LaunchContext *context, const struct launch_place *place,
                       struct arena *arena, struct err *err)
{
    const struct {
        const char *option, *pattern;
    } files[] = { { "out", context->out_file }, { "err", context->err_file }, { "in", context->in_file } };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (is_too_long(files[i].pattern, context, place, arena))
            return err_set(err, EINVAL, "%s: the name becomes longer than the %d bytes of a path",
                           files[i].option, JOB_PATH_MAX);
    return 0;
}

int launch_judge_new(const struct step *step, const Creel__LaunchContext *context,
                     const Creel__ContainerGrant *grant, const char *app_id, bool first, struct err *err)
{
    struct launch_place place = { .app_id = app_id, .user = grant->user, .host = step->agent->host };
    int r = launch_judge(context, grant->user, err);
    struct job_values values;

    if (r < 0 || (r = judge_names(context, first, err)) < 0)
        return r;
    context = launch_texts_restore(context, step->effects->arena);
    values = values_of(context);
    if ((r = job_values_check_sizes(&values, err)) < 0)
        return r;
    return judge_files(context, &place, step->effects->arena, err);
}

struct environment {
    struct arena *arena;
    const char **items;
    size_t count;
};

static void put(struct environment *environment, const char *name, const char *value)
{
    environment->items[environment->count++] = arena_printf(environment->arena, "%s=%s", name, value);
}

static bool has(const Creel__LaunchContext *launch, const char *name)
{
    for (size_t i = 0; i < launch->n_environment; i++) {
        if (strcmp(launch->environment[i]->name, name) == 0)
            return true;
    }
    return false;
}

/* Adds the variables by which an application master finds the RM and authenticates. */
static void put_master(struct environment *environment, const struct agent *agent,
                       const Creel__StoredStart *start)
{
    if (!has(start->launch, "CREEL_RM"))
        put(environment, "CREEL_RM", agent->config.rm_client_address);
    put(environment, "CREEL_RM_AM", agent->config.rm_am_address);
    put(environment, "CREEL_RM_KEY", agent->config.rm_key);
    if (start->job != NULL && (start->job->max_attempts > 0 || start->job->no_requeue) &&
        !has(start->launch, "MAX_APP_ATTEMPTS"))
        put(environment, "MAX_APP_ATTEMPTS",
            arena_printf(environment->arena, "%u", start->job->no_requeue ? 1 : start->job->max_attempts));
}

/* Adds the time at which the application of CONTAINER is killed: seconds since 1970 by this node's clock. */
static void put_deadline(struct environment *environment, const struct step *step,
                         struct container *container)
{
    int64_t end_ms = limit_end_ms(step, container);

    if (end_ms > 0)
        put(environment, "CREEL_DEADLINE",
            arena_printf(environment->arena, "%lld", (long long)(end_ms / 1000)));
}

/* START: of CONTAINER, with restored texts. */
static const char *const *make_environment(struct step *step, struct container *container,
                                           const Creel__StoredStart *start)
{
    const struct agent *agent = step->agent;
    struct arena *arena = step->effects->arena;
    struct environment environment = {
        .arena = arena,
        .items = arena_array0(arena, start->launch->n_environment + 20 + slurm_variables_max(start->launch),
                              sizeof(char *)),
    };
    struct launch_place place = {
        .app_id = container->app->text,
        .user = start->grant->user,
        .host = agent->host,
        .attempt = container->id.attempt.attempt,
        .memory_mb = container->resource.value[RESOURCE_MEMORY_MB],
        .vcores = container->resource.value[RESOURCE_VCORES],
        .cluster = agent->config.cluster,
    };

    for (size_t i = 0; i < start->launch->n_environment; i++) {
        const Creel__Variable *variable = start->launch->environment[i];

        if (!is_reserved(variable->name) && !slurm_variables_identify(start->launch, variable->name))
            put(&environment, variable->name, variable->value);
    }
    environment.count += slurm_variables(start->launch, &place, arena, environment.items + environment.count);
    put(&environment, "CONTAINER_ID", container->text);
    put(&environment, "CREEL_APP_ID", container->app->text);
    put(&environment, "CREEL_CONTAINER_ID", container->text);
    put(&environment, "CREEL_ATTEMPT", arena_printf(arena, "%u", place.attempt));
    put(&environment, "CREEL_NODE_ID", agent->config.node_id);
    put(&environment, "NM_HOST", agent->host);
    put(&environment, "NM_PORT", agent->port);
    put(&environment, "NM_HTTP_PORT", "0");
    put_deadline(&environment, step, container);
    if (*agent->config.conf_dir && !has(start->launch, "CREEL_CONF_DIR"))
        put(&environment, "CREEL_CONF_DIR", agent->config.conf_dir);
    if (start->grant->master)
        put_master(&environment, agent, start);
    return environment.items;
}

static void add_secrets(struct arena *arena, const Creel__StoredStart *start, struct launch *launch)
{
    struct launch_secret *secrets = arena_array0(arena, 2, sizeof(*secrets));

    launch->secrets = secrets;
    if (!start->grant->master)
        return;
    if (start->am_token.len > 0) {
        secrets[launch->secret_count++] = (struct launch_secret){
            .name = JOB_TOKEN_FILE,
            .data = arena_dup(arena, start->am_token.data, start->am_token.len),
            .size = start->am_token.len,
            .variable = "CREEL_TOKEN_FILE",
        };
    }
    if (start->job != NULL) {
        size_t size = creel__job_spec__get_packed_size(start->job);
        uint8_t *bytes = arena_alloc0(arena, size + 1);

        creel__job_spec__pack(start->job, bytes);
        secrets[launch->secret_count++] = (struct launch_secret){
            .name = JOB_SPEC_FILE,
            .data = bytes,
            .size = size,
            .variable = "CREEL_JOB_FILE",
        };
    }
}

static const char *hex_of(struct arena *arena, const uint8_t *hash)
{
    char *hex = arena_alloc0(arena, 2 * HASH_SIZE + 1);

    for (size_t i = 0; i < HASH_SIZE; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    return hex;
}

static void add_files(struct arena *arena, const Creel__LaunchContext *context, struct launch *launch)
{
    struct launch_file *files = arena_array0(arena, context->n_files + 1, sizeof(*files));

    for (size_t i = 0; i < context->n_files; i++) {
        files[i].name = arena_strdup(arena, context->files[i]->name);
        files[i].hash_hex = hex_of(arena, context->files[i]->hash.data);
        files[i].mode = context->files[i]->mode & 0100 ? 0500 : 0400;
        files[i].unpack = context->files[i]->unpack;
    }
    launch->files = files;
    launch->file_count = context->n_files;
}

/* Copies the fields of JOB_PROCESS_FIELDS, by the way their values are stored (job_field.h). */
#define ADD_text(value) arena_strdup(arena, value)
#define ADD_number(value) (value)
#define ADD(member, kind, ...) launch->member = JOB_BY_STORAGE(ADD_, kind)(context->member);

const struct launch *agent_container_launch(struct agent *agent, struct agent_time now,
                                            const char *container_id, struct agent_effects *effects)
{
    struct container *container = state_find(agent, container_id);
    struct step step = { .agent = agent, .now = now, .effects = effects };
    const struct launch *launch;

    if (container == NULL || container->phase != PHASE_RUNNING)
        return NULL;
    launch = launch_make(&step, container);
    if (!container->dirty)
        state_fold(container);
    return launch;
}

const struct launch *launch_make(struct step *step, struct container *container)
{
    struct arena *arena = step->effects->arena;
    Creel__StoredStart *start = arena_dup(arena, state_stored_start(container), sizeof(*start));
    const Creel__LaunchContext *context = launch_texts_restore(start->launch, arena);
    struct launch *launch = arena_new0(arena, struct launch);
    const char **argv = arena_array0(arena, context->n_command + 1, sizeof(*argv));
    struct launch_place place = {
        .app_id = container->app->text,
        .user = start->grant->user,
        .host = step->agent->host,
    };

    for (size_t i = 0; i < context->n_command; i++)
        argv[i] = arena_strdup(arena, context->command[i]);
    start->launch = (Creel__LaunchContext *)(uintptr_t)context;
    launch->container_id = arena_strdup(arena, container->text);
    launch->app_id = arena_strdup(arena, container->app->text);
    launch->user = arena_strdup(arena, start->grant->user);
    launch->resource = container->resource;
    if (context->job_token.len > 0)
        launch->job_token = arena_dup(arena, context->job_token.data, context->job_token.len);
    launch->job_token_size = context->job_token.len;
    launch->stop_after_ms = start->grant->stop_after_ms;
    launch->argv = argv;
    launch->environment = make_environment(step, container, start);
    launch->directory = *context->directory ? arena_strdup(arena, context->directory) : NULL;
    if (*context->submit_directory == '/' && launch->directory == NULL)
        launch->submit_directory = arena_strdup(arena, context->submit_directory);
    launch->input = context->input;
    launch->name_leftovers = context->name_leftovers;
    launch->slurm_commands = strcmp(context->script_system, "slurm") == 0;
    add_files(arena, context, launch);
    add_secrets(arena, start, launch);
    JOB_PROCESS_FIELDS(ADD)
    launch->out_file = output_pattern_expand(context->out_file, context, &place, arena);
    launch->in_file = output_pattern_expand(context->in_file, context, &place, arena);
    launch->err_file = output_pattern_expand(context->err_file, context, &place, arena);
    return launch;
}
