/* SPDX-License-Identifier: Apache-2.0 */
/* submit_environment.c - the values of --env */
#include "client/cli/submit_environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"

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

static bool is_local(const char *entry)
{
    size_t length = strcspn(entry, "=");

    if (length == 0 || entry[length] == '\0' || text_has_prefix(entry, "CREEL_"))
        return true;
    for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
        if (strlen(local[i]) == length && !strncmp(local[i], entry, length))
            return true;
    return false;
}

static void add_all(struct submit_environment *environment)
{
    size_t count = 0;

    while (environ && environ[count])
        count++;
    environment->entries = arena_array0(environment->arena, count + 1, sizeof(*environment->entries));
    for (size_t i = 0; i < count; i++)
        if (!is_local(environ[i]))
            environment->entries[environment->count++] = arena_strdup(environment->arena, environ[i]);
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
        add_all(environment);
    } else if (!strcmp(word, "none")) {
        environment->none = true;
    } else {
        return add_names(environment, word, err);
    }
    return 0;
}
