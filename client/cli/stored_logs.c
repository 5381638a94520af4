/* SPDX-License-Identifier: Apache-2.0 */
/* stored_logs.c - finds logs of ended applications on shared storage */
#include "client/cli/stored_logs.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef HASH_FUNCTION
#define HASH_FUNCTION HASH_OAT /* the default one has fall-through cases without a mark */
#endif
#include <uthash.h>

#include "client/cli/log_archive.h"
#include "client/libcreel/client.h"
#include "common/base/mem.h"
#include "common/conf/log_storage.h"

struct node {   /* a node whose file was looked for */
    char *id;   /* owned */
    int result; /* 0, or -errno of reading its file */
    UT_hash_handle hh;
};

struct stored_logs {
    char *path;       /* of the directory of the application */
    int fd;           /* the same; -1: it cannot be opened, because of ERROR */
    struct err error; /* the last one */
    uid_t uid;        /* owner of the files */
    char *only;       /* container whose logs are needed; NULL: all */
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

/* Opens DIR/USER/SUFFIX/APP. All of them below DIR must belong to the user, if USER has an account here. */
static int open_app(struct stored_logs *stored, const struct log_storage *storage, const char *user,
                    const char *app_id)
{
    const struct passwd *account = getpwnam(user);
    struct stat status;
    int fd = open(storage->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

    if (fd < 0)
        return err_set_errno(&stored->error, errno, "%s", storage->dir);
    r = descend(&fd, user, account ? &account->pw_uid : NULL, &stored->error);
    if (r == 0 && fstat(fd, &status) == 0) {
        stored->uid = status.st_uid;
        r = descend(&fd, storage->suffix, &stored->uid, &stored->error);
    }
    if (r == 0)
        r = descend(&fd, app_id, &stored->uid, &stored->error);
    if (r < 0) {
        err_prefix(&stored->error, "%s", stored->path);
        mem_close_fd(&fd);
        return r;
    }
    stored->fd = fd;
    return 0;
}

struct stored_logs *stored_logs_open(const struct conf *conf, const char *user, const char *app_id)
{
    struct stored_logs *stored;
    struct log_storage storage;

    if (conf == NULL || log_storage_read(conf, &storage, NULL) < 0 || storage.dir == NULL)
        return NULL;
    stored = mem_new0(struct stored_logs);
    stored->fd = -1;
    stored->path = log_storage_app(&storage, user, app_id);
    if (strchr(user, '/') != NULL || *user == '.' || open_app(stored, &storage, user, app_id) == -ENOENT) {
        stored_logs_close(stored);
        stored = NULL;
    }
    log_storage_clear(&storage);
    return stored;
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
    mem_close_fd(&stored->fd);
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

static int read_file(struct stored_logs *stored, const char *name, struct err *err)
{
    scoped_fd int fd = openat(stored->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    int r;

    if (fd < 0 && errno == ENOENT)
        return 0; /* not written yet, or no longer kept */
    if (fd < 0 || fstat(fd, &status) != 0)
        return err_set_errno(err, errno, "%s/%s", stored->path, name);
    if (!S_ISREG(status.st_mode) || status.st_uid != stored->uid)
        return err_set(err, EPERM, "%s/%s is no file of its user", stored->path, name);
    r = stored->archive ? 0 : log_archive_new(&stored->archive, err);
    if (r == 0 && (r = log_archive_add(stored->archive, fd, stored->only, err)) < 0)
        err_prefix(err, "%s/%s", stored->path, name);
    return r;
}

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
    node->result = read_file(stored, name, err);
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
    if (stored->fd < 0) {
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
