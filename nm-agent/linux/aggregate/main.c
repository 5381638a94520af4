/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - main program of creel-aggregate, which writes the logs of ended applications to shared storage
 *
 * The agent starts it as root. "save" looks up the user of the application, and takes the ids of that user
 * before it opens any file; "sweep" does so in a process for each user. It ends with the agent: a later
 * agent starts another one, and only one process may write a file. Exit status 1 and 3 are the kinds of
 * failure of aggregate.h, with a line on standard error.
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/stat.h>

#include "common/base/text.h"
#include "nm-agent/linux/aggregate/aggregate.h"
#include "nm-agent/linux/aggregate/identity.h"
#include "nm-agent/linux/aggregate/sweep.h"
#include "nm-agent/linux/parts/users.h"

#define EXIT_USAGE 2
#define NICE 5 /* less than the agent; with the lowest priority it would not end in time on a busy node */

static bool parse_id(const char *text, unsigned *id)
{
    int64_t number;

    if (!text_parse_int64(text, &number) || number < 0 || number >= UINT32_MAX)
        return false;
    *id = (unsigned)number;
    return true;
}

/* Writes that the storage at BASE has little room; the status stays that of success. */
static void warn_of_room(const char *base)
{
    struct statvfs storage;
    char text[256];

    if (statvfs(base, &storage) == 0 &&
        aggregate_lacks_room(base, (uint64_t)storage.f_bavail * storage.f_frsize,
                             (uint64_t)storage.f_blocks * storage.f_frsize, text, sizeof(text)))
        fprintf(stderr, "%s\n", text);
}

static int conclude(int result, int kind, const char *base, const struct err *err)
{
    if (result == 0) {
        warn_of_room(base);
        return 0;
    }
    fprintf(stderr, "%s\n", err->text);
    return kind;
}

/* Makes this process one of the user with the id in ID[0], if the rule in ID[1] to ID[3] permits the user. */
static int become(char **id, struct user *user, struct err *err)
{
    struct users_rule rule = { .allowed = id[2], .banned = id[3] };
    unsigned uid;
    int r;

    if (!parse_id(id[0], &uid) || !text_parse_int64(id[1], &rule.min_user_id))
        return err_set(err, EINVAL, "creel-aggregate: user id %s, lowest user id %s: not numbers", id[0],
                       id[1]);
    r = users_find_id(uid, &rule, user, err);
    if (r != 0)
        return r;
    r = identity_set(user->uid, user->gid, user->groups, user->group_count);
    return r == 0 ? 0 : err_set_errno(err, -r, "creel-aggregate cannot become user %s", user->name);
}

/* ARGUMENTS: UID MIN-USER-ID ALLOWED BANNED BASE SUFFIX APPLICATION FILE LOG-DIR... */
static int save(pid_t parent, char **arguments)
{
    struct user user = { .name = NULL };
    struct aggregate_place place;
    int kind = AGGREGATE_USER, r;
    struct err err = { 0 };

    r = become(arguments, &user, &err);
    if (r == 0) {
        identity_end_with(parent);
        place = (struct aggregate_place){ arguments[4], user.name, arguments[5] };
        kind = AGGREGATE_STORAGE;
        r = aggregate_save(&place, arguments[6], arguments[7], (const char *const *)arguments + 8, &kind,
                           &err);
    }
    users_clear(&user);
    return conclude(r, kind, arguments[4], &err);
}

/* ARGUMENTS: BASE SUFFIX RETAIN-MS INTERVAL-MS */
static int sweep(pid_t parent, char **arguments)
{
    int64_t retain_ms, interval_ms;
    struct err err = { 0 };

    if (!text_parse_int64(arguments[2], &retain_ms) || !text_parse_int64(arguments[3], &interval_ms))
        return EXIT_USAGE;
    identity_end_with(parent);
    return conclude(aggregate_sweep(arguments[0], arguments[1], retain_ms, interval_ms, &err),
                    AGGREGATE_STORAGE, arguments[0], &err);
}

static int usage(void)
{
    fputs("usage: creel-aggregate save PARENT UID MIN-USER-ID ALLOWED BANNED BASE SUFFIX APPLICATION FILE "
          "LOG-DIR...\n"
          "       creel-aggregate sweep PARENT BASE SUFFIX RETAIN-MS INTERVAL-MS\n"
          "Writes logs of an ended application to BASE/USER/SUFFIX/APPLICATION/FILE, or deletes old files.\n"
          "creel-nm runs it.\n",
          stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    unsigned parent;

    if (argc < 3 || !parse_id(argv[2], &parent))
        return usage();
    umask(027);
    (void)setpriority(PRIO_PROCESS, 0, NICE);
    setlocale(LC_CTYPE, "C.UTF-8"); /* libarchive converts names of entries */
    if (strcmp(argv[1], "save") == 0 && argc >= 12)
        return save((pid_t)parent, argv + 3);
    if (strcmp(argv[1], "sweep") == 0 && argc == 7)
        return sweep((pid_t)parent, argv + 3);
    return usage();
}
