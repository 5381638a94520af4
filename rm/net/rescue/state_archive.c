/* SPDX-License-Identifier: Apache-2.0 */
/* state_archive.c - one file from which a dead host of the resource manager is replaced */
#include "rm/net/rescue/state_archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <sodium.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/keys/keys.h"
#include "rm/net/conf/conf_files.h"
#include "rm/net/history/history_loss.h"
#include "rm/net/parts/host_program.h"
#include "rm/net/parts/placed_files.h"
#include "rm/net/rescue/state_contents.h"
#include "rm/net/rescue/state_files.h"
#include "rm/net/rescue/state_manifest.h"
#include "rm/net/rescue/state_owners.h"
#include "rm/net/rescue/state_rescue.h"

#define MAGIC_OFFSET 257   /* of "ustar" in a tar archive */
#define BLOBS_BACKUP_S 600 /* time for which uploaded files are kept, so that a backup can read them */

/* The members of an archive. An uploaded file that is not complete is in a directory of blobs/. */
static const struct state_part parts[] = {
#define PART_NONE(name)
#define PART_DATABASE(name) { name, false },
#define PART_TREE(name) { name, false },
#define PART_FLAT(name) { name, true },
#define PART(name, source, archive, text) PART_##archive(name)
    STATE_FILES(PART){ "conf", false },
    { "keys", false },
    { "files", false },
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))
#define STATE_PARTS \
    (PARTS - 3) /* the first ones are for the state directory, the others are the configuration */

struct state_archive {
    char *file, *conf_directory;
    char *stage;                /* has MANIFEST, conf, keys and files */
    struct placed_files placed; /* of conf, keys and files; taken back unless DONE */
    struct conf *conf;          /* as it will be in force */
    bool done;
};

/* --- directories ------------------------------------------------------------------- */

static int copy_tree(const char *from, const char *to, struct err *err)
{
    scoped_free char *inside = mem_printf("%s/.", from);
    const char *arguments[] = {
        "cp", "--recursive", "--dereference", "--preserve=mode,ownership", "--", inside, to, NULL
    };
    int r = mkdir(to, 0700) < 0 ? err_set_errno(err, errno, "%s: cannot be made", to) : 0;

    if (r == 0)
        r = host_program_run(arguments, -1, -1, err);
    if (r < 0)
        err_prefix(err, "%s cannot be copied", from);
    return r;
}

static int remove_tree(const char *directory, struct err *err)
{
    const char *arguments[] = { "rm", "-rf", "--", directory, NULL };

    return host_program_run(arguments, -1, -1, err);
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

/* Copies the record of what the history lacks, if there is one. */
static int copy_loss(const char *stage, const char *directory, struct err *err)
{
    scoped_free char *from = mem_printf("%s/" HISTORY_LOSS_FILE, directory);
    const char *arguments[] = { "cp", "--preserve=mode", "--", from, stage, NULL };

    return access(from, F_OK) == 0 ? host_program_run(arguments, -1, -1, err) : 0;
}

/* Makes STAGE/blobs a link to DIRECTORY, if there is one. Its files are kept for BLOBS_BACKUP_S. */
static int link_blobs(const char *stage, const char *directory, struct err *err)
{
    scoped_free char *path = mem_printf("%s/blobs", stage);
    const struct timespec until = { .tv_sec = time(NULL) + BLOBS_BACKUP_S, .tv_nsec = 0 };
    DIR *files = opendir(directory);
    const struct dirent *entry;

    if (files == NULL)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "%s: cannot be read", directory);
    while ((entry = readdir(files)) != NULL)
        if (entry->d_name[0] != '.')
            (void)utimensat(dirfd(files), entry->d_name, (const struct timespec[2]){ until, until },
                            AT_SYMLINK_NOFOLLOW);
    closedir(files);
    return symlink(directory, path) < 0 ? err_set_errno(err, errno, "%s: cannot be made", path) : 0;
}

/* Copies the configuration without the keys, and the keys without those that are in the state, too, to the
 * directory LOCAL: secret keys do not go to another file system, where files may not keep their owners.
 * STAGE has links to them. */
static int copy_conf(const struct conf *conf, const char *stage, const char *local, struct err *err)
{
    const char *keys = conf_text(conf, CONF_KEY_DIR), *base = conf_loaded_from(conf);
    size_t length = strlen(base);
    bool inside = length > 0 && strncmp(keys, base, length) == 0 && keys[length] == '/';
    scoped_free char *base_copy = mem_printf("%s/conf", local), *keys_copy = mem_printf("%s/keys", local);
    scoped_free char *base_link = mem_printf("%s/conf", stage), *keys_link = mem_printf("%s/keys", stage);
    scoped_free char *inner = mem_printf("%s%s", base_copy, inside ? keys + length : "/.none");
    scoped_free char *joined = mem_printf("%s/joined", keys_copy);
    int r = length > 0 && access(base, F_OK) == 0 ? copy_tree(base, base_copy, err) : 0;

    if (r == 0)
        r = remove_tree(inner, err);
    if (r == 0 && access(keys, F_OK) == 0)
        r = copy_tree(keys, keys_copy, err);
    if (r == 0)
        r = remove_tree(joined, err);
    if (r == 0 && (symlink(base_copy, base_link) < 0 || symlink(keys_copy, keys_link) < 0))
        r = err_set_errno(err, errno, "%s: links cannot be made", stage);
    return r;
}

/* Copies the files that the configuration needs outside of its directory, below LOCAL/files with their
 * paths. Without such files, the archive has no member "files": nothing would show that it is missing. */
static int copy_outside(const struct conf *conf, const char *stage, const char *local, struct err *err)
{
    scoped_free char *copy = mem_printf("%s/files", local), *at = mem_printf("%s/files", stage);
    struct conf_files files;
    int r = 0;

    conf_files_find(conf, &files);
    if (files.count > 0 && (mkdir(copy, 0755) < 0 || symlink(copy, at) < 0))
        r = err_set_errno(err, errno, "%s: cannot be made", copy);
    for (size_t i = 0; r == 0 && i < files.count; i++) {
        const char *arguments[] = { "env",       "--chdir=/",     "cp",
                                    "--parents", "--dereference", "--preserve=mode,ownership",
                                    "--",        files.paths[i],  copy,
                                    NULL };

        r = host_program_run(arguments, -1, -1, err);
        if (r < 0)
            err_prefix(err, "%s cannot be copied", files.paths[i]);
    }
    conf_files_done(&files);
    return r;
}

static int fill_stage(const struct conf *conf, const char *stage, const char *local,
                      struct store_report *report, struct err *err)
{
    const char *directory = conf_text(conf, CONF_RM_STATE_DIR);
    scoped_free char *state = mem_printf("%s/state.db", stage),
                     *history = mem_printf("%s/history", directory);
    scoped_free char *copies = mem_printf("%s/history", stage), *blobs = mem_printf("%s/blobs", directory);
    int r = state_rescue_backup(directory, state, report, err);

    if (r == 0)
        r = copy_history(history, copies, err);
    if (r == 0)
        r = copy_loss(stage, directory, err);
    if (r == 0)
        r = link_blobs(stage, blobs, err);
    if (r == 0)
        r = copy_conf(conf, stage, local, err);
    return r < 0 ? r : copy_outside(conf, stage, local, err);
}

/* Writes the members that the file of NAMES lists to FD, the file PART. */
static int run_tar(const char *stage, int names, int fd, const char *part, struct err *err)
{
    const char *arguments[] = {
        "tar", "--create", "--format=gnu",   "--dereference", "--file", "-", "--directory",
        stage, "--null",   "--no-recursion", "--files-from",  "-",      NULL
    };
    int r = lseek(names, 0, SEEK_SET) < 0 ? err_set_errno(err, errno, "%s: cannot be written", part)
                                          : host_program_run(arguments, names, fd, err);

    if (r < 0)
        err_prefix(err, "%s cannot be written, or a file changed meanwhile: try again", part);
    else if (fsync(fd) < 0)
        r = err_set_errno(err, errno, "%s: cannot be written", part);
    return r;
}

/* Writes the files of STAGE to FD, the file PART, with a list of them as first member. */
static int write_archive(const char *stage, int fd, const char *part, struct err *err)
{
    scoped_free char *path = mem_printf("%s/names", stage);
    scoped_fd int names = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int r;

    if (names < 0)
        return err_set_errno(err, errno, "%s: cannot be made", path);
    r = state_manifest_write(stage, parts, PARTS, names, err);
    return r < 0 ? r : run_tar(stage, names, fd, part, err);
}

static int make_part(const struct conf *conf, const char *stage, const char *local, const char *part,
                     struct store_report *report, struct err *err)
{
    scoped_fd int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int r;

    if (fd < 0)
        return err_set_errno(err, errno, "%s: cannot be made", part);
    r = fill_stage(conf, stage, local, report, err);
    return r < 0 ? r : write_archive(stage, fd, part, err);
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

/* Refuses to make an archive without the key of the resource manager: no host could be replaced with it. */
static int judge_key(const struct conf *conf, struct err *err)
{
    struct key key;
    int r = key_load_for(conf_text(conf, CONF_KEY_DIR), KEY_RM, NULL, true, &key, err);

    if (r == 0)
        sodium_memzero(&key, sizeof(key));
    else
        err_prefix(err, "the archive would lack the key of the resource manager");
    return r;
}

int state_archive_make(const struct conf *conf, const char *file, struct store_report *report,
                       char **ret_contents, struct err *err)
{
    scoped_free char *part = mem_printf("%s.part", file), *stage = mem_printf("%s.XXXXXX", file);
    scoped_free char *local = mem_printf("%s/backup-XXXXXX", conf_text(conf, CONF_RM_STATE_DIR));
    int r;

    *report = (struct store_report){ 0 };
    if (access(file, F_OK) == 0)
        return err_set(err, EEXIST, "%s: exists already", file);
    if ((r = judge_place(conf, file, err)) < 0 || (r = judge_key(conf, err)) < 0)
        return r;
    if (mkdtemp(stage) == NULL)
        return err_set_errno(err, errno, "%s: cannot be made", stage);
    if (mkdtemp(local) == NULL) {
        r = err_set_errno(err, errno, "%s: cannot be made", local);
        (void)rmdir(stage);
        return r;
    }
    (void)unlink(part); /* left by an interrupted backup */
    r = make_part(conf, stage, local, part, report, err);
    if (r == 0 && link(part, file) < 0)
        r = err_set_errno(err, errno, "%s: cannot be made", file);
    if (r == 0)
        *ret_contents = state_contents_describe(stage, conf);
    (void)unlink(part);
    (void)remove_tree(stage, NULL);
    (void)remove_tree(local, NULL);
    return r;
}

/* --- restoring --------------------------------------------------------------------- */

bool state_archive_is(const char *file)
{
    char magic[5];
    scoped_fd int fd = file_open(AT_FDCWD, file, O_RDONLY, 0, NULL);

    return fd >= 0 && pread(fd, magic, sizeof(magic), MAGIC_OFFSET) == (ssize_t)sizeof(magic) &&
           memcmp(magic, "ustar", sizeof(magic)) == 0;
}

static bool has_manifest(const char *file)
{
    char name[sizeof(STATE_MANIFEST)];
    scoped_fd int fd = file_open(AT_FDCWD, file, O_RDONLY, 0, NULL);

    return fd >= 0 && pread(fd, name, sizeof(name), 0) == (ssize_t)sizeof(name) &&
           memcmp(name, STATE_MANIFEST, sizeof(name)) == 0;
}

/* Unpacks the parts FROM to TO of FILE into STAGE, and checks them. */
static int unpack(const char *file, size_t from, size_t to, const char *stage, struct err *err)
{
    const char *arguments[11 + PARTS] = { "tar",
                                          "--extract",
                                          "--force-local",
                                          "--no-same-owner",
                                          "--preserve-permissions",
                                          "--touch",
                                          "--anchored",
                                          "--file",
                                          file,
                                          "--directory",
                                          stage };
    char *left_out[PARTS] = { NULL };
    struct err found = { 0 };
    size_t count = 0;
    int r;

    for (size_t i = 0; i < PARTS; i++)
        if (i < from || i >= to)
            arguments[11 + count] = left_out[count] = mem_printf("--exclude=%s", parts[i].name), count++;
    r = host_program_run(arguments, -1, -1, err);
    for (size_t i = 0; i < count; i++)
        free(left_out[i]);
    if (r < 0)
        err_prefix(err, "%s: is cut or damaged, or cannot be unpacked into %s", file, stage);
    if (state_manifest_check(stage, parts + from, to - from, file, &found) < 0) /* it names the file */
        r = err_set(err, found.code, "%s", found.text);
    return r;
}

/* Makes a directory with a name of its own beside TARGET, or beside the first missing directory above it. */
static int make_stage(const char *target, char **ret, struct err *err)
{
    scoped_free char *folder = mem_strdup(target);
    char *slash, *stage;

    do {
        slash = strrchr(folder, '/');
        if (slash != NULL)
            *slash = '\0';
    } while (slash != NULL && *folder != '\0' && access(folder, F_OK) < 0);
    stage =
        slash != NULL ? mem_printf("%s/creel-restore-XXXXXX", folder) : mem_strdup("creel-restore-XXXXXX");
    if (mkdtemp(stage) == NULL) {
        int r = err_set_errno(err, errno, "%s: cannot be made", stage);

        free(stage);
        return r;
    }
    *ret = stage;
    return 0;
}

/* --- configuration and keys --------------------------------------------------------- */

/* Puts the files of STAGE/files in the places that they had. Those that exist are kept. */
static int place_outside(struct state_archive *archive, struct err *err)
{
    scoped_free char *files = mem_printf("%s/files", archive->stage);
    DIR *folder = opendir(files);
    const struct dirent *entry;
    int r = folder == NULL && errno != ENOENT ? err_set_errno(err, errno, "%s: cannot be read", files) : 0;

    while (r == 0 && folder != NULL && (entry = readdir(folder)) != NULL) {
        scoped_free char *from = mem_printf("%s/%s", files, entry->d_name);
        scoped_free char *to = mem_printf("/%s", entry->d_name);

        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            r = placed_files_copy(&archive->placed, from, to, err);
    }
    if (folder != NULL)
        closedir(folder);
    return r;
}

/* Puts the configuration in place, and loads it: what it includes has to be there for that. */
static int place_conf(struct state_archive *archive, struct err *err)
{
    scoped_free char *conf = mem_printf("%s/conf", archive->stage);
    int r = place_outside(archive, err);

    if (r == 0 && access(conf, F_OK) == 0)
        r = placed_files_copy(&archive->placed, conf, archive->conf_directory, err);
    if (r == 0)
        r = state_owners_give(archive->file, &archive->placed, err);
    return r < 0 ? r : conf_load(archive->conf_directory, NULL, NULL, &archive->conf, err);
}

int state_archive_open(const char *file, const char *conf_directory, struct state_archive **ret,
                       struct err *err)
{
    struct state_archive *archive;
    char *stage = NULL;
    int r;

    if (!has_manifest(file))
        return err_set(err, EBADMSG,
                       "%s: its first member is not " STATE_MANIFEST
                       ": it is damaged, or of a creel that did not "
                       "write one: use an archive of this version, or unpack it by hand",
                       file);
    if ((r = make_stage(conf_directory, &stage, err)) < 0)
        return r;
    archive = mem_new0(struct state_archive);
    archive->file = mem_strdup(file);
    archive->conf_directory = mem_strdup(conf_directory);
    archive->stage = stage;
    r = unpack(file, STATE_PARTS, PARTS, stage, err);
    if (r == 0)
        r = place_conf(archive, err);
    if (r == 0)
        *ret = archive;
    else
        state_archive_close(archive);
    return r;
}

void state_archive_each_outside(const struct state_archive *archive, state_archive_file_fn *each,
                                void *context)
{
    struct conf_files files;

    conf_files_find(archive->conf, &files);
    for (size_t i = 0; i < files.count; i++)
        each(context, files.paths[i], placed_files_has(&archive->placed, files.paths[i]));
    conf_files_done(&files);
}

const struct conf *state_archive_conf(const struct state_archive *archive)
{
    return archive->conf;
}

void state_archive_close(struct state_archive *archive)
{
    if (archive == NULL)
        return;
    if (!archive->done)
        placed_files_undo(&archive->placed);
    placed_files_done(&archive->placed);
    (void)remove_tree(archive->stage, NULL);
    conf_free(archive->conf);
    free(archive->file);
    free(archive->conf_directory);
    free(archive->stage);
    free(archive);
}

/* Puts the keys in place, unless the host has those of a resource manager: on such a host they would bring
 * back
 * keys that were revoked. */
static int place_keys(struct state_archive *archive, struct state_restored *ret, struct err *err)
{
    const char *key_directory = conf_text(archive->conf, CONF_KEY_DIR);
    scoped_free char *secret = mem_printf("%s/rm_secret", key_directory);
    scoped_free char *keys = mem_printf("%s/keys", archive->stage);
    int r = 0;

    ret->keys = access(secret, F_OK) != 0 && access(keys, F_OK) == 0;
    if (ret->keys)
        r = placed_files_copy(&archive->placed, keys, key_directory, err);
    if (r == 0 && ret->keys)
        r = state_owners_give_keys(archive->file, key_directory, err);
    ret->secret = access(secret, F_OK) == 0;
    return r;
}

/* As root, gives all files in DIRECTORY to the owner of MODEL, as whom the resource manager runs. */
static int give_to_owner(const char *directory, const char *model, struct err *err)
{
    scoped_free char *reference = mem_printf("--reference=%s", model);
    const char *arguments[] = { "chown", "-R", reference, "--", directory, NULL };
    int r = geteuid() == 0 ? host_program_run(arguments, -1, -1, err) : 0;

    if (r < 0)
        err_prefix(err, "%s cannot be given to its owner", directory);
    return r;
}

/* Moves the part NAME of STAGE, if it has it, into DIRECTORY; one that is there is moved to ASIDE. Changes
 * nothing if it fails. */
static int put_part(const char *stage, const char *directory, const char *name, const char *aside,
                    struct err *err)
{
    scoped_free char *from = mem_printf("%s/%s", stage, name), *to = mem_printf("%s/%s", directory, name);
    scoped_free char *old = mem_printf("%s/%s", aside, name);

    if (rename(to, old) < 0 && errno != ENOENT)
        return err_set_errno(err, errno, "%s: cannot be moved to %s", to, aside);
    if (rename(from, to) < 0 && errno != ENOENT) {
        int r = err_set_errno(err, errno, "%s: cannot be put there", to);

        (void)rename(old, to);
        return r;
    }
    return 0;
}

/* Undoes put_part. */
static void take_back(const char *stage, const char *directory, const char *name, const char *aside)
{
    scoped_free char *from = mem_printf("%s/%s", stage, name), *to = mem_printf("%s/%s", directory, name);
    scoped_free char *old = mem_printf("%s/%s", aside, name);

    (void)rename(to, from);
    (void)rename(old, to);
}

static int put_state(const char *stage, const char *directory, int64_t now_ms,
                     struct store_decision *decision, struct err *err)
{
    scoped_free char *state = mem_printf("%s/state.db", stage);
    int r = store_restore(directory, state, now_ms, decision, err);
    size_t done = 1; /* the first part is the state itself */

    if (r < 0)
        return r;
    while (r == 0 && done < STATE_PARTS) {
        r = put_part(stage, directory, parts[done].name, decision->moved_to, err);
        done += r == 0;
    }
    while (r < 0 && done > 1)
        take_back(stage, directory, parts[--done].name, decision->moved_to);
    if (r < 0)
        store_restore_undo(directory, decision);
    return r;
}

/* Unpacks the state of ARCHIVE into STAGE, with the directories that an empty part lacks. */
static int unpack_state(const struct state_archive *archive, const char *stage, const char *directory,
                        struct err *err)
{
    scoped_free char *blobs = mem_printf("%s/blobs", stage), *history = mem_printf("%s/history", stage);
    int r = unpack(archive->file, 0, STATE_PARTS, stage, err);

    if (r == 0 &&
        ((mkdir(blobs, 0700) < 0 && errno != EEXIST) || (mkdir(history, 0700) < 0 && errno != EEXIST)))
        r = err_set_errno(err, errno, "%s: cannot be made", stage);
    return r < 0 ? r : give_to_owner(stage, directory, err);
}

int state_archive_restore(struct state_archive *archive, int64_t now_ms, struct store_decision *decision,
                          struct state_restored *ret, struct err *err)
{
    const char *directory = conf_text(archive->conf, CONF_RM_STATE_DIR);
    scoped_free char *stage = mem_printf("%s/restore-XXXXXX", directory);
    int r;

    *decision = (struct store_decision){ 0 };
    if (mkdtemp(stage) == NULL)
        return err_set_errno(err, errno, "%s: cannot be made", stage);
    r = unpack_state(archive, stage, directory, err);
    if (r == 0)
        r = place_keys(archive, ret, err);
    if (r == 0)
        r = put_state(stage, directory, now_ms, decision, err);
    archive->done = r == 0;
    (void)remove_tree(stage, NULL);
    if (r == 0)
        (void)give_to_owner(directory, directory, NULL); /* what was moved away */
    return r;
}
