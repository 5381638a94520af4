/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.c - creates, loads and looks up the CURVE certificates of a cluster
 *
 * There are two tables of a directory: files by (owner, name), each with the result of stat at the time it
 * was read, and the same files by public key. A key that is found is valid only while its file is unchanged.
 * If a key is not found, the directory is read again, but only files that changed.
 */
#include "common/io/keys/keys.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>
#include <sodium.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/keys/key_file.h"
#include "common/io/keys/z85.h"
#include "common/io/loop/log.h"
#include "common/io/loop/loop.h"

#define REREAD_MS 1000
#define NAME_MAX_BYTES 200
#define OWNERS 3
#define UNSAFE_MAX 100

static const char *const folders[OWNERS] = {
    [KEY_RM] = "",
    [KEY_AGENT] = "agents/",
    [KEY_USER] = "users/",
};

struct certificate {
    char *path;       /* relative to the directory: "agents/n1"; owned */
    const char *name; /* points into PATH */
    enum key_owner owner;
    char public_text[KEY_TEXT];
    struct stat seen;
    bool present;                 /* found by the last call of read_all */
    struct certificate *same_key; /* next certificate with the same key, in no order */
    UT_hash_handle hh;            /* by path */
    UT_hash_handle hh_key;        /* in by_key, for the first certificate with this key */
};

/* A certificate that others can write, for which there is a line in the log. */
struct unsafe {
    UT_hash_handle hh;
    char *path;                 /* owned */
    char public_text[KEY_TEXT]; /* "": the file is no certificate */
    struct timespec changed;
};

struct keys {
    int fd;
    struct unsafe *unsafe;
    struct certificate *by_path;
    struct certificate *by_key; /* the first certificate of each key */
    struct timespec folder_times[OWNERS];
    int64_t read_ms; /* time of the last reading; monotonic */
};

void key_generate(struct key *key)
{
    uint8_t public_bytes[crypto_box_PUBLICKEYBYTES], secret_bytes[crypto_box_SECRETKEYBYTES];
    int rc = sodium_init();

    assert(rc >= 0);
    crypto_box_keypair(public_bytes, secret_bytes);
    z85_encode(public_bytes, sizeof(public_bytes), key->public_text);
    z85_encode(secret_bytes, sizeof(secret_bytes), key->secret_text);
    sodium_memzero(secret_bytes, sizeof(secret_bytes));
}

/* --- loading and creating ---------------------------------------------------- */

static bool is_name(const char *name)
{
    size_t length = strlen(name);

    if (length == 0 || length > NAME_MAX_BYTES || name[0] == '.' || name[0] == '-')
        return false;
    for (const char *at = name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && strchr("._-@+", *at) == NULL)
            return false;
    return !text_has_suffix(name, KEY_FILE_SECRET_SUFFIX) && !text_has_suffix(name, ".new");
}

static char *file_of(const char *directory, enum key_owner owner, const char *name)
{
    return mem_printf("%s/%s%s", directory, folders[owner], owner == KEY_RM ? "rm" : name);
}

int key_load(const char *file, bool need_secret, struct key *key, struct err *err)
{
    scoped_free char *secret_file = NULL;
    struct key public, secret;
    int rc = key_file_read(AT_FDCWD, file, false, &public, err);

    if (!need_secret) {
        if (rc == 0)
            *key = public;
        return rc;
    }
    /* The secret file has both keys; its owner may have only this file. */
    if (rc < 0 && rc != -ENOENT)
        return rc;
    secret_file = mem_printf("%s%s", file, KEY_FILE_SECRET_SUFFIX);
    if (rc == 0) {
        rc = key_file_read(AT_FDCWD, secret_file, true, &secret, err);
        if (rc == 0 && strcmp(secret.public_text, public.public_text) != 0)
            rc = err_set(err, EINVAL, "certificate %s: %s belongs to another key pair", file, secret_file);
    } else {
        rc = key_file_read(AT_FDCWD, secret_file, true, &secret, err);
    }
    if (rc == 0)
        *key = secret;
    return rc;
}

int key_load_for(const char *directory, enum key_owner owner, const char *name, bool need_secret,
                 struct key *key, struct err *err)
{
    scoped_free char *file = NULL;
    scoped_free char *fallback = NULL;
    int rc;

    if (owner != KEY_RM && (name == NULL || !is_name(name)))
        return err_set(err, EINVAL, "'%s' cannot be the name of a certificate", name != NULL ? name : "");
    file = file_of(directory, owner, name);
    rc = key_load(file, need_secret, key, err);
    if (rc == -ENOENT && owner == KEY_RM && need_secret)
        return err_set(
            err, ENOENT,
            "certificate %s%s is missing: if the resource manager had one, bring it back: creel admin "
            "state restore FILE, an archive of creel admin state backup --all (tar -xpf FILE -C %s "
            "--strip-components=1 keys/rm_secret unpacks the key alone); for a new cluster make it with "
            "creel keygen cluster",
            file, KEY_FILE_SECRET_SUFFIX, directory);
    if (rc == -ENOENT && owner == KEY_RM)
        return key_file_explain_missing_rm(file, err);
    if (rc != -ENOENT || owner != KEY_AGENT)
        return rc;
    fallback = file_of(directory, owner, KEY_AGENT_SHARED);
    rc = key_load(fallback, need_secret, key, err);
    if (rc == -ENOENT)
        return err_set(
            err, ENOENT,
            "certificates %s%s and %s%s are both missing: creel setup node makes one on a new host; "
            "or run creel keygen agent %s on the host of the resource manager, and copy what it made",
            file, need_secret ? KEY_FILE_SECRET_SUFFIX : "", fallback,
            need_secret ? KEY_FILE_SECRET_SUFFIX : "", name);
    return rc;
}

bool key_is_there(const char *directory, enum key_owner owner, const char *name)
{
    scoped_free char *file = is_name(name) ? file_of(directory, owner, name) : NULL;

    return file != NULL && access(file, F_OK) == 0;
}

/* All users read certificates, whatever the umask is. The mode of a directory that exists is kept. */
static int make_folder(const char *path, struct err *err)
{
    if (mkdir(path, 0755) == 0 ? chmod(path, 0755) < 0 : errno != EEXIST)
        return err_set_errno(err, errno, "key directory %s: cannot make it", path);
    return 0;
}

static int make_folders(const char *directory, enum key_owner owner, struct err *err)
{
    scoped_free char *folder = mem_printf("%s/%s", directory, folders[owner]);
    int rc = make_folder(directory, err);

    if (rc == 0 && owner != KEY_RM)
        rc = make_folder(folder, err);
    return rc;
}

/* Explains that FILE exists. The resource manager needs both halves. Other secret halves may be on the
 * hosts of their owners alone. */
static int refuse_existing(const char *directory, const char *file, const char *secret_file,
                           enum key_owner owner, struct err *err)
{
    if (owner == KEY_RM && access(secret_file, F_OK) < 0 && errno == ENOENT)
        return err_set(
            err, ENOKEY,
            "certificate %s exists already, but its secret half %s is missing: bring that back from an "
            "archive of creel admin state backup --all (creel admin state restore FILE; or tar -xpf FILE -C "
            "%s --strip-components=1 keys/rm_secret); without one, delete %s to make a new pair, and copy "
            "the new %s to all nodes and hosts of users",
            file, secret_file, directory, file, file);
    return err_set(err, EEXIST, "certificate %s exists already: delete it and %s to make a new one", file,
                   secret_file);
}

int key_make(const char *directory, enum key_owner owner, const char *name, struct err *err)
{
    scoped_free char *file = NULL;
    scoped_free char *secret_file = NULL;
    struct key key;
    int rc;

    if (owner != KEY_RM && (name == NULL || !is_name(name)))
        return err_set(err, EINVAL,
                       "'%s' cannot be the name of a certificate: use letters, digits "
                       "and . _ - @ +",
                       name != NULL ? name : "");
    file = file_of(directory, owner, name);
    secret_file = mem_printf("%s%s", file, KEY_FILE_SECRET_SUFFIX);
    rc = make_folders(directory, owner, err);
    if (rc < 0)
        return rc;
    if (access(file, F_OK) == 0)
        return refuse_existing(directory, file, secret_file, owner, err);
    /* The secret file is written first. A secret without a public file is from a call that was interrupted:
     * its public half was never published, so the pair is completed instead of refused. */
    if (access(secret_file, F_OK) == 0) {
        rc = key_file_read(AT_FDCWD, secret_file, true, &key, err);
    } else {
        key_generate(&key);
        rc = key_file_write(secret_file, true, &key, owner == KEY_RM ? "rm" : name, err);
    }
    if (rc == 0)
        rc = key_file_write(file, false, &key, owner == KEY_RM ? "rm" : name, err);
    return rc;
}

/* --- a directory of certificates ---------------------------------------------- */

int key_install(const char *directory, enum key_owner owner, const char *name, const struct key *key,
                struct err *err)
{
    const char *label = owner == KEY_RM ? "rm" : name;
    bool secret = key->secret_text[0] != '\0';
    scoped_free char *file = NULL, *secret_file = NULL;
    int rc;

    if (owner != KEY_RM && (name == NULL || !is_name(name)))
        return err_set(err, EINVAL, "'%s' cannot be the name of a certificate", name != NULL ? name : "");
    file = file_of(directory, owner, name);
    secret_file = mem_printf("%s%s", file, KEY_FILE_SECRET_SUFFIX);
    rc = key_file_judge(label, secret, key, err);
    if (rc == 0)
        rc = make_folders(directory, owner, err);
    if (rc < 0)
        return rc;
    if (access(file, F_OK) == 0)
        return err_set(err, EEXIST, "certificate %s exists already: delete it to add another one", file);
    if (secret)
        rc = key_file_write(secret_file, true, key, label, err);
    if (rc == 0)
        rc = key_file_write(file, false, key, label, err);
    return rc;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static void index_key(struct keys *keys, struct certificate *certificate)
{
    struct certificate *first;

    HASH_FIND(hh_key, keys->by_key, certificate->public_text, strlen(certificate->public_text), first);
    if (first != NULL) {
        certificate->same_key = first->same_key;
        first->same_key = certificate;
        return;
    }
    HASH_ADD_KEYPTR(hh_key, keys->by_key, certificate->public_text, strlen(certificate->public_text),
                    certificate);
}

static void unindex_key(struct keys *keys, struct certificate *certificate)
{
    struct certificate *first, *next = certificate->same_key;

    HASH_FIND(hh_key, keys->by_key, certificate->public_text, strlen(certificate->public_text), first);
    if (first != certificate) {
        while (first->same_key != certificate)
            first = first->same_key;
        first->same_key = next;
        return;
    }
    HASH_DELETE(hh_key, keys->by_key, certificate);
    if (next != NULL)
        HASH_ADD_KEYPTR(hh_key, keys->by_key, next->public_text, strlen(next->public_text), next);
}

static void forget(struct keys *keys, struct certificate *certificate)
{
    unindex_key(keys, certificate);
    HASH_DEL(keys->by_path, certificate);
    free(certificate->path);
    free(certificate);
}

/* Returns true if group or others can write the file or folder, and so can authenticate as any user. */
static bool is_open_to_others(const struct stat *st)
{
    return (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

static void free_unsafe(struct keys *keys, struct unsafe *unsafe)
{
    HASH_DEL(keys->unsafe, unsafe);
    free(unsafe->path);
    free(unsafe);
}

/* Logs once that the file PATH, of status ST, does not count. */
static void warn_of_unsafe(struct keys *keys, const char *path, const struct stat *st)
{
    struct unsafe *unsafe;
    struct key key;

    HASH_FIND_STR(keys->unsafe, path, unsafe);
    if (unsafe != NULL && unsafe->changed.tv_sec == st->st_ctim.tv_sec &&
        unsafe->changed.tv_nsec == st->st_ctim.tv_nsec)
        return;
    if (unsafe == NULL && HASH_COUNT(keys->unsafe) >= UNSAFE_MAX)
        return;
    if (unsafe == NULL) {
        unsafe = mem_new0(struct unsafe);
        unsafe->path = mem_strdup(path);
        HASH_ADD_KEYPTR(hh, keys->unsafe, unsafe->path, strlen(unsafe->path), unsafe);
    }
    unsafe->changed = st->st_ctim;
    snprintf(unsafe->public_text, sizeof(unsafe->public_text), "%s",
             key_file_read(keys->fd, path, false, &key, NULL) == 0 ? key.public_text : "");
    log_line(LOG_LEVEL_WARN,
             "certificate %s in the key directory: group or others can write it (mode %04o), so it does not "
             "count: chmod go-w it, and check its content",
             path, (unsigned)(st->st_mode & 07777));
}

/* Reads one certificate. Files that are no certificates are ignored: an unrelated file must not prevent the
 * cluster from starting. A certificate that is unreadable or writable by others is not accepted. */
static void read_certificate(struct keys *keys, enum key_owner owner, const char *name)
{
    scoped_free char *path = mem_printf("%s%s", folders[owner], name);
    struct certificate *certificate;
    struct key key;
    struct stat st;

    if (!is_name(name) || fstatat(keys->fd, path, &st, 0) < 0 || !S_ISREG(st.st_mode))
        return;
    if (is_open_to_others(&st)) {
        warn_of_unsafe(keys, path, &st);
        return;
    }
    HASH_FIND_STR(keys->by_path, path, certificate);
    if (certificate != NULL && same_file(&certificate->seen, &st)) {
        certificate->present = true;
        return;
    }
    if (certificate != NULL)
        forget(keys, certificate);
    if (key_file_read(keys->fd, path, false, &key, NULL) < 0)
        return;
    certificate = mem_new0(struct certificate);
    certificate->owner = owner;
    certificate->seen = st;
    certificate->present = true;
    memcpy(certificate->public_text, key.public_text, KEY_TEXT);
    certificate->path = path;
    certificate->name = path + strlen(folders[owner]);
    path = NULL;
    HASH_ADD_KEYPTR(hh, keys->by_path, certificate->path, strlen(certificate->path), certificate);
    index_key(keys, certificate);
}

static void read_folder(struct keys *keys, enum key_owner owner)
{
    int fd = openat(keys->fd, folders[owner], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct dirent *entry;
    struct stat st;
    DIR *folder;

    keys->folder_times[owner] = (struct timespec){ 0, 0 };
    if (fd < 0)
        return;
    if (fstat(fd, &st) < 0 || is_open_to_others(&st)) {
        close(fd);
        return;
    }
    keys->folder_times[owner] = st.st_mtim;
    folder = fdopendir(fd);
    if (folder == NULL) {
        close(fd);
        return;
    }
    while ((entry = readdir(folder)) != NULL)
        read_certificate(keys, owner, entry->d_name);
    closedir(folder);
}

static void read_all(struct keys *keys)
{
    struct certificate *certificate, *next;

    keys->read_ms = loop_monotonic_ms();
    for (certificate = keys->by_path; certificate != NULL; certificate = certificate->hh.next)
        certificate->present = false;
    read_certificate(keys, KEY_RM, "rm");
    read_folder(keys, KEY_AGENT);
    read_folder(keys, KEY_USER);
    HASH_ITER(hh, keys->by_path, certificate, next)
        if (!certificate->present)
            forget(keys, certificate);
}

static int judge_folders(const char *directory, int fd, struct err *err)
{
    for (int owner = KEY_RM; owner < OWNERS; owner++) {
        const char *folder = owner == KEY_RM ? "." : folders[owner];
        struct stat st;

        if (fstatat(fd, folder, &st, 0) == 0 && is_open_to_others(&st))
            return err_set(
                err, EPERM,
                "key directory %s/%s: group or others can write it (mode "
                "%04o), and so sign in as any user: run chmod go-w on it, and check the keys in it",
                directory, folders[owner], (unsigned)(st.st_mode & 07777));
    }
    return 0;
}

int keys_start_error(int r)
{
    return r == -ENOENT || r == -EACCES ? -ENOKEY : r;
}

int keys_open(const char *directory, struct keys **ret, struct err *err)
{
    struct keys *keys;
    int rc, fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT)
        return err_set(err, ENOENT, "key directory %s is missing: creel keygen cluster makes it", directory);
    if (fd < 0)
        return err_set_errno(err, errno, "key directory %s: cannot read it", directory);
    rc = judge_folders(directory, fd, err);
    if (rc < 0) {
        close(fd);
        return rc;
    }
    keys = mem_new0(struct keys);
    keys->fd = fd;
    read_all(keys);
    *ret = keys;
    return 0;
}

void keys_free(struct keys *keys)
{
    struct certificate *certificate, *next;
    struct unsafe *unsafe, *other;

    if (keys == NULL)
        return;
    HASH_ITER(hh, keys->unsafe, unsafe, other)
        free_unsafe(keys, unsafe);
    HASH_ITER(hh, keys->by_path, certificate, next)
        forget(keys, certificate);
    close(keys->fd);
    free(keys);
}

/* Returns true if a file may have been added or removed since the last read_all, or if that was REREAD_MS
 * ago. Only the latter detects a file that was changed in place, or within the clock resolution of the last
 * read_all. */
static bool should_reread(const struct keys *keys)
{
    if (loop_monotonic_ms() - keys->read_ms >= REREAD_MS)
        return true;
    for (int owner = KEY_AGENT; owner <= KEY_USER; owner++) {
        struct stat st = { .st_mtim = { 0, 0 } };

        if (fstatat(keys->fd, folders[owner], &st, 0) < 0)
            st.st_mtim = (struct timespec){ 0, 0 };
        if (st.st_mtim.tv_sec != keys->folder_times[owner].tv_sec ||
            st.st_mtim.tv_nsec != keys->folder_times[owner].tv_nsec)
            return true;
    }
    return false;
}

/* Returns the certificate of OWNER with the key PUBLIC_TEXT, or NULL. If several certificates have the key
 * (copied files), returns the first in order of names. */
static struct certificate *look_up(struct keys *keys, enum key_owner owner, const char *public_text)
{
    struct certificate *each, *found = NULL;

    HASH_FIND(hh_key, keys->by_key, public_text, strlen(public_text), each);
    for (; each != NULL; each = each->same_key)
        if (each->owner == owner && (found == NULL || strcmp(each->name, found->name) < 0))
            found = each;
    return found;
}

static bool is_current(const struct keys *keys, const struct certificate *certificate)
{
    struct stat st;

    return fstatat(keys->fd, certificate->path, &st, 0) == 0 && same_file(&certificate->seen, &st);
}

const char *keys_find(struct keys *keys, enum key_owner owner, const char *public_text)
{
    struct certificate *found = look_up(keys, owner, public_text);

    if (found != NULL && is_current(keys, found))
        return found->name;
    if (found == NULL && !should_reread(keys))
        return NULL;
    read_all(keys);
    found = look_up(keys, owner, public_text);
    return found != NULL ? found->name : NULL;
}

static const struct certificate *find_by_name(struct keys *keys, enum key_owner owner, const char *name)
{
    scoped_free char *path = mem_printf("%s%s", folders[owner], name);
    struct certificate *found;

    HASH_FIND_STR(keys->by_path, path, found);
    if (found == NULL || !is_current(keys, found)) {
        read_all(keys);
        HASH_FIND_STR(keys->by_path, path, found);
    }
    return found;
}

bool keys_has_name(struct keys *keys, enum key_owner owner, const char *name)
{
    return find_by_name(keys, owner, name) != NULL;
}

bool keys_has(struct keys *keys, enum key_owner owner, const char *name, const char *public_text)
{
    const struct certificate *found = find_by_name(keys, owner, name);

    return found != NULL && strcmp(found->public_text, public_text) == 0;
}

/* Returns true if others can write PATH. Sets *MODE. */
static bool is_unsafe(const struct keys *keys, const char *path, unsigned *mode)
{
    struct stat st;

    if (fstatat(keys->fd, path, &st, 0) < 0 || !is_open_to_others(&st))
        return false;
    *mode = (unsigned)(st.st_mode & 07777);
    return true;
}

char *keys_why_not(const struct keys *keys, enum key_owner owner, const char *public_text, const char **name)
{
    const struct unsafe *unsafe;
    unsigned mode;

    *name = NULL;
    if (is_unsafe(keys, folders[owner], &mode))
        return mem_printf(
            "group or others can write the directory %s of the key directory (mode %04o), so its "
            "certificates do not count: chmod go-w it, and check its content",
            folders[owner], mode);
    for (unsafe = keys->unsafe; unsafe != NULL; unsafe = unsafe->hh.next) {
        if (strcmp(unsafe->public_text, public_text) != 0 || !text_has_prefix(unsafe->path, folders[owner]) ||
            !is_unsafe(keys, unsafe->path, &mode))
            continue;
        *name = unsafe->path + strlen(folders[owner]);
        return mem_printf(
            "group or others can write its certificate %s in the key directory (mode %04o), so it "
            "does not count: chmod go-w it, and check its content",
            unsafe->path, mode);
    }
    return NULL;
}
