/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_resize.c - creel container resize */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "client/cli/commands.h"
#include "client/cli/frame/amounts.h"
#include "client/cli/show/show_app.h"
#include "client/cli/submit/submit_options.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"

#define MB ((int64_t)1 << 20)
#define VCORES_MAX 1000000
#define PAUSE_MS 300 /* between two questions of --wait */

const struct option_spec container_resize_options[] = {
    { 'm', "memory", "SIZE", "memory: 512M, 2g" },
    { 'c', "vcores", "N", "virtual cores" },
    { 0, "resource", "NAME=N,...", "other resources, as licence=1" },
    { 0, "cancel", NULL, "withdraw an increase that waits" },
    { 'w', "wait", NULL, "wait until the container has its new size" },
    { 0 },
};

/* --- the size ---------------------------------------------------------------- */

static int read_memory(struct cli *cli, const char *value, int64_t *memory_mb)
{
    int64_t bytes;

    if (!text_parse_size_bytes(value, MB, &bytes) || bytes <= 0)
        return cli_usage(cli, "--memory %s: expected a size, as 512M, 2g or 2GiB (512 is MiB)", value);
    *memory_mb = bytes / MB + (bytes % MB != 0);
    return EXIT_DONE;
}

static int read_vcores(struct cli *cli, const char *value, int64_t *vcores)
{
    if (!text_parse_int64(value, vcores) || *vcores < 1 || *vcores > VCORES_MAX)
        return cli_usage(cli, "--vcores %s: expected a number from 1 to %d", value, VCORES_MAX);
    return EXIT_DONE;
}

/* Adds the amounts of --resource. */
static int read_others(struct cli *cli, struct arena *arena, const char *value, struct creel_resource *size)
{
    struct creel_job job = { .memory_mb = size->memory_mb, .vcores = size->vcores };
    struct err err;

    if (amounts_parse(arena, value, &job, &err) < 0)
        return cli_usage(cli, "%s", err.text);
    size->memory_mb = job.memory_mb;
    size->vcores = job.vcores;
    for (size_t i = 0; i < job.resource_count; i++)
        size->others[size->other_count++] = job.resources[i];
    return EXIT_DONE;
}

static int read_size(struct cli *cli, struct arena *arena, struct creel_resource *size)
{
    const char *memory = options_get(&cli->options, "memory"), *vcores = options_get(&cli->options, "vcores");
    const char *others = options_get(&cli->options, "resource");
    bool cancel = options_has(&cli->options, "cancel");
    int code = EXIT_DONE;

    if (cancel && (memory || vcores || others))
        return cli_usage(cli, "--cancel: a size cannot be given, too");
    if (!cancel && !memory && !vcores && !others)
        return cli_usage(cli, "which size? creel container resize ID -m 4g -c 2");
    if (memory)
        code = read_memory(cli, memory, &size->memory_mb);
    if (code == EXIT_DONE && vcores)
        code = read_vcores(cli, vcores, &size->vcores);
    if (code == EXIT_DONE && others)
        code = read_others(cli, arena, others, size);
    return code;
}

/* --- what is printed ----------------------------------------------------------- */

static bool is_waiting(const struct creel_container *container)
{
    return container->wanted.memory_mb > 0 || container->wanted.vcores > 0;
}

static void print_state(const struct creel_container *container, const char *waits)
{
    char has[RECORD_AMOUNTS_MAX], wants[RECORD_AMOUNTS_MAX];

    record_amounts(&container->resource, has);
    if (is_waiting(container))
        printf("%s: waits for %s, has %s%s%s\n", container->id, record_amounts(&container->wanted, wants),
               has, *waits ? ": " : "", waits);
    else if (container->resizing)
        printf("%s: accepted: %s; its agent has not applied it yet\n", container->id, has);
    else
        printf("%s: has %s\n", container->id, has);
    fflush(stdout);
}

static int show(struct cli *cli, const struct creel_container *container, const char *waits)
{
    if (cli->format_given)
        return show_container_list(cli, (const struct creel_container *const[]){ container }, 1);
    if (!cli->quiet)
        print_state(container, waits);
    return EXIT_DONE;
}

/* --- --wait ---------------------------------------------------------------------- */

static bool is_size(const struct creel_container *container, const struct creel_resource *wanted)
{
    for (size_t i = 0; i < wanted->other_count; i++)
        if (amount_of_other(&container->resource, wanted->others[i].name) < wanted->others[i].amount)
            return false;
    return container->resource.memory_mb >= wanted->memory_mb && container->resource.vcores >= wanted->vcores;
}

static int refuse(const char *id, const char *why)
{
    struct err err;

    err_set(&err, EBUSY, "%s: %s", id, why);
    return cli_fail_err(&err);
}

/* Waits until the container ID, which is to have the size WANTED, has it. */
static int wait_for(struct cli *cli, const char *id, const struct creel_resource *wanted)
{
    const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };
    struct creel_containers *list;
    struct creel_error error;
    int code = EXIT_DONE;
    int64_t end_ms = cli_wait_end_ms(cli);
    bool waits = true;

    while (waits && code == EXIT_DONE) {
        const struct creel_container *container;

        if (loop_monotonic_ms() >= end_ms) {
            fprintf(stderr, "creel: %s does not have its new size after --timeout; see creel why\n", id);
            return EXIT_OUT_OF_TIME;
        }
        nanosleep(&pause, NULL);
        if (creel_container_list(cli->client, NULL, NULL, id, false, &list, &error) < 0)
            return cli_fail(&error);
        container = &list->items[0];
        waits = is_waiting(container) || container->resizing;
        if (container->state == CREEL_CONTAINER_COMPLETE || container->state == CREEL_CONTAINER_STOPPING)
            code = refuse(id, "ended before it had its new size");
        else if (!is_waiting(container) && !is_size(container, wanted))
            code = refuse(id, "the increase was withdrawn, or is not possible any more");
        else if (!waits)
            code = show(cli, container, "");
        creel_containers_free(list);
    }
    return code;
}

/* --- the command --------------------------------------------------------------------- */

/* Prints what was not changed, or may end the container, with --quiet, too. SIZE is what was requested (NULL:
 * --cancel), WANTED what the container has or waits for. */
static void print_notices(const struct creel_resized *resized, const struct creel_resource *size,
                          const struct creel_resource *wanted)
{
    const char *id = resized->container.id;

    if (size != NULL && size->vcores > wanted->vcores)
        fprintf(stderr, "creel: %s: " SUBMIT_VCORES_REDUCED "\n", id, size->vcores, wanted->vcores);
    if (*resized->warning)
        fprintf(stderr, "creel: warning: %s: %s\n", id, resized->warning);
}

static int resize(struct cli *cli, const char *id, const struct creel_resource *size)
{
    bool waits = options_has(&cli->options, "wait");
    struct creel_resized *resized;
    struct creel_resource wanted;
    struct creel_error error;
    int code;

    if (creel_container_resize(cli->client, id, size, &resized, &error) < 0)
        return cli_fail(&error);
    wanted = is_waiting(&resized->container) ? resized->container.wanted : resized->container.resource;
    print_notices(resized, size, &wanted);
    waits = waits && (is_waiting(&resized->container) || resized->container.resizing);
    code = waits && cli->format_given ? EXIT_DONE : show(cli, &resized->container, resized->waits);
    if (code == EXIT_DONE && waits)
        code = wait_for(cli, resized->container.id, &wanted);
    creel_resized_free(resized);
    return code;
}

int cmd_container_resize(struct cli *cli)
{
    struct creel_resource size = { 0 };
    struct arena *arena;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "which container? creel container resize ID -m 4g -c 2");
    arena = arena_new();
    code = read_size(cli, arena, &size);
    if (code == EXIT_DONE && cli_client(cli, &code))
        code = resize(cli, cli->options.arguments[0], options_has(&cli->options, "cancel") ? NULL : &size);
    arena_free(arena);
    return code;
}
