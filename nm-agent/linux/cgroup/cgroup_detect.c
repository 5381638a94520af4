/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_detect.c - finds the cgroup version and the mount of each controller on this machine */
#include "nm-agent/linux/cgroup/cgroup_detect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "nm-agent/linux/parts/record.h"

struct mount {
    char root[PATH_MAX], point[PATH_MAX];
    char options[1024], type[64], super_options[1024];
};

/* Returns true if NAME is an item of LIST, whose items are separated by SEPARATOR. */
static bool list_has(const char *list, const char *name, char separator)
{
    size_t length = strlen(name);

    for (const char *at = list; *at && *at != '\n';) {
        const char *stop = at + strcspn(at, (const char[]){ separator, '\n', '\0' });

        if ((size_t)(stop - at) == length && strncmp(at, name, length) == 0)
            return true;
        at = *stop == separator ? stop + 1 : stop;
    }
    return false;
}

/* Decodes \040 and similar escapes, which the kernel writes for blanks and backslashes of a path. */
static void unescape(char *text)
{
    char *to = text;

    for (char *from = text; *from;) {
        unsigned value;

        if (from[0] == '\\' && sscanf(from + 1, "%3o", &value) == 1 && strlen(from) >= 4) {
            *to++ = (char)value;
            from += 4;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

/* Copies the next blank-separated field of the line at *AT; returns false at the end of the line or if the
 * field is too long. */
static bool next_field(const char **at, char *field, size_t room)
{
    size_t length;

    while (**at == ' ')
        (*at)++;
    length = strcspn(*at, " \n");
    if (length == 0 || length >= room)
        return false;
    memcpy(field, *at, length);
    field[length] = '\0';
    *at += length;
    return true;
}

/* Parses "36 35 98:0 /root /point options [optional...] - type source super". */
static bool parse_mount(const char *line, struct mount *mount)
{
    char skipped[PATH_MAX];

    for (int i = 0; i < 3; i++)
        if (!next_field(&line, skipped, sizeof(skipped)))
            return false;
    if (!next_field(&line, mount->root, sizeof(mount->root)) ||
        !next_field(&line, mount->point, sizeof(mount->point)) ||
        !next_field(&line, mount->options, sizeof(mount->options)))
        return false;
    do {
        if (!next_field(&line, skipped, sizeof(skipped)))
            return false;
    } while (strcmp(skipped, "-") != 0);
    if (!next_field(&line, mount->type, sizeof(mount->type)) ||
        !next_field(&line, skipped, sizeof(skipped)) ||
        !next_field(&line, mount->super_options, sizeof(mount->super_options)))
        return false;
    unescape(mount->root);
    unescape(mount->point);
    return true;
}

static const char *next_line(const char *text)
{
    const char *stop = strchr(text, '\n');

    return stop ? stop + 1 : text + strlen(text);
}

/* Finds the first mount of TYPE (with OPTION among its own options, unless NULL), preferring a writable mount
 * to a read-only one. */
static bool find_mount(const char *mountinfo, const char *type, const char *option, struct mount *found)
{
    struct mount mount;
    bool any = false;

    for (const char *line = mountinfo; *line; line = next_line(line)) {
        bool writable;

        if (!parse_mount(line, &mount) || strcmp(mount.type, type) != 0 ||
            (option && !list_has(mount.super_options, option, ',')))
            continue;
        writable = list_has(mount.options, "rw", ',');
        if (any && !writable)
            continue;
        if (!any || !list_has(found->options, "rw", ','))
            *found = mount;
        any = true;
    }
    return any;
}

/* Stores the mount point of cgroup2, for reading its cgroup.controllers; returns false if it is not
 * mounted. */
static bool detect_unified(const char *mountinfo, char mount[PATH_MAX])
{
    struct mount found;

    mount[0] = '\0';
    if (!find_mount(mountinfo, "cgroup2", NULL, &found))
        return false;
    memcpy(mount, found.point, sizeof(found.point));
    return true;
}

/* Finds the process's path in the v1 hierarchy of NAME (line "4:memory,x:/a/b"), or in that of v2 (NAME is
 * NULL, line "0::/a/b"); "/" if there is none. */
static void own_path(const char *self_cgroup, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "/");
    for (const char *line = self_cgroup; *line; line = next_line(line)) {
        const char *list = strchr(line, ':'), *colon = list ? strchr(list + 1, ':') : NULL;
        char names[256];
        size_t length;

        if (colon == NULL || (size_t)(colon - list) > sizeof(names))
            continue;
        memcpy(names, list + 1, (size_t)(colon - list - 1));
        names[colon - list - 1] = '\0';
        length = strcspn(colon + 1, "\n");
        if (!(name != NULL ? list_has(names, name, ',') : names[0] == '\0') || length >= PATH_MAX)
            continue;
        memcpy(path, colon + 1, length);
        path[length] = '\0';
        return;
    }
}

/* Computes the path below a mount, for PATH of the hierarchy and a mount whose root is ROOT. */
static void below_mount(const char *path, const char *root, char own[PATH_MAX])
{
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);

    own[0] = '\0';
    if (strstr(path, "/..") != NULL) /* outside this process's cgroup namespace */
        return;
    if (strncmp(path, root, length) != 0 || (path[length] != '/' && path[length] != '\0'))
        return;
    if (strcmp(path + length, "/") != 0)
        snprintf(own, PATH_MAX, "%s", path + length);
}

bool detect_own(const char *mountinfo, const char *self_cgroup, const char *name, char mount[PATH_MAX],
                char own[PATH_MAX])
{
    char path[PATH_MAX];
    struct mount found;

    if (!find_mount(mountinfo, name != NULL ? "cgroup" : "cgroup2", name, &found))
        return false;
    memcpy(mount, found.point, sizeof(found.point));
    own_path(self_cgroup, name, path);
    below_mount(path, found.root, own);
    return true;
}

static void detect_one(const char *mountinfo, const char *self_cgroup, const char *controllers,
                       const char *name, struct detect_controller *found)
{
    char path[PATH_MAX];
    struct mount mount;

    if (find_mount(mountinfo, "cgroup", name, &mount)) {
        found->version = 1;
        own_path(self_cgroup, name, path);
        below_mount(path, mount.root, found->own);
    } else if (list_has(controllers, name, ' ') && find_mount(mountinfo, "cgroup2", NULL, &mount)) {
        found->version = 2;
    } else {
        return;
    }
    memcpy(found->mount, mount.point, sizeof(mount.point));
    found->read_only = !list_has(mount.options, "rw", ',') || !list_has(mount.super_options, "rw", ',');
}

int detect_parse(const char *mountinfo, const char *self_cgroup, const char *controllers,
                 struct detect *detect, struct err *err)
{
    memset(detect, 0, sizeof(*detect));
    detect_unified(mountinfo, detect->unified_mount);
    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        const char *name = leaf_controller_name((enum leaf_controller)i);

        detect_one(mountinfo, self_cgroup, controllers, name, &detect->controller[i]);
        if (detect->controller[i].version == 0 && i != LEAF_CPUACCT)
            return err_set(err, ENOENT,
                           "cgroup controller %s: neither mounted as v1 nor listed "
                           "in cgroup.controllers of v2%s%s; enable it in the kernel's command "
                           "line (cgroup_enable=%s), or let the outer container delegate it",
                           name, detect->unified_mount[0] ? " at " : "", detect->unified_mount, name);
    }
    /* On v2 the cpu controller also records the CPU time. */
    if (detect->controller[LEAF_CPU].version == 2)
        detect->controller[LEAF_CPUACCT].version = 0;
    return 0;
}

int detect_here(struct detect *detect, struct err *err)
{
    scoped_free char *mountinfo = NULL, *self_cgroup = NULL, *controllers = NULL;
    char mount[PATH_MAX];
    int result;

    result = record_read(AT_FDCWD, "/proc/self/mountinfo", &mountinfo, NULL, err);
    if (result == 0)
        result = record_read(AT_FDCWD, "/proc/self/cgroup", &self_cgroup, NULL, err);
    if (result != 0)
        return result;
    if (detect_unified(mountinfo, mount)) {
        scoped_free char *path = mem_printf("%s/cgroup.controllers", mount);

        result = record_read(AT_FDCWD, path, &controllers, NULL, err);
        if (result != 0)
            return result;
    }
    return detect_parse(mountinfo, self_cgroup, controllers ? controllers : "", detect, err);
}

const char *detect_mode(const struct detect *detect)
{
    bool has[3] = { false };

    for (int i = 0; i < LEAF_CPUACCT; i++)
        has[detect->controller[i].version] = true;
    if (!has[2])
        return detect->unified_mount[0] ? "hybrid" : "v1";
    return has[1] ? "hybrid" : "v2";
}
