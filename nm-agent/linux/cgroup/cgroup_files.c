/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_files.c - makes groups by the kernel's files alone */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup_backend.h"
#include "nm-agent/linux/cgroup/cgroup_leaf.h"

static int files_open(struct err *err)
{
    (void)err;
    return 0;
}

static int files_make(const char *mount, const char *controller, const char *relative)
{
    scoped_free char *path = mem_printf("%s/%s/", mount, relative);

    (void)controller;
    for (char *slash = strchr(path + strlen(mount) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return 0;
}

static int files_set(const char *directory, const char *controller, const char *relative, const char *file,
                     const char *value)
{
    (void)controller;
    (void)relative;
    return leaf_write(directory, file, value);
}

const struct cgroup_backend cgroup_backend_files = {
    .name = "files",
    .open = files_open,
    .make = files_make,
    .set = files_set,
};

const struct cgroup_backend *cgroup_backend_usual(void)
{
#ifdef HAVE_LIBCGROUP
    return &cgroup_backend_library;
#else
    return &cgroup_backend_files;
#endif
}
