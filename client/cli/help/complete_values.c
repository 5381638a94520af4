/* SPDX-License-Identifier: Apache-2.0 */
/* complete_values.c - lists names from the resource manager for completion, cached in a file */
#include "client/cli/help/complete_values.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "client/include/creel-admin.h"
#include "common/base/file.h"
#include "common/base/mem.h"

#define CACHE_SIZE_MAX (1024 * 1024)

/* --- requests -------------------------------------------------------------------- */

static int put_apps(struct creel_client *client, const struct complete_place *place, FILE *out)
{
    static const struct creel_app_filter all = { .no_long_commands = true };
    struct creel_apps *apps = NULL;
    struct creel_error error;
    int r = creel_app_list(client, &all, &apps, &error);

    (void)place;
    /* The newest first. */
    for (size_t i = r < 0 ? 0 : apps->count; i-- > 0;)
        fprintf(out, "%s\t%s %s %s\n", apps->items[i].id, apps->items[i].name, apps->items[i].user,
                creel_app_state_name(apps->items[i].state));
    creel_apps_free(apps);
    return r;
}

static void put_container_rows(const struct creel_containers *containers, FILE *out)
{
    for (size_t i = 0; i < containers->count; i++) {
        const struct creel_container *item = &containers->items[i];

        fprintf(out, "%s\t%s %s %s\n", item->id, item->title, item->node_id,
                creel_container_state_name(item->state));
    }
}

/* Lists the containers of PLACE's application; without an application, of all nodes. */
static int put_containers(struct creel_client *client, const struct complete_place *place, FILE *out)
{
    struct creel_containers *containers = NULL;
    struct creel_nodes *nodes = NULL;
    struct creel_apps *apps = NULL;
    struct creel_error error;
    int r;

    if (place->app) {
        r = creel_app_get(client, place->app, &apps, &error);
        if (r >= 0)
            r = creel_container_list(client, apps->items[0].id, NULL, NULL, false, &containers, &error);
        if (r >= 0)
            put_container_rows(containers, out);
        creel_containers_free(containers);
        creel_apps_free(apps);
        return r;
    }
    r = creel_node_list(client, NULL, &nodes, &error);
    for (size_t i = 0; r >= 0 && i < nodes->count; i++) {
        if (nodes->items[i].containers == 0)
            continue;
        r = creel_container_list(client, NULL, nodes->items[i].id, NULL, true, &containers, &error);
        if (r >= 0)
            put_container_rows(containers, out);
        creel_containers_free(containers);
        containers = NULL;
    }
    creel_nodes_free(nodes);
    return r;
}

static int put_nodes(struct creel_client *client, const struct complete_place *place, FILE *out)
{
    struct creel_nodes *nodes = NULL;
    struct creel_error error;
    int r = creel_node_list(client, NULL, &nodes, &error);

    (void)place;
    for (size_t i = 0; r >= 0 && i < nodes->count; i++)
        fprintf(out, "%s\t%s\n", nodes->items[i].id, creel_node_state_name(nodes->items[i].state));
    creel_nodes_free(nodes);
    return r;
}

static int put_labels(struct creel_client *client, const struct complete_place *place, FILE *out)
{
    struct creel_labels *labels = NULL;
    struct creel_error error;
    int r = creel_label_list(client, &labels, &error);

    (void)place;
    for (size_t i = 0; r >= 0 && i < labels->count; i++) {
        if (*labels->items[i].name)
            fprintf(out, "%s\t%u nodes\n", labels->items[i].name, labels->items[i].nodes);
    }
    creel_labels_free(labels);
    return r;
}

static int put_queues(struct creel_client *client, const struct complete_place *place, FILE *out)
{
    struct creel_queues *queues = NULL;
    struct creel_error error;
    int r = creel_queue_list(client, NULL, &queues, &error);

    (void)place;
    for (size_t i = 0; r >= 0 && i < queues->count; i++)
        fprintf(out, "%s\t%s\n", queues->items[i].path, queues->items[i].state);
    creel_queues_free(queues);
    return r;
}

static int (*const put[])(struct creel_client *, const struct complete_place *, FILE *) = {
    [COMPLETE_APP] = put_apps,     [COMPLETE_CONTAINER] = put_containers, [COMPLETE_NODE] = put_nodes,
    [COMPLETE_LABEL] = put_labels, [COMPLETE_QUEUE] = put_queues,
};

/* --- the file ---------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text) /* FNV-1a, the end of the text as well */
{
    for (const char *at = text ? text : "";; at++) {
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
        if (!*at)
            return hash;
    }
}

/* Returns the path of the cache file for this kind, cluster and user; NULL: no XDG_RUNTIME_DIR. */
static char *cache_path(struct cli *cli, const struct complete_place *place)
{
    const char *directory = getenv("XDG_RUNTIME_DIR");
    uint64_t hash = 14695981039346656037u;

    if (!directory || *directory != '/')
        return NULL;
    hash = hash_text(hash, cli->rm_address);
    hash = hash_text(hash, cli_conf_dir(cli));
    hash = hash_text(hash, cli->as_user);
    hash = hash_text(hash, place->kind == COMPLETE_CONTAINER ? place->app : NULL);
    return mem_printf("%s/creel-complete-%d-%016llx", directory, (int)place->kind, (unsigned long long)hash);
}

static char *cache_read(const char *path)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    char *text = NULL;
    struct stat status;

    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        status.st_size > CACHE_SIZE_MAX || status.st_mtime > time(NULL) ||
        time(NULL) - status.st_mtime > COMPLETE_CACHE_SECONDS)
        return NULL;
    (void)file_read(fd, CACHE_SIZE_MAX, &text, NULL);
    return text;
}

static void cache_write(const char *path, const char *text)
{
    scoped_free char *temporary = mem_printf("%s.%d", path, (int)getpid());
    size_t size = strlen(text);

    if (size <= CACHE_SIZE_MAX)
        (void)file_replace(
            AT_FDCWD, path,
            &(struct file_content){ .data = text, .size = size, .mode = 0600, .temporary = temporary });
}

char *complete_values(struct cli *cli, const struct complete_place *place)
{
    scoped_free char *path = cache_path(cli, place);
    char *text = path ? cache_read(path) : NULL;
    struct creel_client *client;
    size_t size = 0;
    FILE *out;
    int code, r;

    if (text)
        return text;
    client = cli_client(cli, &code);
    if (!client)
        return NULL;
    out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    r = put[place->kind](client, place, out);
    if (fclose(out) != 0 || r < 0) {
        free(text);
        return NULL;
    }
    if (path)
        cache_write(path, text);
    return text;
}
