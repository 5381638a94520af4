/* SPDX-License-Identifier: Apache-2.0 */
/* key_file.c - reads and writes one CURVE certificate file, in the format of czmq's zcert */
#include "common/io/keys/key_file.h"
#include "common/io/keys/z85.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sodium.h>

#include "common/base/file.h"
#include "common/base/mem.h"

#define FILE_BYTES_MAX 65536

static int open_certificate(int directory_fd, const char *file, bool secret, struct err *err)
{
    scoped_fd int fd = file_open(directory_fd, file, O_RDONLY, 0, NULL);
    struct stat st;

    if (fd == -ENOENT)
        return err_set(
            err, ENOENT,
            "certificate %s is missing: make it with creel keygen (on a new host creel setup does that), "
            "or copy it from the host where that was run",
            file);
    if (fd == -EACCES && !secret)
        return err_set(
            err, EACCES,
            "certificate %s: cannot read it: Permission denied: all users may read the public half "
            "(mode 0644), and its directories (0755)",
            file);
    if (fd == -EINVAL || fd == -EISDIR)
        return err_set(err, EINVAL, "certificate %s: not a certificate file", file);
    if (fd < 0)
        return err_set_errno(err, -fd, "certificate %s: cannot read it", file);
    if (fstat(fd, &st) < 0)
        return err_set_errno(err, errno, "certificate %s: cannot read it", file);
    if (st.st_size > FILE_BYTES_MAX)
        return err_set(err, EINVAL, "certificate %s: not a certificate file", file);
    if (secret && (st.st_mode & 077) != 0)
        return err_set(err, EPERM,
                       "certificate %s: a secret that group or others can read (mode "
                       "%04o): chmod 600 it, and make a new one if it may have been read",
                       file, (unsigned)(st.st_mode & 07777));
    return fd_take(&fd);
}

int key_file_explain_missing_rm(const char *file, struct err *err)
{
    scoped_free char *secret_file = mem_printf("%s%s", file, KEY_FILE_SECRET_SUFFIX);

    if (access(secret_file, F_OK) == 0)
        return err_set(err, ENOENT,
                       "certificate %s is missing, but its secret half %s exists: run creel keygen cluster, "
                       "which makes the public half again; the key remains the same",
                       file, secret_file);
    return err_set(
        err, ENOENT,
        "certificate %s is missing: copy it from another host of the cluster (on a new host creel setup does "
        "that); if the resource manager has lost both halves, bring them back: creel admin state restore "
        "FILE, an archive of creel admin state backup --all; creel keygen cluster makes a new pair, which "
        "agents and users do not know",
        file);
}

/* Copies the value if LINE is `NAME = "..."`, and returns true. */
static bool parse_value(const char *line, const char *name, char value[KEY_TEXT])
{
    const char *at = line + strspn(line, " \t");
    size_t length = strlen(name);

    if (strncmp(at, name, length) != 0)
        return false;
    at += length;
    at += strspn(at, " \t");
    if (*at++ != '=')
        return false;
    at += strspn(at, " \t");
    if (*at++ != '"' || strcspn(at, "\"\n") != KEY_TEXT - 1 || at[KEY_TEXT - 1] != '"')
        return false;
    memcpy(value, at, KEY_TEXT - 1);
    value[KEY_TEXT - 1] = '\0';
    return true;
}

static bool is_key(const char *text)
{
    uint8_t bytes[32];

    return z85_decode(text, bytes, sizeof(bytes));
}

/* Returns true if the two keys of KEY, both in Z85, are a pair. */
static bool is_pair(const struct key *key)
{
    uint8_t public_bytes[crypto_box_PUBLICKEYBYTES], secret_bytes[crypto_box_SECRETKEYBYTES];
    char derived[KEY_TEXT];
    bool derivable = z85_decode(key->secret_text, secret_bytes, sizeof(secret_bytes)) &&
                     crypto_scalarmult_base(public_bytes, secret_bytes) == 0;

    sodium_memzero(secret_bytes, sizeof(secret_bytes));
    if (!derivable)
        return false;
    z85_encode(public_bytes, sizeof(public_bytes), derived);
    return strcmp(derived, key->public_text) == 0;
}

int key_file_judge(const char *file, bool secret, const struct key *key, struct err *err)
{
    if (!is_key(key->public_text))
        return err_set(err, EINVAL, "certificate %s: no public-key of 40 characters in it", file);
    if (!secret)
        return 0;
    if (!is_key(key->secret_text))
        return err_set(err, EINVAL, "certificate %s: no secret-key of 40 characters in it", file);
    if (!is_pair(key))
        return err_set(err, EINVAL,
                       "certificate %s: its secret and public keys do not belong "
                       "together",
                       file);
    return 0;
}

int key_file_read(int directory_fd, const char *file, bool secret, struct key *key, struct err *err)
{
    scoped_fd int fd = open_certificate(directory_fd, file, secret, err);
    scoped_free char *text = NULL;
    struct key found = { "", "" };
    int rc;

    if (fd < 0)
        return fd;
    rc = file_read(fd, FILE_BYTES_MAX, &text, NULL);
    if (rc < 0)
        return err_set_errno(err, -rc, "certificate %s: cannot read it", file);
    for (const char *line = text; *line != '\0';) {
        parse_value(line, "public-key", found.public_text);
        if (secret)
            parse_value(line, "secret-key", found.secret_text);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    rc = key_file_judge(file, secret, &found, err);
    if (rc == 0)
        *key = found;
    return rc;
}

int key_file_write(const char *file, bool secret, const struct key *key, const char *name, struct err *err)
{
    scoped_free char *draft = mem_printf("%s.%ld.new", file, (long)getpid());
    scoped_free char *text =
        mem_printf("#   creel: %s half of a CURVE certificate, in the format of czmq's zcert\n"
                   "metadata\n    name = \"%s\"\n"
                   "curve\n    public-key = \"%s\"\n%s%s%s",
                   secret ? "SECRET" : "public", name, key->public_text, secret ? "    secret-key = \"" : "",
                   secret ? key->secret_text : "", secret ? "\"\n" : "");
    scoped_fd int fd = -1;
    int rc;

    /* A draft file with this process's pid is left from a crash of an earlier process. */
    if (unlink(draft) < 0 && errno != ENOENT)
        return err_set_errno(err, errno, "certificate %s: cannot write it", file);
    fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_set_errno(err, errno, "certificate %s: cannot write it", file);
    rc = file_write(fd, text, strlen(text));
    if (rc == 0 && fsync(fd) < 0)
        rc = -errno;
    if (rc == 0 && fchmod(fd, secret ? 0600 : 0644) < 0)
        rc = -errno;
    /* link, unlike rename, does not replace an existing file. */
    if (rc == 0 && link(draft, file) < 0)
        rc = -errno;
    unlink(draft);
    if (rc == 0)
        rc = file_sync_directory(AT_FDCWD, file);
    if (rc == -EEXIST)
        return err_set(err, EEXIST, "certificate %s exists already: delete it to make a new one", file);
    return rc < 0 ? err_set_errno(err, -rc, "certificate %s: cannot write it", file) : 0;
}
