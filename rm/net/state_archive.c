/* SPDX-License-Identifier: Apache-2.0 */
/* state_archive.c - one file from which a dead host of the resource manager is replaced */
#include "rm/net/state_archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"

#define MAGIC_OFFSET 257 /* of "ustar" in a tar archive */
#define SECRET_SUFFIX "_secret"
#define TAR_CHANGED 1 /* exit status: a file changed while it was read */

extern char **environ;

/* --- other programs --------------------------------------------------------------- */

/* Runs a program of the host, tar with its usual options. OUTPUT: its standard output; -1: that of this
 * process. Sets *STATUS to its exit status. */
static int run(const char *const *arguments, int output, int *status, struct err *err)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int r;

    unsetenv("TAR_OPTIONS");
    posix_spawn_file_actions_init(&actions);
    if (output >= 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    r = posix_spawnp(&pid, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (r != 0)
        return err_set_errno(err, r, "%s: cannot be run", arguments[0]);
    if (waitpid(pid, status, 0) < 0 || !WIFEXITED(*status))
        return err_set(err, EIO, "%s: was killed", arguments[0]);
    *status = WEXITSTATUS(*status);
    return 0;
}

/* Extracts MEMBER of FILE into DIRECTORY. STRIP: how many folders of its path to leave out. PERMISSIONS:
 * whether files get their recorded modes, or those of new files. */
static int extract(const char *file, const char *member, const char *strip, const char *permissions,
                   const char *directory, struct err *err)
{
    const char *arguments[] = { "tar",
                                "--extract",
                                "--force-local",
                                permissions,
                                "--no-same-owner",
                                strip,
                                "--skip-old-files",
                                "--file",
                                file,
                                "--directory",
                                directory,
                                member,
                                NULL };
    int status = 0, r = run(arguments, -1, &status, err);

    if (r == 0 && status != 0)
        r = err_set(err, EIO, "%s: %s cannot be unpacked into %s (tar: exit status %d)", file, member,
                    directory, status);
    return r;
}

static int remove_tree(const char *directory, struct err *err)
{
    const char *arguments[] = { "rm", "-rf", "--", directory, NULL };
    int status = 0;

    return run(arguments, -1, &status, err);
}

/* --- making ------------------------------------------------------------------------ */

/* Copies the files of the history, which may be written meanwhile, into the new folder TO. */
static int copy_history(const char *from, const char *to, struct err *err)
{
    DIR *folder = opendir(from);
    const struct dirent *entry;
    int r = mkdir(to, 0700) < 0 ? err_set_errno(err, errno, "%s: cannot be made", to) : 0;

    if (folder == NULL && errno != ENOENT && r == 0)
        r = err_set_errno(err, errno, "%s: cannot be read", from);
    while (r == 0 && folder != NULL && (entry = readdir(folder)) != NULL) {
        scoped_free char *file = mem_printf("%s/%s", from, entry->d_name);
        scoped_free char *copy = mem_printf("%s/%s", to, entry->d_name);

        if (text_has_suffix(entry->d_name, ".db"))
            r = store_copy_file(file, copy, err);
    }
    if (folder != NULL)
        closedir(folder);
    return r;
}

/* Makes NAME in the folder STAGE: a link to the directory TARGET, or an empty directory if there is none. */
static int link_directory(const char *stage, const char *name, const char *target, struct err *err)
{
    scoped_free char *path = mem_printf("%s/%s", stage, name);
    struct stat status;
    bool found = *target != '\0' && stat(target, &status) == 0 && S_ISDIR(status.st_mode);

    if ((found ? symlink(target, path) : mkdir(path, 0700)) < 0)
        return err_set_errno(err, errno, "%s: cannot be made", path);
    return 0;
}

static int fill_stage(const struct conf *conf, const char *stage, struct store_report *report,
                      struct err *err)
{
    const char *directory = conf_text(conf, CONF_RM_STATE_DIR);
    scoped_free char *state = mem_printf("%s/state.db", stage),
                     *history = mem_printf("%s/history", directory);
    scoped_free char *copies = mem_printf("%s/history", stage), *blobs = mem_printf("%s/blobs", directory);
    int r = store_backup(directory, state, report, err);

    if (r == 0)
        r = copy_history(history, copies, err);
    if (r == 0)
        r = link_directory(stage, "blobs", blobs, err);
    if (r == 0)
        r = link_directory(stage, "conf", conf_loaded_from(conf), err);
    return r < 0 ? r : link_directory(stage, "keys", conf_text(conf, CONF_KEY_DIR), err);
}

static int write_part(const char *const *arguments, int output, const char *part, struct err *err)
{
    int status = 0, r = run(arguments, output, &status, err);

    if (r == 0 && status != 0 && status != TAR_CHANGED)
        r = err_set(err, EIO, "%s: cannot be written (tar: exit status %d)", part, status);
    return r;
}

/* Writes the files of STAGE to FD, the file PART. */
static int write_archive(const struct conf *conf, const char *stage, int fd, const char *part,
                         struct err *err)
{
    const char *keys = conf_text(conf, CONF_KEY_DIR), *base = conf_loaded_from(conf);
    size_t length = strlen(base);
    bool inside = length > 0 && strncmp(keys, base, length) == 0 && keys[length] == '/';
    scoped_free char *left_out = mem_printf("--exclude=conf%s", inside ? keys + length : "/.");
    /* "blobs/." is what the link leads to. The resource manager's user can make links in it, which are not
     * followed. Links in the configuration are root's. */
    const char *state[] = { "tar", "--create", "--file",  "-",       "--directory",
                            stage, "state.db", "history", "blobs/.", NULL };
    const char *rest[] = { "tar",
                           "--append",
                           "--force-local",
                           "--dereference",
                           "--anchored",
                           left_out,
                           "--exclude=keys/joined",
                           "--file",
                           part,
                           "--directory",
                           stage,
                           "conf",
                           "keys",
                           NULL };
    int r = write_part(state, fd, part, err);

    if (r == 0)
        r = write_part(rest, -1, part, err);
    if (r == 0 && fsync(fd) < 0)
        r = err_set_errno(err, errno, "%s: cannot be written", part);
    return r;
}

static int make_part(const struct conf *conf, const char *stage, const char *part,
                     struct store_report *report, struct err *err)
{
    scoped_fd int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int r;

    if (fd < 0)
        return err_set_errno(err, errno, "%s: cannot be made", part);
    r = fill_stage(conf, stage, report, err);
    return r < 0 ? r : write_archive(conf, stage, fd, part, err);
}

static bool is_in_directory(const char *path, const char *directory)
{
    scoped_free char *real = realpath(directory, NULL);
    size_t length = real != NULL ? strlen(real) : 0;

    return length > 1 && strncmp(path, real, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Refuses a FILE in one of the directories that the archive has: it would have to contain itself. */
static int judge_place(const struct conf *conf, const char *file, struct err *err)
{
    const char *directories[] = { conf_text(conf, CONF_RM_STATE_DIR), conf_loaded_from(conf),
                                  conf_text(conf, CONF_KEY_DIR) };
    const char *slash = strrchr(file, '/');
    scoped_free char *folder =
        slash == NULL ? mem_strdup(".") : mem_strndup(file, (size_t)(slash - file) + 1);
    scoped_free char *place = realpath(folder, NULL);

    if (place == NULL)
        return err_set_errno(err, errno, "%s: cannot be made", file);
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
        if (is_in_directory(place, directories[i]))
            return err_set(err, ELOOP, "%s: is in %s, which the backup has: choose another directory", file,
                           directories[i]);
    return 0;
}

int state_archive_make(const struct conf *conf, const char *file, struct store_report *report,
                       struct err *err)
{
    scoped_free char *part = mem_printf("%s.part", file), *stage = mem_printf("%s.XXXXXX", file);
    int r;

    *report = (struct store_report){ 0 };
    if (access(file, F_OK) == 0)
        return err_set(err, EEXIST, "%s: exists already", file);
    if ((r = judge_place(conf, file, err)) < 0)
        return r;
    if (mkdtemp(stage) == NULL)
        return err_set_errno(err, errno, "%s: cannot be made", stage);
    (void)unlink(part); /* left by an interrupted backup */
    r = make_part(conf, stage, part, report, err);
    if (r == 0 && link(part, file) < 0)
        r = err_set_errno(err, errno, "%s: cannot be made", file);
    (void)unlink(part);
    (void)remove_tree(stage, NULL);
    return r;
}

/* --- restoring --------------------------------------------------------------------- */

bool state_archive_is(const char *file)
{
    char magic[5];
    scoped_fd int fd = open(file, O_RDONLY | O_CLOEXEC);

    return fd >= 0 && pread(fd, magic, sizeof(magic), MAGIC_OFFSET) == (ssize_t)sizeof(magic) &&
           memcmp(magic, "ustar", sizeof(magic)) == 0;
}

static int make_directory(const char *directory, struct err *err)
{
    const char *arguments[] = { "mkdir", "-p", "--", directory, NULL };
    int status = 0, r = run(arguments, -1, &status, err);

    return r == 0 && status != 0 ? err_set(err, EIO, "%s: cannot be made", directory) : r;
}

/* Gives users/NAME_secret in DIRECTORY to the user NAME, if LINE, of tar's list, has it as that user's. */
static int give_to_user(const char *directory, const char *line, struct err *err)
{
    char owner[64], name[256];
    scoped_free char *file = NULL;
    const struct passwd *user;

    if (sscanf(line, "-%*s %63[^/ ]/%*s %*s %*s %*s keys/users/%255s", owner, name) != 2 ||
        strchr(name, '/') != NULL || !text_has_suffix(name, SECRET_SUFFIX))
        return 0;
    name[strlen(name) - strlen(SECRET_SUFFIX)] = '\0';
    if (!text_equal(owner, name) || (user = getpwnam(name)) == NULL)
        return 0;
    file = mem_printf("%s/users/%s" SECRET_SUFFIX, directory, name);
    return lchown(file, user->pw_uid, user->pw_gid) < 0
               ? err_set_errno(err, errno, "%s: cannot be given to its user", file)
               : 0;
}

/* As root, gives the secret keys of users in DIRECTORY to those who own them in the archive FILE. (tar would
 * give those of users that this host does not have to any user with the same number.) */
static int give_to_users(const char *file, const char *directory, struct err *err)
{
    const char *arguments[] = { "tar", "--list", "--verbose", "--force-local", "--file", file, "keys", NULL };
    FILE *list = geteuid() == 0 ? tmpfile() : NULL;
    char line[1024];
    int status = 0, r;

    if (list == NULL)
        return geteuid() == 0 ? err_set_errno(err, errno, "no temporary file can be made") : 0;
    r = run(arguments, fileno(list), &status, err);
    if (r == 0 && status != 0)
        r = err_set(err, EIO, "%s: its keys cannot be listed (tar: exit status %d)", file, status);
    rewind(list);
    while (r == 0 && fgets(line, sizeof(line), list) != NULL)
        r = give_to_user(directory, line, err);
    fclose(list);
    return r;
}

/* Keys of the archive are for a host that has none: on another one they would bring back those that were
 * revoked. */
static int restore_keys(const char *file, const char *directory, bool *ret, struct err *err)
{
    scoped_free char *secret = mem_printf("%s/rm_secret", directory);
    int r = make_directory(directory, err);

    *ret = access(secret, F_OK) != 0;
    if (r == 0 && *ret)
        r = extract(file, "keys", "--strip-components=1", "--preserve-permissions", directory, err);
    if (r == 0 && *ret)
        r = give_to_users(file, directory, err);
    return r;
}

int state_archive_restore_conf(const char *file, const char *conf_directory, struct conf **ret,
                               bool *ret_keys, struct err *err)
{
    int r = make_directory(conf_directory, err);

    *ret_keys = false;
    if (r == 0)
        r = extract(file, "conf", "--strip-components=1", "--preserve-permissions", conf_directory, err);
    if (r == 0)
        r = conf_load(conf_directory, NULL, NULL, ret, err);
    return r < 0 ? r : restore_keys(file, conf_text(*ret, CONF_KEY_DIR), ret_keys, err);
}

/* Moves the directory NAME of STAGE into DIRECTORY; one that is there is moved to ASIDE. */
static int put_directory(const char *stage, const char *directory, const char *name, const char *aside,
                         struct err *err)
{
    scoped_free char *from = mem_printf("%s/%s", stage, name), *to = mem_printf("%s/%s", directory, name);
    scoped_free char *old = mem_printf("%s/%s", aside, name);

    if (rename(to, old) < 0 && errno != ENOENT)
        return err_set_errno(err, errno, "%s: cannot be moved to %s", to, aside);
    if (rename(from, to) < 0)
        return err_set_errno(err, errno, "%s: cannot be put there", to);
    return 0;
}

/* As root, gives all files in DIRECTORY to its owner, as whom the resource manager runs. */
static int give_to_owner(const char *directory, struct err *err)
{
    scoped_free char *reference = mem_printf("--reference=%s", directory);
    const char *arguments[] = { "chown", "-R", reference, "--", directory, NULL };
    int status = 0, r = geteuid() == 0 ? run(arguments, -1, &status, err) : 0;

    return r == 0 && status != 0 ? err_set(err, EIO, "%s: cannot be given to its owner", directory) : r;
}

static int restore_from(const char *file, const char *stage, const char *directory, int64_t now_ms,
                        struct store_decision *decision, struct err *err)
{
    static const char *const members[] = { "state.db", "history", "blobs" };
    scoped_free char *state = mem_printf("%s/state.db", stage);
    int r = 0;

    for (size_t i = 0; r == 0 && i < sizeof(members) / sizeof(members[0]); i++)
        r = extract(file, members[i], "--strip-components=0", "--no-same-permissions", stage, err);
    if (r == 0)
        r = store_restore(directory, state, now_ms, decision, err);
    for (size_t i = 1; r == 0 && i < sizeof(members) / sizeof(members[0]); i++)
        r = put_directory(stage, directory, members[i], decision->moved_to, err);
    return r;
}

int state_archive_restore(const char *file, const char *directory, int64_t now_ms,
                          struct store_decision *decision, struct err *err)
{
    scoped_free char *stage = mem_printf("%s/restore-XXXXXX", directory);
    struct err ignored;
    int r;

    *decision = (struct store_decision){ 0 };
    if (mkdtemp(stage) == NULL)
        return err_set_errno(err, errno, "%s: cannot be made", stage);
    r = restore_from(file, stage, directory, now_ms, decision, err);
    (void)remove_tree(stage, NULL);
    if (r == 0)
        return give_to_owner(directory, err);
    (void)give_to_owner(directory, &ignored);
    return r;
}
