/* SPDX-License-Identifier: Apache-2.0 */
/* stored_logs.c - finds logs of ended applications on shared storage */
#include "client/cli/logs/stored_logs.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef HASH_FUNCTION
#define HASH_FUNCTION HASH_OAT /* the default one has fall-through cases without a mark */
#endif
#include <uthash.h>

#include "client/cli/logs/log_archive.h"
#include "client/cli/logs/storage_child.h"
#include "client/libcreel/client.h"
#include "common/base/mem.h"
#include "common/conf/log_storage.h"

struct node {   /* a node whose file was looked for */
    char *id;   /* owned */
    int result; /* 0, or -errno of reading its file */
    UT_hash_handle hh;
};

struct stored_logs {
    char *dir, *user, *suffix, *app_id; /* owned; names on the way to the directory of the application */
    char *path;                         /* of that directory */
    bool is_open;                       /* false: it cannot be opened, or does not answer, because of ERROR */
    bool knows_account;                 /* USER has an account here */
    struct err error;                   /* the last one */
    uid_t uid;          /* owner of the files; of the account, until the directory was found */
    int64_t timeout_ms; /* for which the storage may be silent */
    char *only;         /* container whose logs are needed; NULL: all */
    struct node *nodes;
    struct log_archive *archive; /* files of all NODES; NULL: none was read */
};

/* --- directories --------------------------------------------------------------- */

/* Opens the directory NAME below *FD, which it replaces. */
static int descend(int *fd, const char *name, const uid_t *owner, struct err *err)
{
    int below = openat(*fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;

    close(*fd);
    *fd = below;
    if (below < 0 || fstat(below, &status) != 0)
        return err_set_errno(err, errno, "%s", name);
    if (owner != NULL && status.st_uid != *owner)
        return err_set(err, EPERM, "%s belongs to user id %u", name, (unsigned)status.st_uid);
    return 0;
}

/* Opens DIR/USER/SUFFIX/APP, and sets the owner. All of them below DIR must belong to the user, if USER has
 * an account here. Returns the descriptor or -errno. */
static int open_app(struct stored_logs *stored, struct err *err)
{
    scoped_fd int fd = open(stored->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat status;
    int r;

    if (fd < 0)
        return err_set_errno(err, errno, "%s", stored->dir);
    r = descend(&fd, stored->user, stored->knows_account ? &stored->uid : NULL, err);
    if (r == 0 && fstat(fd, &status) == 0) {
        stored->uid = status.st_uid;
        r = descend(&fd, stored->suffix, &stored->uid, err);
    }
    if (r == 0)
        r = descend(&fd, stored->app_id, &stored->uid, err);
    if (r < 0)
        return r;
    r = fd;
    fd = -1;
    return r;
}

/* --- in the child process ------------------------------------------------------- */

struct reading { /* of the file NAME of a node; NAME NULL: only the directory is looked for */
    struct stored_logs *stored;
    const char *name;
    int fd; /* in the child: to which it sends */
};

static void send_progress(void *context)
{
    const struct reading *reading = context;

    storage_send(reading->fd, &(struct storage_message){ .kind = STORAGE_PROGRESS });
}

static void send_entry(void *context, const char *path, const struct log_archive_entry *entry)
{
    const struct reading *reading = context;
    struct storage_message message = {
        .kind = STORAGE_ENTRY,
        .offset = entry->offset,
        .size = entry->size,
        .modified_ms = entry->modified_ms,
    };

    if (strlen(path) >= sizeof(message.text)) /* no log has such a name */
        return;
    memcpy(message.text, path, strlen(path) + 1);
    storage_send(reading->fd, &message);
}

static int read_file(struct reading *reading, int directory_fd, struct err *err)
{
    scoped_fd int fd = openat(directory_fd, reading->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct log_archive *archive = reading->stored->archive;
    size_t before = log_archive_count(archive);
    struct stat status;
    int r;

    if (fd < 0 && errno == ENOENT)
        return 0; /* not written yet, or no longer kept */
    if (fd < 0 || fstat(fd, &status) != 0)
        return err_set_errno(err, errno, "%s/%s", reading->stored->path, reading->name);
    if (!S_ISREG(status.st_mode) || status.st_uid != reading->stored->uid)
        return err_set(err, EPERM, "%s/%s is no file of its user", reading->stored->path, reading->name);
    log_archive_on_read(archive, send_progress, reading);
    r = log_archive_add(archive, fd, reading->stored->only, err);
    if (r < 0)
        err_prefix(err, "%s/%s", reading->stored->path, reading->name);
    log_archive_each(archive, before, send_entry, reading);
    return r;
}

static void read_storage(void *context, int fd)
{
    struct reading *reading = context;
    struct storage_message end = { .kind = STORAGE_END };
    struct err err = { 0 };
    scoped_fd int directory_fd = open_app(reading->stored, &err);
    int r = directory_fd;

    reading->fd = fd;
    if (r < 0)
        err_prefix(&err, "%s", reading->stored->path);
    if (r >= 0 && reading->name != NULL)
        r = read_file(reading, directory_fd, &err);
    end.uid = reading->stored->uid;
    end.code = r < 0 ? -r : 0;
    snprintf(end.text, sizeof(end.text), "%.*s", (int)sizeof(end.text) - 1, err.text);
    storage_send(fd, &end);
}

/* --- in this process -------------------------------------------------------------- */

static void receive(void *context, const struct storage_message *message)
{
    struct reading *reading = context;
    const struct log_archive_entry entry = { message->offset, message->size, message->modified_ms };

    if (message->kind == STORAGE_ENTRY)
        log_archive_note(reading->stored->archive, message->text, &entry);
    else if (reading->name == NULL)
        reading->stored->uid = message->uid;
}

/* Reads the file NAME; NULL: looks for the directory. Storage that has not answered is not read again. */
static int read_from(struct stored_logs *stored, const char *name, struct err *err)
{
    struct reading reading = { .stored = stored, .name = name, .fd = -1 };
    int r = storage_child_run(read_storage, receive, &reading, stored->timeout_ms, err);

    if (r == -ETIMEDOUT) {
        err_prefix(err, "%s", stored->dir);
        err->code = EIO; /* no time limit of the user has passed */
        r = -EIO;
        stored->is_open = false;
        stored->error = *err;
    }
    return r;
}

struct stored_logs *stored_logs_open(const struct conf *conf, const char *user, const char *app_id,
                                     int64_t timeout_ms)
{
    struct stored_logs *stored;
    const struct passwd *account;
    struct log_storage storage;
    int r;

    if (conf == NULL || log_storage_read(conf, &storage, NULL) < 0 || storage.dir == NULL)
        return NULL;
    account = getpwnam(user);
    stored = mem_new0(struct stored_logs);
    stored->dir = mem_strdup(storage.dir);
    stored->user = mem_strdup(user);
    stored->suffix = mem_strdup(storage.suffix);
    stored->app_id = mem_strdup(app_id);
    stored->path = log_storage_app(&storage, user, app_id);
    stored->knows_account = account != NULL;
    stored->uid = account != NULL ? account->pw_uid : 0;
    stored->timeout_ms = timeout_ms;
    log_storage_clear(&storage);
    r = strchr(user, '/') != NULL || *user == '.' ? -ENOENT : read_from(stored, NULL, &stored->error);
    stored->is_open = r == 0;
    if (r != -ENOENT)
        return stored;
    stored_logs_close(stored);
    return NULL;
}

void stored_logs_close(struct stored_logs *stored)
{
    struct node *node, *next;

    if (stored == NULL)
        return;
    HASH_ITER(hh, stored->nodes, node, next) {
        HASH_DEL(stored->nodes, node);
        free(node->id);
        free(node);
    }
    log_archive_free(stored->archive);
    free(stored->dir);
    free(stored->user);
    free(stored->suffix);
    free(stored->app_id);
    free(stored->only);
    free(stored->path);
    free(stored);
}

void stored_logs_limit(struct stored_logs *stored, const char *container_id)
{
    if (stored == NULL)
        return;
    free(stored->only);
    stored->only = mem_strdup(container_id);
}

/* --- files ---------------------------------------------------------------------- */

/* Reads the file of NODE_ID, once. */
static int use_node(struct stored_logs *stored, const char *node_id, struct err *err)
{
    scoped_free char *name = log_storage_file(node_id);
    struct node *node;

    HASH_FIND_STR(stored->nodes, node_id, node);
    if (node != NULL) {
        *err = stored->error;
        return node->result;
    }
    node = mem_new0(struct node);
    node->id = mem_strdup(node_id);
    node->result = stored->archive ? 0 : log_archive_new(&stored->archive, err);
    if (node->result == 0)
        node->result = read_from(stored, name, err);
    HASH_ADD_KEYPTR(hh, stored->nodes, node->id, strlen(node->id), node);
    stored->error = *err;
    return node->result;
}

int stored_logs_find(struct stored_logs *stored, const struct creel_container *container, const char *file,
                     struct creel_log **ret, struct err *err)
{
    const struct log_archive_entry *entry;
    int fd, r;

    if (stored == NULL)
        return 0;
    if (!stored->is_open) {
        *err = stored->error;
        return -err->code;
    }
    r = use_node(stored, container->node_id, err);
    entry = stored->archive ? log_archive_find(stored->archive, container->id, file) : NULL;
    if (entry == NULL)
        return r;
    fd = fcntl(log_archive_fd(stored->archive), F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return err_set_errno(err, errno, "%s", stored->path);
    *ret = log_of_file(fd, entry->offset, entry->size, entry->modified_ms);
    return 1;
}
