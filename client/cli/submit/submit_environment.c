/* SPDX-License-Identifier: Apache-2.0 */
/* submit_environment.c - the values of --env */
#include "client/cli/submit/submit_environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/script/slurm_environment.h"
#include "common/base/escaped_text.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/base/utf8.h"
#include "common/io/wire/wire.h"

/* Variables that are valid only on this host or in this process: --env all does not copy them. */
static const char *const local[] = {
    "PWD",
    "OLDPWD",
    "TMPDIR",
    "HOSTNAME",
    "SHLVL",
    "_",
    "TERM",
    "DISPLAY",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_ID",
    "DBUS_SESSION_BUS_ADDRESS",
    "SSH_AUTH_SOCK",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "SSH_TTY",
    "CONTAINER_ID",
    "LOCAL_DIRS",
    "LOG_DIRS",
    "NM_HOST",
    "NM_PORT",
    "NM_HTTP_PORT",
};

/* Variables of another job of Slurm, or of the creel job in which this process runs, are local, too. */
static bool is_local(const char *entry)
{
    size_t length = strcspn(entry, "=");

    if (length == 0 || entry[length] == '\0' || text_has_prefix(entry, "CREEL_") ||
        slurm_environment_is_of_job(entry, length))
        return true;
    for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
        if (strlen(local[i]) == length && !strncmp(local[i], entry, length))
            return true;
    return false;
}

/* An escaped byte has four bytes in a message. */
static bool is_too_long(const char *entry)
{
    size_t length = strlen(entry);
    struct arena *arena;

    if (length <= WIRE_ARGUMENT_BYTES_MAX && escaped_text_is_needed(entry)) {
        arena = arena_new();
        length = strlen(escaped_text_make(arena, entry));
        arena_free(arena);
    }
    return length > WIRE_ARGUMENT_BYTES_MAX;
}

/* Returns why ENTRY cannot be sent; NULL: it can. Its value may be any bytes; its name is UTF-8. */
static const char *refusal(const char *entry)
{
    size_t name = strcspn(entry, "=");

    if (is_too_long(entry))
        return "too long";
    for (size_t at = 0; at < name;) {
        size_t length = utf8_length((const unsigned char *)entry + at);

        if (length == 0)
            return "its name is not UTF-8";
        at += length;
    }
    return NULL;
}

static void leave_out(struct submit_environment *environment, struct text_builder *names, const char *entry)
{
    text_builder_separate(names, ", ");
    text_builder_add_bytes(names, entry, strcspn(entry, "="));
    text_builder_printf(names, " (%s)", refusal(entry));
    environment->left_out = text_builder_text(names);
}

static void add_all(struct submit_environment *environment)
{
    struct text_builder left_out = TEXT_BUILDER_IN(environment->arena);
    size_t count = 0;

    while (environ && environ[count])
        count++;
    environment->entries = arena_array0(environment->arena, count + 1, sizeof(*environment->entries));
    for (size_t i = 0; i < count; i++) {
        if (is_local(environ[i]))
            continue;
        if (refusal(environ[i]))
            leave_out(environment, &left_out, environ[i]);
        else
            environment->entries[environment->count++] = arena_strdup(environment->arena, environ[i]);
    }
}

static int add_names(struct submit_environment *environment, const char *word, struct err *err)
{
    char *rest = arena_strdup(environment->arena, word);
    size_t most = strlen(word) + 1;
    const char *name;

    environment->entries = arena_array0(environment->arena, most, sizeof(*environment->entries));
    while ((name = text_next_word(&rest)) != NULL) {
        const char *here = getenv(name);

        if (!here)
            return err_set(err, EINVAL,
                           "--env %s: %s is not set here; expected NAME=VALUE, variables that "
                           "are set, all or none",
                           word, name);
        environment->entries[environment->count++] = arena_printf(environment->arena, "%s=%s", name, here);
    }
    if (environment->count == 0)
        return err_set(err, EINVAL, "--env %s: expected NAME=VALUE", word);
    return 0;
}

int submit_environment_read(struct submit_environment *environment, const char *word, struct err *err)
{
    if (*word == '=' || !*word)
        return err_set(err, EINVAL, "--env %s: expected NAME=VALUE", word);
    if (strchr(word, '=')) {
        environment->entries = arena_array0(environment->arena, 1, sizeof(*environment->entries));
        environment->entries[environment->count++] = word;
    } else if (!strcmp(word, "all")) {
        environment->all = true;
        add_all(environment);
    } else if (!strcmp(word, "none")) {
        environment->none = true;
    } else {
        return add_names(environment, word, err);
    }
    return 0;
}
