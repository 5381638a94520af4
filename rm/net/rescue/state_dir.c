/* SPDX-License-Identifier: Apache-2.0 */
/* state_dir.c - the state directory of the resource manager, and its file of ports */
#include "rm/net/rescue/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"

static int fail_make(const char *path, int code, struct err *err)
{
    return err_set_errno(err, code,
                         "%s: cannot make the state directory; let an administrator make it, or "
                         "set creel.resourcemanager.state-dir to another one",
                         path);
}

int state_dir_make(const char *directory, struct err *err)
{
    scoped_free char *path = mem_strdup(directory);
    struct stat status;

    if (directory[0] != '/')
        return err_set(err, EINVAL, "creel.resourcemanager.state-dir: \"%s\": has to begin at /", directory);
    for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(path, 0755) < 0 && errno != EEXIST)
            return fail_make(path, errno, err);
        *at = '/';
    }
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return fail_make(path, errno, err);
    if (stat(path, &status) < 0)
        return fail_make(path, errno, err);
    if (!S_ISDIR(status.st_mode))
        return fail_make(path, ENOTDIR, err);
    /* Restricts the mode, since the directory contains environment variables of jobs and the keys of
     * tokens. */
    if ((status.st_mode & 077) != 0 && chmod(path, 0700) < 0)
        return err_set_errno(err, errno,
                             "%s: others can read the state directory (mode %04o), and "
                             "it cannot be closed to them: chown it to the user of the resource "
                             "manager",
                             path, (unsigned)(status.st_mode & 07777));
    return 0;
}

int state_dir_write_ports(const char *directory, const int ports[RM_CHANNELS], struct err *err)
{
    scoped_free char *file = mem_printf("%s/ports", directory);
    scoped_free char *text =
        mem_printf("{\"client\": %d, \"am\": %d, \"agent\": %d, \"admin\": %d}\n", ports[MASTER_CLIENT],
                   ports[MASTER_AM], ports[MASTER_AGENT], ports[MASTER_ADMIN]);
    int r = file_replace(AT_FDCWD, file,
                         &(struct file_content){ .data = text, .size = strlen(text), .mode = 0644 });

    return r < 0 ? file_explain_replace(file, r, err) : 0;
}

void state_dir_remove_ports(const char *directory)
{
    scoped_free char *file = mem_printf("%s/ports", directory);

    (void)unlink(file);
}
