/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_library.c - makes groups with libcgroup; only in a build that has it */
#include <errno.h>
#include <libcgroup.h>
#include <stdarg.h>

#include "nm-agent/linux/cgroup/cgroup_backend.h"
#include "nm-agent/linux/parts/rss.h"

static void drop_log(void *context, int level, const char *format, va_list args)
{
    (void)context;
    (void)level;
    (void)format;
    (void)args;
}

static int library_open(struct err *err)
{
    int code;

    /* Errors are returned; libcgroup must not print them, too. */
    cgroup_set_logger(drop_log, CGROUP_LOG_ERROR, NULL);
    code = cgroup_init();
    if (code != 0)
        return err_set(err, EIO, "libcgroup cannot be used: %s", cgroup_strerror(code));
    rss_trim_zeros("libcgroup.so"); /* a zeroed table of 100 paths: 800 KiB */
    return 0;
}

/* Converts an error of libcgroup to -errno. */
static int result_of(int code)
{
    int error = code == ECGOTHER ? cgroup_get_last_errno() : 0;

    if (code == 0)
        return 0;
    return code == ECGROUPVALUENOTEXIST ? -ENOENT : error > 0 ? -error : -EIO;
}

static int library_make(const char *mount, const char *controller, const char *relative)
{
    struct cgroup *group = cgroup_new_cgroup(relative);
    int code = group != NULL && cgroup_add_controller(group, controller) != NULL ? 0 : ECGFAIL;

    (void)mount;
    if (code == 0)
        code = cgroup_create_cgroup(group, 1);
    if (group != NULL)
        cgroup_free(&group);
    return result_of(code);
}

static int library_set(const char *directory, const char *controller, const char *relative, const char *file,
                       const char *value)
{
    struct cgroup *group = cgroup_new_cgroup(relative);
    struct cgroup_controller *values = group ? cgroup_add_controller(group, controller) : NULL;
    int code = values == NULL ? ECGFAIL : cgroup_add_value_string(values, file, value);

    (void)directory;
    if (code == 0)
        code = cgroup_modify_cgroup(group);
    if (group != NULL)
        cgroup_free(&group);
    return result_of(code);
}

const struct cgroup_backend cgroup_backend_library = {
    .name = "libcgroup",
    .open = library_open,
    .make = library_make,
    .set = library_set,
};
