/* SPDX-License-Identifier: Apache-2.0 */
/* port_owner.c - finds the process that listens on a TCP port of this machine */
#include "common/io/server/port_owner.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STATE_LISTEN 0x0a
#define PID_MAX 12 /* bytes of a process id as text */

static bool find_inode(const char *table, int port, unsigned long *inode)
{
    FILE *file = fopen(table, "re");
    char line[512];
    bool found = false;

    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof(line), file) != NULL) {
        unsigned local_port, state;

        found = sscanf(line, " %*[0-9]: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x %*s %*s %*s %*s %*s %lu", &local_port,
                       &state, inode) == 3 &&
                local_port == (unsigned)port && state == STATE_LISTEN;
    }
    fclose(file);
    return found;
}

static bool holds_socket(const char *pid, const char *link_wanted)
{
    char path[300], target[64];
    const struct dirent *entry;
    bool found = false;
    DIR *folder;

    snprintf(path, sizeof(path), "/proc/%s/fd", pid);
    folder = opendir(path);
    if (folder == NULL)
        return false;
    while (!found && (entry = readdir(folder)) != NULL) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);

        if (length > 0) {
            target[length] = '\0';
            found = strcmp(target, link_wanted) == 0;
        }
    }
    closedir(folder);
    return found;
}

/* Sets PARENT to the id of the process that started PID; false: it is not known. */
static bool find_parent(const char *pid, char parent[PID_MAX])
{
    char path[300], line[128];
    bool found = false;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%s/status", pid);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof(line), file) != NULL)
        found = sscanf(line, "PPid: %11[0-9]", parent) == 1;
    fclose(file);
    return found;
}

/* A daemon shares the sockets on which it listens with its gateways. Their ids may be smaller than its own,
 * since ids begin again after the largest one. Changes PID from a gateway to the daemon. */
static void find_daemon(char pid[PID_MAX], const char *link_wanted)
{
    char parent[PID_MAX];

    while (find_parent(pid, parent) && holds_socket(parent, link_wanted))
        memcpy(pid, parent, PID_MAX);
}

static void describe(const char *pid, char *text, size_t size)
{
    char path[300], name[64] = "unknown";
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%s/comm", pid);
    file = fopen(path, "re");
    if (file != NULL) {
        if (fgets(name, sizeof(name), file) != NULL)
            name[strcspn(name, "\n")] = '\0';
        fclose(file);
    }
    snprintf(text, size, "%s, process %s", name, pid);
}

bool port_owner_find(int port, char *text, size_t size)
{
    const struct dirent *entry;
    char wanted[64], pid[PID_MAX];
    unsigned long inode;
    bool found = false;
    DIR *folder;

    if (!find_inode("/proc/net/tcp", port, &inode) && !find_inode("/proc/net/tcp6", port, &inode))
        return false;
    snprintf(wanted, sizeof(wanted), "socket:[%lu]", inode);
    folder = opendir("/proc");
    if (folder == NULL)
        return false;
    while (!found && (entry = readdir(folder)) != NULL) {
        if (!isdigit((unsigned char)entry->d_name[0]) || !holds_socket(entry->d_name, wanted))
            continue;
        snprintf(pid, sizeof(pid), "%.*s", PID_MAX - 1, entry->d_name);
        find_daemon(pid, wanted);
        describe(pid, text, size);
        found = true;
    }
    closedir(folder);
    return found;
}
