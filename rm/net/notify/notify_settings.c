/* SPDX-License-Identifier: Apache-2.0 */
/* notify_settings.c - reads the keys creel.jobs.notify-* */
#include "rm/net/notify/notify_settings.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/conf/command_words.h"

#define USER_OF_ROOT "nobody"
#define GROUPS_MAX 65536 /* NGROUPS_MAX of Linux */
#define COMMAND_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* Returns -EINVAL; ERR names the file and key that configure the user. */
static int refuse_user(const struct conf *conf, const char *problem, const char *name, struct err *err)
{
    const char *key = conf_key_info(CONF_NOTIFY_USER)->name;
    char origin[CONF_ORIGIN_MAX];

    return err_set(err, EINVAL, "%s: %s: %s: %s", conf_origin(conf, key, origin, sizeof(origin)), key, name,
                   problem);
}

static void read_groups(const struct passwd *user, struct notify_settings *settings)
{
    int count = GROUPS_MAX;

    settings->groups = mem_array0(GROUPS_MAX, sizeof(*settings->groups));
    if (getgrouplist(user->pw_name, user->pw_gid, settings->groups, &count) < 0)
        count = 0;
    settings->groups = mem_resize(settings->groups, (size_t)count + 1, sizeof(*settings->groups));
    settings->command.groups = settings->groups;
    settings->command.group_count = (size_t)count;
}

/* Finds the user of the command, and sets in SETTINGS whether to switch to that user. *FOUND is NULL if the
 * command runs as the user of this process and that user has no name. */
static int read_user(const struct conf *conf, struct notify_settings *settings, const struct passwd **found,
                     struct err *err)
{
    const char *name = conf_text(conf, CONF_NOTIFY_USER);

    if (*name == '\0' && geteuid() == 0)
        name = USER_OF_ROOT;
    *found = *name != '\0' ? getpwnam(name) : getpwuid(geteuid());
    if (*found == NULL)
        return *name == '\0' ? 0 : refuse_user(conf, "there is no such user on this host", name, err);
    if ((*found)->pw_uid == geteuid())
        return 0;
    if (geteuid() != 0)
        return refuse_user(conf,
                           "the resource manager does not run as root, so it cannot switch to that user: "
                           "leave the key empty",
                           name, err);
    settings->command.switch_user = true;
    settings->command.user = (*found)->pw_uid;
    settings->command.group = (*found)->pw_gid;
    read_groups(*found, settings);
    return 0;
}

static void make_environment(const struct passwd *user, struct notify_settings *settings)
{
    char **variables = mem_array0(6, sizeof(*variables));
    size_t count = 0;

    variables[count++] = mem_strdup(COMMAND_PATH);
    variables[count++] = mem_strdup("LANG=C.UTF-8");
    variables[count++] = mem_printf("HOME=%s", user != NULL ? user->pw_dir : "/");
    if (user != NULL) {
        variables[count++] = mem_printf("USER=%s", user->pw_name);
        variables[count++] = mem_printf("LOGNAME=%s", user->pw_name);
    }
    settings->environment = variables;
    settings->command.environment = variables;
    settings->user = user != NULL ? mem_strdup(user->pw_name) : mem_printf("%u", (unsigned)geteuid());
}

int notify_settings_read(const struct conf *conf, struct notify_settings *settings, struct err *err)
{
    const struct passwd *user;
    int r;

    *settings = (struct notify_settings){ .user = NULL };
    r = command_words_read(conf, CONF_NOTIFY_COMMAND, &settings->words, err);
    if (r < 0 || settings->words == NULL)
        return r;
    r = read_user(conf, settings, &user, err);
    if (r < 0) {
        notify_settings_done(settings);
        return r;
    }
    settings->command.argv = settings->words;
    settings->command.timeout_ms = conf_ms(conf, CONF_NOTIFY_TIMEOUT);
    make_environment(user, settings);
    return 0;
}

void notify_settings_done(struct notify_settings *settings)
{
    free(settings->user);
    command_words_free(settings->words);
    for (size_t i = 0; settings->environment != NULL && settings->environment[i] != NULL; i++)
        free(settings->environment[i]);
    free(settings->environment);
    free(settings->groups);
    *settings = (struct notify_settings){ .user = NULL };
}
