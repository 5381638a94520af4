/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_texts.h - the texts of a LaunchContext that may be any bytes, escaped (common/base/escaped_text.h)
 *
 * The sender escapes all of them, or none (LaunchContext.escaped). Titles, signals and names of variables are
 * UTF-8. Agents and resource managers of 0.2.0 know no escaped texts, and refuse messages with longer ones
 * than LAUNCH_TEXT_OLD_MAX or with more arguments than LAUNCH_ARGUMENTS_OLD_MAX.
 */
#ifndef CREEL_PROTO_LAUNCH_TEXTS_H
#define CREEL_PROTO_LAUNCH_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/escaped_text.h"
#include "common/proto/creel.pb-c.h"

#define LAUNCH_TEXT_OLD_MAX 65536u
#define LAUNCH_ARGUMENTS_OLD_MAX 4096u

/* Returns false to stop. */
typedef bool launch_text_fn(char **text, struct arena *arena);

/* Calls EACH for all such texts of LAUNCH. Returns false if a call did. */
static inline bool launch_texts_each(Creel__LaunchContext *launch, launch_text_fn *each, struct arena *arena)
{
    char **paths[] = { &launch->directory, &launch->submit_directory, &launch->out_file,
                       &launch->err_file,  &launch->in_file,          &launch->fetch,
                       &launch->script };

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        if (!each(paths[i], arena))
            return false;
    for (size_t i = 0; i < launch->n_command; i++)
        if (!each(&launch->command[i], arena))
            return false;
    for (size_t i = 0; i < launch->n_environment; i++)
        if (!each(&launch->environment[i]->value, arena))
            return false;
    for (size_t i = 0; i < launch->n_files; i++)
        if (!each(&launch->files[i]->name, arena))
            return false;
    return true;
}

static inline bool launch_text_is_plain(char **text, struct arena *arena)
{
    (void)arena;
    return !escaped_text_is_needed(*text);
}

static inline bool launch_text_is_valid(char **text, struct arena *arena)
{
    (void)arena;
    return escaped_text_is_valid(*text);
}

static inline bool launch_text_escape(char **text, struct arena *arena)
{
    *text = escaped_text_make(arena, *text);
    return true;
}

static inline bool launch_text_restore(char **text, struct arena *arena)
{
    *text = arena_strdup(arena, *text);
    escaped_text_restore(*text);
    return true;
}

/* Returns whether the texts of LAUNCH are valid. */
static inline bool launch_texts_are_valid(const Creel__LaunchContext *launch)
{
    return !launch->escaped ||
           launch_texts_each((Creel__LaunchContext *)(uintptr_t)launch, launch_text_is_valid, NULL);
}

static inline bool launch_text_is_short(char **text, struct arena *arena)
{
    (void)arena;
    return strlen(*text) <= LAUNCH_TEXT_OLD_MAX;
}

/* Returns what the texts of LAUNCH have that 0.2.0 does not accept; NULL: nothing. */
static inline const char *launch_texts_are_new(const Creel__LaunchContext *launch)
{
    if (launch->escaped)
        return "bytes that are not UTF-8";
    if (!launch_texts_each((Creel__LaunchContext *)(uintptr_t)launch, launch_text_is_short, NULL))
        return "a text of more than 64 KiB";
    if (launch->n_command > LAUNCH_ARGUMENTS_OLD_MAX)
        return "more than 4096 arguments";
    return NULL;
}

/* Escapes the texts of LAUNCH if one of them needs it. Arrays of LAUNCH are changed; the texts are not. */
static inline void launch_texts_escape(Creel__LaunchContext *launch, struct arena *arena)
{
    if (launch_texts_each(launch, launch_text_is_plain, NULL))
        return;
    launch->escaped = true;
    launch_texts_each(launch, launch_text_escape, arena);
}

/* Returns a copy of LAUNCH in ARENA whose texts may be replaced; they are those of LAUNCH. */
static inline Creel__LaunchContext *launch_texts_copy(const Creel__LaunchContext *launch, struct arena *arena)
{
    Creel__LaunchContext *copy = arena_dup(arena, launch, sizeof(*launch));

    copy->command = arena_array0(arena, launch->n_command + 1, sizeof(*launch->command));
    for (size_t i = 0; i < launch->n_command; i++)
        copy->command[i] = launch->command[i];
    copy->environment = arena_array0(arena, launch->n_environment + 1, sizeof(*launch->environment));
    for (size_t i = 0; i < launch->n_environment; i++)
        copy->environment[i] = arena_dup(arena, launch->environment[i], sizeof(*launch->environment[i]));
    copy->files = arena_array0(arena, launch->n_files + 1, sizeof(*launch->files));
    for (size_t i = 0; i < launch->n_files; i++)
        copy->files[i] = arena_dup(arena, launch->files[i], sizeof(*launch->files[i]));
    return copy;
}

/* Returns LAUNCH, or a copy with restored texts in ARENA if they are escaped. */
static inline const Creel__LaunchContext *launch_texts_restore(const Creel__LaunchContext *launch,
                                                               struct arena *arena)
{
    Creel__LaunchContext *copy;

    if (!launch->escaped)
        return launch;
    copy = launch_texts_copy(launch, arena);
    copy->escaped = false;
    launch_texts_each(copy, launch_text_restore, arena);
    return copy;
}

#endif
