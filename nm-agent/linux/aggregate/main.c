/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - main program of creel-aggregate, which writes the logs of ended applications to shared storage
 *
 * The agent starts it as root. "save" takes the ids of the user of the application before it opens any file;
 * "sweep" does so in a process for each user. It ends with the agent: a later agent starts another one, and
 * only one process may write a file. Exit status 1 and 3 are the kinds of failure of aggregate.h, with a line
 * on standard error.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "nm-agent/linux/aggregate/aggregate.h"
#include "nm-agent/linux/aggregate/identity.h"
#include "nm-agent/linux/aggregate/sweep.h"

#define GROUPS_MAX 65536 /* NGROUPS_MAX of Linux */
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

/* Takes the ids in the texts ID[0] (user), ID[1] (group) and ID[2] (list of groups). */
static int become(char **id)
{
    scoped_free gid_t *groups = mem_array0(GROUPS_MAX, sizeof(*groups));
    unsigned uid, gid, group;
    char *list = id[2];
    size_t count = 0;

    if (!parse_id(id[0], &uid) || !parse_id(id[1], &gid))
        return -1;
    for (char *word; (word = text_next_word(&list)) != NULL;)
        if (count < GROUPS_MAX && parse_id(word, &group))
            groups[count++] = group;
    return identity_set(uid, gid, groups, count);
}

static int conclude(int result, int kind, const struct err *err)
{
    if (result == 0)
        return 0;
    fprintf(stderr, "%s\n", err->text);
    return kind;
}

/* ARGUMENTS: UID GID GROUPS BASE USER SUFFIX APPLICATION FILE LOG-DIR... */
static int save(pid_t parent, char **arguments)
{
    struct aggregate_place place = { arguments[3], arguments[4], arguments[5] };
    int kind = AGGREGATE_STORAGE, r = become(arguments);
    struct err err = { 0 };

    if (r != 0) {
        fprintf(stderr, "creel-aggregate cannot become user %s: %s\n", place.user, strerror(-r));
        return AGGREGATE_USER;
    }
    identity_end_with(parent);
    r = aggregate_save(&place, arguments[6], arguments[7], (const char *const *)arguments + 8, &kind, &err);
    return conclude(r, kind, &err);
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
                    AGGREGATE_STORAGE, &err);
}

static int usage(void)
{
    fputs("usage: creel-aggregate save PARENT UID GID GROUPS BASE USER SUFFIX APPLICATION FILE LOG-DIR...\n"
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
