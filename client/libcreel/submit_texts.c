/* SPDX-License-Identifier: Apache-2.0 */
/* submit_texts.c - the arguments, variables and tags of a job that is submitted */
#include "client/libcreel/submit_texts.h"

#include <errno.h>
#include <string.h>

#include "client/libcreel/texts.h"
#include "common/base/job/job_field.h"
#include "common/io/wire/wire.h"

#define ARGUMENT "argument %zu (the command is argument 0)"
#define INTO_FILE "put it into a file that the job reads"
#define VALUE_INTO_FILE "put its value into a file that the job reads"
#define WITH_ESCAPES "has %zu bytes, with four for each one that is not UTF-8; at most %d are allowed"

/* WHAT: "arguments", "variables". */
static int judge_count(size_t count, int most, const char *what, struct err *err)
{
    if (count <= (size_t)most)
        return 0;
    return err_set(err, EFBIG, "more than %d %s: put the others into a file that the job reads", most, what);
}

int submit_texts_set_command(Creel__LaunchContext *launch, const char *const *command, struct arena *arena,
                             struct err *err)
{
    size_t count = texts_count(command);
    int r = judge_count(count, WIRE_ARGUMENTS_MAX, "arguments", err);

    if (r < 0)
        return r;
    launch->command = arena_array0(arena, count + 1, sizeof(*launch->command));
    for (size_t i = 0; i < count; i++) {
        if (strlen(command[i]) > WIRE_ARGUMENT_BYTES_MAX)
            return err_set(err, EFBIG, ARGUMENT " has %zu bytes, at most %d are allowed: " INTO_FILE, i,
                           strlen(command[i]), WIRE_ARGUMENT_BYTES_MAX);
        launch->command[launch->n_command++] = texts_borrow(command[i]);
    }
    return 0;
}

static int set_variable(Creel__Variable *variable, const char *text, struct arena *arena, struct err *err)
{
    size_t name = strcspn(text, "=");

    if (text[name] == '\0' || name == 0)
        return err_set(err, EINVAL, "variable %.*s: expected NAME=VALUE", WIRE_NAME_MAX, text);
    if (name <= WIRE_NAME_MAX && strlen(text) > WIRE_ARGUMENT_BYTES_MAX)
        return err_set(err, EFBIG, "variable %.*s has %zu bytes, at most %d are allowed: " VALUE_INTO_FILE,
                       (int)name, text, strlen(text), WIRE_ARGUMENT_BYTES_MAX);
    variable->name = arena_dup(arena, text, name + 1);
    variable->name[name] = '\0';
    variable->value = texts_borrow(text + name + 1);
    return 0;
}

int submit_texts_set_environment(Creel__LaunchContext *launch, const char *const *environment,
                                 struct arena *arena, struct err *err)
{
    size_t count = texts_count(environment);
    int r = judge_count(count, WIRE_VARIABLES_MAX, "variables", err);

    launch->environment = arena_array0(arena, count + 1, sizeof(*launch->environment));
    for (size_t i = 0; i < count && r == 0; i++) {
        Creel__Variable *variable = arena_new0(arena, Creel__Variable);

        creel__variable__init(variable);
        launch->environment[launch->n_environment++] = variable;
        r = set_variable(variable, environment[i], arena, err);
    }
    return r;
}

int submit_texts_set_tags(Creel__JobSpec *job, const char *const *tags, struct err *err)
{
    size_t count = texts_count(tags);

    if (count > WIRE_VARIABLES_MAX)
        return err_set(err, EFBIG, "more than %d tags: leave some out", WIRE_VARIABLES_MAX);
    for (size_t i = 0; i < count; i++)
        if (strlen(tags[i]) > WIRE_TEXT_MAX)
            return err_set(err, EFBIG, "tag %zu has %zu bytes, at most %d are allowed: shorten it", i + 1,
                           strlen(tags[i]), WIRE_TEXT_MAX);
    job->tags = (char **)(uintptr_t)tags;
    job->n_tags = count;
    return 0;
}

/* The largest argument or variable. */
struct largest {
    size_t bytes, argument; /* ARGUMENT: its number, if NAME is NULL */
    const char *name;
};

static size_t add(struct largest *largest, size_t bytes, size_t argument, const char *name)
{
    if (bytes > largest->bytes)
        *largest = (struct largest){ bytes, argument, name };
    return bytes;
}

static int judge_total(const Creel__LaunchContext *launch, struct err *err)
{
    struct largest largest = { 0 };
    size_t total = 0;

    for (size_t i = 0; i < launch->n_command; i++)
        total += add(&largest, strlen(launch->command[i]), i, NULL);
    for (size_t i = 0; i < launch->n_environment; i++)
        total += strlen(launch->environment[i]->name) +
                 add(&largest, strlen(launch->environment[i]->value), 0, launch->environment[i]->name);
    if (total <= JOB_BYTES_MAX)
        return 0;
    if (largest.name)
        return err_set(
            err, EFBIG,
            "arguments and variables have %zu KiB together, at most %zu are allowed; the largest is "
            "variable %s with %zu bytes: " VALUE_INTO_FILE,
            total >> 10, JOB_BYTES_MAX >> 10, largest.name, largest.bytes);
    return err_set(err, EFBIG,
                   "arguments and variables have %zu KiB together, at most %zu are allowed; the largest is "
                   "argument %zu with %zu bytes: " INTO_FILE,
                   total >> 10, JOB_BYTES_MAX >> 10, largest.argument, largest.bytes);
}

int submit_texts_judge(const Creel__LaunchContext *launch, struct err *err)
{
    if (!launch->escaped)
        return judge_total(launch, err);
    for (size_t i = 0; i < launch->n_command; i++)
        if (strlen(launch->command[i]) > WIRE_ARGUMENT_BYTES_MAX)
            return err_set(err, EFBIG, ARGUMENT " " WITH_ESCAPES ": " INTO_FILE, i,
                           strlen(launch->command[i]), WIRE_ARGUMENT_BYTES_MAX);
    for (size_t i = 0; i < launch->n_environment; i++)
        if (strlen(launch->environment[i]->value) > WIRE_ARGUMENT_BYTES_MAX)
            return err_set(err, EFBIG, "variable %s " WITH_ESCAPES ": " VALUE_INTO_FILE,
                           launch->environment[i]->name, strlen(launch->environment[i]->value),
                           WIRE_ARGUMENT_BYTES_MAX);
    return judge_total(launch, err);
}
