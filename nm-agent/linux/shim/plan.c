/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - writes and reads the parameters that the agent passes to a shim */
#include "nm-agent/linux/shim/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- writing --------------------------------------------------------------- */

static void put(FILE *stream, const char *tag, const char *value)
{
    fprintf(stream, "%s=%s", tag, value);
    fputc('\0', stream);
}

static void put_number(FILE *stream, const char *tag, int64_t value)
{
    fprintf(stream, "%s=%" PRId64, tag, value);
    fputc('\0', stream);
}

int plan_write(int fd, const struct plan *plan)
{
    const struct launch *launch = &plan->launch;
    int copy = dup(fd);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "w");
    int result = 0;

    if (stream == NULL)
        return -errno;
    for (const char *const *word = launch->argv; *word; word++)
        put(stream, "argv", *word);
    for (const char *const *entry = launch->environment; *entry; entry++)
        put(stream, "env", *entry);
    put(stream, "directory", launch->directory);
    put(stream, "scratch", plan->scratch ? plan->scratch : launch->directory);
    put_number(stream, "fall-back", plan->may_fall_back);
    put_number(stream, "input", launch->input);
    put_number(stream, "name-leftovers", launch->name_leftovers);
    for (const char *const *name = plan->own_names; name && *name; name++)
        put(stream, "own", *name);
#define PUT(member, kind, ...) JOB_BY_STORAGE(PUT_, kind)(stream, #member, launch->member);
#define PUT_text(stream, tag, text) put(stream, tag, (text) ? (text) : "")
#define PUT_number put_number
    JOB_PROCESS_FIELDS(PUT)
#undef PUT
    for (const char *const *name = plan->archives; name && *name; name++)
        put(stream, "archive", *name);
    if (plan->unpack_program != NULL)
        put(stream, "unpack-program", plan->unpack_program);
    if (plan->pack_program != NULL) {
        put(stream, "pack-program", plan->pack_program);
        put_number(stream, "results-max", plan->results_bytes_max);
    }
    put(stream, "stdout", plan->out_path);
    put(stream, "stderr", plan->err_path);
    put_number(stream, "uid", plan->uid);
    put_number(stream, "gid", plan->gid);
    for (size_t i = 0; i < plan->group_count; i++)
        put_number(stream, "group", plan->groups[i]);
    put_number(stream, "memory", plan->memory_bytes);
    put_number(stream, "memory-kills-container", plan->memory_kills_container);
    put_number(stream, "kill-delay", plan->kill_delay_ms);
    put_number(stream, "files", plan->open_files_max);
    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        if (plan->leaf.directory[i] == NULL)
            continue;
        fprintf(stream, "cgroup=%d %d %s", i, plan->leaf.version[i], plan->leaf.directory[i]);
        fputc('\0', stream);
    }
    if (plan->contact_file != NULL) {
        put(stream, "contact", plan->contact_file);
        put_number(stream, "stop-after", launch->stop_after_ms);
    }
    if (plan->keeper_file != NULL)
        put(stream, "keeper", plan->keeper_file);
    put(stream, "end", "");
    if (ferror(stream))
        result = -EIO;
    if (fclose(stream) != 0 && result == 0)
        result = -errno;
    return result;
}

/* --- reading --------------------------------------------------------------- */

static char *read_all(int fd, size_t *size)
{
    struct stat status;
    char *data;
    size_t done = 0;

    if (fstat(fd, &status) != 0 || status.st_size <= 0)
        return NULL;
    data = calloc(1, (size_t)status.st_size + 1);
    while (data != NULL && done < (size_t)status.st_size) {
        ssize_t got = pread(fd, data + done, (size_t)status.st_size - done, (off_t)done);

        if (got <= 0) {
            free(data);
            return NULL;
        }
        done += (size_t)got;
    }
    *size = done;
    return data;
}

/* Returns the value if TEXT is "TAG=value", else NULL. */
static const char *tagged(const char *text, const char *tag)
{
    size_t length = strlen(tag);

    return strncmp(text, tag, length) == 0 && text[length] == '=' ? text + length + 1 : NULL;
}

static int parse_leaf(const char *value, struct leaf *leaf)
{
    int controller, version, used = 0;

    if (sscanf(value, "%d %d %n", &controller, &version, &used) != 2 || used == 0 || controller < 0 ||
        controller >= LEAF_CONTROLLERS || value[used] != '/' || (version != 1 && version != 2))
        return -EPROTO;
    leaf->directory[controller] = value + used;
    leaf->version[controller] = version;
    return 0;
}

struct reader {
    const char **argv, **environment, **own, **archives; /* with room for all texts of the plan */
    size_t argc, envc, own_count, archive_count;
    int ended;
};

/* Reads a field of struct launch; returns 0 if TEXT is another field. */
static int parse_launch_field(const char *text, struct launch *launch, struct reader *reader)
{
    const char *value;

    if ((value = tagged(text, "argv")) != NULL)
        reader->argv[reader->argc++] = value;
    else if ((value = tagged(text, "env")) != NULL)
        reader->environment[reader->envc++] = value;
    else if ((value = tagged(text, "directory")) != NULL)
        launch->directory = value;
    else if ((value = tagged(text, "input")) != NULL)
        launch->input = *value == '1';
    else if ((value = tagged(text, "name-leftovers")) != NULL)
        launch->name_leftovers = *value == '1';
    else if ((value = tagged(text, "stop-after")) != NULL)
        launch->stop_after_ms = strtoll(value, NULL, 10);
#define PARSE(member, kind, ...) \
    else if ((value = tagged(text, #member)) != NULL) launch->member = JOB_BY_STORAGE(PARSE_, kind)(value);
#define PARSE_text(value) (value)
#define PARSE_number(value) strtoll(value, NULL, 10)
    JOB_PROCESS_FIELDS(PARSE)
#undef PARSE
    else return 0;
    return 1;
}

static int parse_field(const char *text, struct plan *plan, struct reader *reader)
{
    const char *value;

    if (parse_launch_field(text, &plan->launch, reader))
        return 0;
    if ((value = tagged(text, "scratch")) != NULL)
        plan->scratch = value;
    else if ((value = tagged(text, "fall-back")) != NULL)
        plan->may_fall_back = *value == '1';
    else if ((value = tagged(text, "own")) != NULL)
        reader->own[reader->own_count++] = value;
    else if ((value = tagged(text, "archive")) != NULL)
        reader->archives[reader->archive_count++] = value;
    else if ((value = tagged(text, "unpack-program")) != NULL)
        plan->unpack_program = value;
    else if ((value = tagged(text, "pack-program")) != NULL)
        plan->pack_program = value;
    else if ((value = tagged(text, "results-max")) != NULL)
        plan->results_bytes_max = strtoll(value, NULL, 10);
    else if ((value = tagged(text, "stdout")) != NULL)
        plan->out_path = value;
    else if ((value = tagged(text, "stderr")) != NULL)
        plan->err_path = value;
    else if ((value = tagged(text, "uid")) != NULL)
        plan->uid = (uid_t)strtoul(value, NULL, 10);
    else if ((value = tagged(text, "gid")) != NULL)
        plan->gid = (gid_t)strtoul(value, NULL, 10);
    else if ((value = tagged(text, "group")) != NULL)
        plan->groups[plan->group_count++] = (gid_t)strtoul(value, NULL, 10);
    else if ((value = tagged(text, "memory")) != NULL)
        plan->memory_bytes = strtoll(value, NULL, 10);
    else if ((value = tagged(text, "memory-kills-container")) != NULL)
        plan->memory_kills_container = strcmp(value, "1") == 0;
    else if ((value = tagged(text, "kill-delay")) != NULL)
        plan->kill_delay_ms = strtoll(value, NULL, 10);
    else if ((value = tagged(text, "files")) != NULL)
        plan->open_files_max = strtoll(value, NULL, 10);
    else if ((value = tagged(text, "cgroup")) != NULL)
        return parse_leaf(value, &plan->leaf);
    else if ((value = tagged(text, "contact")) != NULL)
        plan->contact_file = value;
    else if ((value = tagged(text, "keeper")) != NULL)
        plan->keeper_file = value;
    else if (tagged(text, "end") != NULL)
        reader->ended = 1;
    else
        return -EPROTO;
    return 0;
}

static int is_complete(const struct plan *plan, const struct reader *reader)
{
    return reader->ended && reader->argc > 0 && plan->launch.directory && plan->scratch && plan->out_path &&
           plan->err_path && plan->leaf.directory[LEAF_MEMORY] && plan->leaf.directory[LEAF_CPU] &&
           plan->leaf.directory[LEAF_PIDS] && (reader->archive_count == 0 || plan->unpack_program);
}

int plan_read(int fd, struct plan *plan)
{
    struct reader reader = { .argc = 0 };
    size_t size = 0, texts = 0;
    char *data = read_all(fd, &size);
    int result = 0;

    if (data == NULL)
        return -EPROTO;
    for (size_t i = 0; i < size; i++)
        texts += data[i] == '\0';
    *plan = (struct plan){
        .words = calloc(4 * (texts + 1), sizeof(char *)),
        .groups = calloc(texts + 1, sizeof(gid_t)),
        .data = data,
    };
    if (plan->words == NULL || plan->groups == NULL)
        result = -ENOMEM;
    else
        reader = (struct reader){ .argv = plan->words,
                                  .environment = plan->words + texts + 1,
                                  .own = plan->words + 2 * (texts + 1),
                                  .archives = plan->words + 3 * (texts + 1) };
    plan->launch.argv = reader.argv;
    plan->launch.environment = reader.environment;
    plan->own_names = reader.own;
    plan->archives = reader.archives;
    /* A last text without a NUL at its end is not in TEXTS, and is ignored. */
    for (size_t at = 0; at < size && result == 0 && texts > 0; texts--) {
        result = parse_field(data + at, plan, &reader);
        at += strlen(data + at) + 1;
    }
    if (result == 0 && !is_complete(plan, &reader))
        result = -EPROTO;
    if (result != 0)
        plan_clear(plan);
    return result;
}

void plan_clear(struct plan *plan)
{
    free(plan->words);
    free(plan->groups);
    free(plan->data);
    *plan = (struct plan){ .data = NULL };
}
