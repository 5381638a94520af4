/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_logs.c - yarn logs: prints logs of containers, from agents or shared storage, between YARN's lines */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/cli/logs/log_nodes.h"
#include "client/cli/logs/stored_logs.h"
#include "client/yarn/format.h"
#include "client/yarn/log_select.h"
#include "client/yarn/yarn.h"
#include "common/base/mem.h"
#include "common/conf/conf.h"

const struct yarn_option logs_options[] = {
    { "am", "AM Containers", false,
      "Prints the logs of AMs alone: ALL, an attempt's number, or -1 for the last." },
    { "appOwner", "Application Owner", false, "The owner of the application; not needed here." },
    { "applicationAttemptId", "Application Attempt ID", false, "Prints the logs of this attempt." },
    { "applicationId", "Application ID", false, "Prints the logs of this application." },
    { "containerId", "Container ID", false, "Prints the logs of this container." },
    { "help", NULL, false, "Displays help for all commands." },
    { "list_nodes", NULL, false, "Lists the nodes that ran the application." },
    { "log_files", "Log File Name", true, "Prints these files: stdout, stderr or ALL, separated by commas." },
    { "logFiles", "Log File Name", true, "The same as -log_files." },
    { "log_files_pattern", "Log File Pattern", false, "Prints the files whose names match." },
    { "nodeAddress", "Node Address", false, "Prints the logs of containers on this node, as host:port." },
    { "out", "Local Directory", false, "Writes a file for each container: DIR/NODE/CONTAINER." },
    { "show_application_log_info", NULL, false, "Lists the containers that have logs." },
    { "show_container_log_info", NULL, false, "Lists the log files and their sizes." },
    { "size", "size", false,
      "Prints this number of bytes of each file: the first ones, or, below 0, the last ones." },
    { 0 },
};

/* State of one `yarn logs`: the selection, the directory for output, the application and its containers. */
struct job {
    struct yarn *yarn;
    struct log_select select;
    const char *out;
    struct creel_apps *apps;
    struct creel_containers *containers;
    struct stored_logs *stored; /* logs on shared storage; NULL: none */
    struct log_nodes *nodes;    /* from which the other logs are read */
    size_t shown;
};

static bool is_wanted(const struct job *job, const struct creel_container *container)
{
    return log_select_has(&job->select, &job->apps->items[0], container);
}

static void print_line(FILE *out, char character, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fputc(character, out);
    fputc('\n', out);
}

/* Prints "Container: C on H:P". Returns its length. */
static size_t print_container_line(FILE *out, const struct creel_container *container)
{
    int length = fprintf(out, "Container: %s on %s\n", container->id, container->node_id);

    return length > 1 ? (size_t)length - 1 : 0;
}

/* --- content ------------------------------------------------------------------- */

struct opened { /* a log, its size, and YARN's word for its place */
    struct creel_log *log;
    struct creel_log_piece piece;
    const char *place;
};

static int open_at_agent(struct job *job, const struct creel_container *container, const char *file,
                         struct opened *opened, struct creel_error *error)
{
    int r = creel_log_open(job->yarn->client, container, file, &opened->log, error);

    log_nodes_add(job->nodes, container);
    if (!log_nodes_may_read(job->nodes, container, r < 0 ? NULL : opened->log)) {
        if (r == 0)
            creel_log_close(opened->log);
        return -EHOSTDOWN;
    }
    if (r == -EHOSTUNREACH)
        log_nodes_set_silent(job->nodes, container);
    opened->place = "LOCAL";
    return r;
}

/* Opens the log and reads its size. -ENOENT: there is no such file. -EHOSTDOWN, without a message: its node
 * did not answer before. */
static int open_log(struct job *job, const struct creel_container *container, const char *file,
                    struct opened *opened, struct creel_error *error)
{
    struct err err = { 0 };
    int stored = stored_logs_find(job->stored, container, file, &opened->log, &err), r = 0;

    opened->place = "AGGREGATED";
    if (stored <= 0)
        r = open_at_agent(job, container, file, opened, error);
    if (r == 0) {
        r = creel_log_read(opened->log, 1, true, 1, 0, &opened->piece, error);
        if (r == -EHOSTUNREACH)
            log_nodes_set_silent(job->nodes, container);
        if (r < 0)
            creel_log_close(opened->log);
    }
    if (r < 0 && stored < 0) { /* then the reason of the storage is the one that helps */
        error->code = err.code;
        snprintf(error->text, sizeof(error->text), "%.900s", err.text);
        return -err.code;
    }
    return r;
}

static int copy_bytes(struct creel_log *log, uint64_t start, uint64_t end, FILE *out,
                      struct creel_error *error)
{
    while (start < end) {
        struct creel_log_piece piece;
        uint64_t left = end - start;
        int r = creel_log_read(log, start, false, left < SIZE_MAX ? (size_t)left : 0, 0, &piece, error);

        if (r < 0)
            return r;
        if (piece.size == 0)
            break;
        fwrite(piece.data, 1, piece.size < left ? piece.size : (size_t)left, out);
        start = piece.offset + piece.size;
    }
    return 0;
}

static int print_content(const struct log_select *select, struct creel_log *log, uint64_t size, FILE *out,
                         struct creel_error *error)
{
    uint64_t wanted = select->size < 0 ? (uint64_t)-select->size : (uint64_t)select->size;

    if (!select->has_size || wanted > size)
        wanted = size;
    return select->size < 0 ? copy_bytes(log, size - wanted, size, out, error)
                            : copy_bytes(log, 0, wanted, out, error);
}

static int print_file(struct job *job, const struct creel_container *container, const char *file, FILE *out,
                      struct creel_error *error)
{
    struct opened opened;
    char date[FORMAT_MAX];
    size_t last;
    int r = open_log(job, container, file, &opened, error);

    if (r < 0)
        return r;
    last = print_container_line(out, container);
    fprintf(out, "LogAggregationType: %s\n", opened.place);
    print_line(out, '=', last);
    fprintf(out, "LogType:%s\nLogLastModifiedTime:%s\nLogLength:%" PRIu64 "\nLogContents:\n", file,
            format_date(creel_log_modified_ms(opened.log), date), opened.piece.file_size);
    r = print_content(&job->select, opened.log, opened.piece.file_size, out, error);
    fprintf(out, "\nEnd of LogType:%s%s", file,
            opened.piece.finished ? "\n" : ".This log file belongs to a running ");
    if (!opened.piece.finished)
        fprintf(out, "container (%s) and so may not be complete.\n", container->id);
    print_line(out, '*', strlen("End of LogType:") + strlen(file) + 50);
    fputc('\n', out);
    creel_log_close(opened.log);
    return r;
}

/* --- output ---------------------------------------------------------------------- */

static bool make_directory(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Opens DIR/NODE/CONTAINER; in NODE a colon is "_". */
static FILE *open_out(const char *directory, const struct creel_container *container)
{
    scoped_free char *folder = mem_printf("%s/%s", directory, container->node_id);
    scoped_free char *path = NULL;
    FILE *out = NULL;

    for (char *at = folder + strlen(directory) + 1; *at != '\0'; at++)
        if (*at == ':' || *at == '/')
            *at = '_';
    path = mem_printf("%s/%s", folder, container->id);
    if (make_directory(directory) && make_directory(folder))
        out = fopen(path, "we");
    if (out == NULL)
        yarn_error(YARN_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    return out;
}

static int fail_log(int result, const struct creel_error *error)
{
    if (result != -EHOSTDOWN)
        yarn_fail(error);
    return YARN_REFUSED;
}

static int print_files(struct job *job, const struct creel_container *container, FILE *out)
{
    int code = YARN_DONE;

    for (size_t i = 0; i < LOG_FILES; i++) {
        struct creel_error error;
        int r;

        if (!job->select.files[i])
            continue;
        r = print_file(job, container, log_files[i], out, &error);
        if (r < 0 && r != -ENOENT)
            code = fail_log(r, &error);
        job->shown += r == 0 ? 1 : 0;
    }
    return code;
}

static int print_container_logs(struct job *job, const struct creel_container *container)
{
    FILE *out = job->out != NULL ? open_out(job->out, container) : stdout;
    int code;

    if (out == NULL)
        return YARN_REFUSED;
    code = print_files(job, container, out);
    if (job->out != NULL && fclose(out) != 0)
        code = yarn_error(YARN_REFUSED, "%s: cannot be written: %s", job->out, strerror(errno));
    return code;
}

static int print_info(struct job *job, const struct creel_container *container)
{
    static const int widths[] = { 30, 30, 30, 30 };
    static const char *const titles[] = { "LogFile", "LogLength", "LastModificationTime",
                                          "LogAggregationType" };
    size_t length = print_container_line(stdout, container);
    int code = YARN_DONE;

    print_line(stdout, '=', length);
    format_row(stdout, widths, 4, titles);
    print_line(stdout, '=', length * 2);
    for (size_t i = 0; i < LOG_FILES; i++) {
        char size[FORMAT_MAX], date[FORMAT_MAX];
        struct creel_error error;
        struct opened opened;
        int r = open_log(job, container, log_files[i], &opened, &error);

        if (r < 0 && r != -ENOENT)
            code = fail_log(r, &error);
        if (r < 0)
            continue;
        snprintf(size, sizeof(size), "%" PRIu64, opened.piece.file_size);
        format_date(creel_log_modified_ms(opened.log), date);
        format_row(stdout, widths, 4, (const char *const[]){ log_files[i], size, date, opened.place });
        creel_log_close(opened.log);
        job->shown++;
    }
    putchar('\n');
    return code;
}

static int print_name(struct job *job, const struct creel_container *container)
{
    job->shown++;
    print_container_line(stdout, container);
    return YARN_DONE;
}

/* --- nodes -------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int list_nodes(const struct job *job)
{
    size_t count = 0;
    scoped_free const char **ids = mem_array0(job->containers->count + 1, sizeof(*ids));

    for (size_t i = 0; i < job->containers->count; i++)
        if (is_wanted(job, &job->containers->items[i]))
            ids[count++] = job->containers->items[i].node_id;
    qsort(ids, count, sizeof(*ids), compare);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(ids[i], ids[i - 1]) != 0)
            puts(ids[i]);
    return YARN_DONE;
}

/* --- places --------------------------------------------------------------------------- */

/* Finds logs on shared storage, or begins to connect to the agents of all containers. */
static void open_places(struct job *job)
{
    const struct creel_app *app = &job->apps->items[0];
    struct conf *conf = creel_app_is_over(app) ? yarn_load_conf(job->yarn) : NULL;

    job->nodes = log_nodes_new(job->yarn->client);
    job->stored = stored_logs_open(conf, app->user, app->id, STORED_LOGS_TIMEOUT_MS);
    conf_free(conf);
    if (job->select.container_id)
        stored_logs_limit(job->stored, job->select.container_id);
    for (size_t i = 0; job->stored == NULL && i < job->containers->count; i++)
        if (is_wanted(job, &job->containers->items[i]))
            log_nodes_add(job->nodes, &job->containers->items[i]);
}

static void print_silent(void *context, const char *node_id, unsigned containers)
{
    (void)context;
    yarn_error(YARN_REFUSED, "node %s did not answer: logs of %u more container%s were not read", node_id,
               containers, containers == 1 ? "" : "s");
}

static void close_places(struct job *job)
{
    log_nodes_each_silent(job->nodes, print_silent, NULL);
    log_nodes_free(job->nodes);
    stored_logs_close(job->stored);
}

/* --- command -------------------------------------------------------------------------- */

static int run_each(struct job *job, int (*each)(struct job *job, const struct creel_container *container))
{
    int code = YARN_DONE;

    for (size_t i = 0; i < job->containers->count; i++) {
        int r =
            is_wanted(job, &job->containers->items[i]) ? each(job, &job->containers->items[i]) : YARN_DONE;

        if (r != YARN_DONE)
            code = r;
    }
    if (job->shown > 0 || code != YARN_DONE)
        return code;
    return yarn_error(YARN_REFUSED, "%s: there is no log of these containers and files%s", job->select.app_id,
                      creel_app_is_over(&job->apps->items[0]) ? "" : " yet");
}

static int run_job(struct job *job)
{
    const struct yarn_options *options = &job->yarn->options;

    if (yarn_options_has(options, "list_nodes"))
        return list_nodes(job);
    if (yarn_options_has(options, "show_application_log_info"))
        return run_each(job, print_name);
    if (yarn_options_has(options, "show_container_log_info"))
        return run_each(job, print_info);
    return run_each(job, print_container_logs);
}

int run_logs(struct yarn *yarn)
{
    struct job job = { .yarn = yarn, .out = yarn_options_get(&yarn->options, "out") };
    struct creel_error error;
    struct err err = { 0 };
    int code;

    if (yarn->options.argument_count > 0)
        return yarn_usage(yarn);
    if (log_select_read(&yarn->options, &job.select, &err) < 0)
        return yarn_error(YARN_REFUSED, "%s", err.text);
    if (!yarn_find_app(yarn, job.select.app_id, &job.apps, &code))
        return code;
    if (creel_container_list(yarn->client, job.select.app_id, NULL, NULL, false, &job.containers, &error) <
        0) {
        code = yarn_fail(&error);
    } else {
        open_places(&job);
        code = run_job(&job);
        close_places(&job);
        creel_containers_free(job.containers);
    }
    creel_apps_free(job.apps);
    return code;
}
