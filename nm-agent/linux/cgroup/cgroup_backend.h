/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_backend.h - makes the instance's groups of cgroup v1, and sets the limit of all containers
 *
 * One backend uses libcgroup, which follows the system's configuration of groups; the other one uses the
 * kernel's files alone, in a build without libcgroup (configure --without-libcgroup).
 */
#ifndef CREEL_NM_CGROUP_BACKEND_H
#define CREEL_NM_CGROUP_BACKEND_H

#include "common/base/err.h"

struct cgroup_backend {
    const char *name;
    /* Prepares the backend. Returns 0, or -EIO with the reason in ERR if the backend cannot be used. May be
     * called again. */
    int (*open)(struct err *err);
    /* Makes the group RELATIVE of CONTROLLER, which is mounted at MOUNT, with all its parents. Existing
     * groups stay. Returns 0 or -errno. */
    int (*make)(const char *mount, const char *controller, const char *relative);
    /* Writes VALUE into FILE ("cpu.max") of the group RELATIVE of CONTROLLER, whose directory is DIRECTORY.
     * Returns 0 or -errno; -ENOENT: there is no such file. */
    int (*set)(const char *directory, const char *controller, const char *relative, const char *file,
               const char *value);
};

/* Writes the files itself. Declared for tests. */
extern const struct cgroup_backend cgroup_backend_files;
/* Only in a build with libcgroup (HAVE_LIBCGROUP of config.h). */
extern const struct cgroup_backend cgroup_backend_library;

/* Returns libcgroup's backend, or that of the files in a build without it. */
const struct cgroup_backend *cgroup_backend_usual(void);

#endif
