/* SPDX-License-Identifier: Apache-2.0 */
/* state_owners.c - gives restored files to those who own them in an archive */
#include "rm/net/rescue/state_owners.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/net/parts/host_program.h"

#define SECRET_SUFFIX "_secret"

/* A line of tar's list of members. */
struct member {
    char kind; /* '-': a file; 'd': a directory */
    char owner[64], group[64], name[1024];
};

/* What is given away, and where. */
struct giving {
    const char *directory;             /* of keys; NULL: files are given */
    const struct placed_files *placed; /* of files */
};

static int give_key(const struct giving *giving, const struct member *member, struct err *err)
{
    scoped_free char *key = mem_printf("keys/users/%s" SECRET_SUFFIX, member->owner);
    scoped_free char *file = mem_printf("%s/users/%s" SECRET_SUFFIX, giving->directory, member->owner);
    const struct passwd *user;

    if (member->kind != '-' || strcmp(member->name, key) != 0 || (user = getpwnam(member->owner)) == NULL)
        return 0;
    return lchown(file, user->pw_uid, user->pw_gid) < 0
               ? err_set_errno(err, errno, "%s: cannot be given to its user", file)
               : 0;
}

static int give_file(const struct giving *giving, struct member *member, struct err *err)
{
    char *path = member->name + strlen("files");
    size_t length = strlen(path);
    const struct passwd *user = getpwnam(member->owner);
    const struct group *group = getgrnam(member->group);

    if (length > 1 && path[length - 1] == '/')
        path[length - 1] = '\0';
    if (!placed_files_has(giving->placed, path))
        return 0;
    if (lchown(path, user != NULL ? user->pw_uid : (uid_t)-1, group != NULL ? group->gr_gid : (gid_t)-1) < 0)
        return err_set_errno(err, errno, "%s: cannot be given to its user", path);
    return 0;
}

/* Gives the member of LINE to its owner. */
static int give_line(const struct giving *giving, const char *line, struct err *err)
{
    struct member member = { .kind = *line };

    if (sscanf(line, "%*s %63[^/ ]/%63s %*s %*s %*s %1023[^\n]", member.owner, member.group, member.name) !=
        3)
        return 0;
    if (giving->directory != NULL)
        return give_key(giving, &member, err);
    return text_has_prefix(member.name, "files/") ? give_file(giving, &member, err) : 0;
}

static int give(const char *file, const struct giving *giving, struct err *err)
{
    const char *arguments[] = { "tar", "--list", "--verbose", "--force-local", "--file", file, NULL };
    FILE *list = geteuid() == 0 ? tmpfile() : NULL;
    char line[1280];
    int r;

    if (list == NULL)
        return geteuid() == 0 ? err_set_errno(err, errno, "no temporary file can be made") : 0;
    r = host_program_run(arguments, -1, fileno(list), err);
    if (r < 0)
        err_prefix(err, "%s: its members cannot be listed", file);
    rewind(list);
    while (r == 0 && fgets(line, sizeof(line), list) != NULL)
        r = give_line(giving, line, err);
    fclose(list);
    return r;
}

int state_owners_give_keys(const char *file, const char *directory, struct err *err)
{
    return give(file, &(struct giving){ .directory = directory }, err);
}

int state_owners_give(const char *file, const struct placed_files *placed, struct err *err)
{
    return give(file, &(struct giving){ .placed = placed }, err);
}
