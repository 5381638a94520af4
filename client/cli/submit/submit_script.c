/* SPDX-License-Identifier: Apache-2.0 */
/* submit_script.c - reads the script to be submitted and its directives */
#include "client/cli/submit/submit_script.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/submit/submit_options.h"
#include "client/cli/submit/submit_queues.h"
#include "client/script/directives.h"
#include "client/script/slurm.h"
#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"

#define STDIN_MAX ((size_t)64 << 20)
#define STDIN_NAME "script"
#define READ_MAX (SCRIPT_SIZE_MAX + 1) /* one byte more shows that a script is longer */

struct reading {
    struct cli *cli;
    struct submit_script *script;
    const char *shown;               /* name of the script in messages */
    const char *const *command_line; /* options of sbatch; NULL: creel submit */
    char *text;                      /* owned */
    size_t size;
    struct err *err;
};

/* --- reading the script ------------------------------------------------------ */

static const char marked_start[] = "\xef\xbb\xbf#!"; /* of a script with a byte order mark */

static bool is_marked(const char *text, size_t size)
{
    return size >= sizeof(marked_start) - 1 && memcmp(text, marked_start, sizeof(marked_start) - 1) == 0;
}

static int refuse_mark(const char *shown, struct err *err)
{
    return err_set(err, EINVAL,
                   "%s:1: the line begins with a byte order mark, as editors on Windows write it; the "
                   "interpreter would not be found: save the script without it",
                   shown);
}

/* Copies all of FROM, which messages name as SHOWN, to FD. */
static int copy_stream(int from, const char *shown, int fd, struct err *err)
{
    char block[65536];
    size_t size = 0;
    ssize_t got;
    int r;

    while ((got = read(from, block, sizeof(block))) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(err, errno, "%s", shown);
        size += (size_t)got;
        if (size > STDIN_MAX)
            return err_set(err, EINVAL, "%s: a script has at most %zu MiB", shown, STDIN_MAX >> 20);
        if ((r = file_write(fd, block, (size_t)got)) < 0)
            return err_set_errno(err, -r, "cannot keep the script");
    }
    return 0;
}

/* Submits *FD, which it takes over, as a script NAME. */
static void submit_copy(struct reading *reading, int *fd, const char *name)
{
    reading->script->fd = fd_take(fd);
    reading->script->command_name = reading->shown = name;
    options_set_command(&reading->cli->options,
                        arena_printf(reading->script->arena, "/proc/self/fd/%d", reading->script->fd));
}

/* Without a command, or with "-", reads the script from standard input. Empty input is no script. */
static int read_stdin(struct reading *reading)
{
    struct options *options = &reading->cli->options;
    bool dash = options->argument_count && !strcmp(options->arguments[0], "-");
    scoped_fd int fd = -1;
    char start[sizeof(marked_start) - 1] = "";
    off_t size;
    int r;

    if (!dash && (options->argument_count || isatty(STDIN_FILENO)))
        return 0;
    fd = memfd_create("creel-script", MFD_CLOEXEC);
    if (fd < 0)
        return err_set_errno(reading->err, errno, "cannot keep the script");
    if ((r = copy_stream(STDIN_FILENO, "standard input", fd, reading->err)) < 0)
        return r;
    size = lseek(fd, 0, SEEK_END);
    if (size == 0 && !dash)
        return 0;
    if (pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) && is_marked(start, sizeof(start)))
        return refuse_mark("standard input", reading->err);
    if (memcmp(start, "#!", 2) != 0)
        return err_set(reading->err, EINVAL,
                       "standard input is not a script: expected a first line "
                       "\"#!...\", as #!/bin/sh");
    submit_copy(reading, &fd, STDIN_NAME);
    return 0;
}

/* Returns whether a file without an interpreter is meant as a script of Slurm. */
static bool is_slurm_script(const struct reading *reading)
{
    const char *from = options_get(&reading->cli->options, "from");

    if (from)
        return !strcmp(from, "slurm");
    return script_has(reading->text, reading->size, SCRIPT_MARKER_SLURM);
}

/* Reads the beginning of the command's file, if the file is a script; else SIZE stays 0. */
static int read_text(struct reading *reading, const char *path)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    ssize_t got;

    if (fd < 0 || fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
        return 0;
    reading->text = mem_alloc0(READ_MAX);
    while (reading->size < READ_MAX && (got = pread(fd, reading->text + reading->size,
                                                    READ_MAX - reading->size, (off_t)reading->size)) > 0)
        reading->size += (size_t)got;
    if (is_marked(reading->text, reading->size))
        return refuse_mark(reading->shown, reading->err);
    if (reading->size >= 2 && memcmp(reading->text, "#!", 2) == 0)
        return 0;
    if (is_slurm_script(reading))
        return err_set(reading->err, EINVAL,
                       "%s:1: a script of Slurm must begin with \"#!\" and the path of its interpreter, as "
                       "#!/bin/sh; sbatch refuses it, too",
                       reading->shown);
    reading->size = 0;
    return 0;
}

/* --- directives ---------------------------------------------------------------- */

/* Returns the place of a directive or notice for messages: "job.sh:3", or a variable of the environment. */
static const char *place_of(struct reading *reading, unsigned line, const char *origin)
{
    if (origin)
        return origin;
    return line == 0 ? reading->shown : arena_printf(reading->script->arena, "%s:%u", reading->shown, line);
}

/* Prints the notices; with --strict returns the first that counts as an error. */
static int report_notices(struct reading *reading, const struct script *found)
{
    bool strict = options_has(&reading->cli->options, "strict");

    for (size_t i = 0; i < found->notice_count; i++) {
        const struct script_notice *notice = &found->notices[i];

        const char *place = place_of(reading, notice->line, notice->origin);

        if (strict && notice->strict)
            return err_set(reading->err, EINVAL, "%s: %s (--strict)", place, notice->text);
        cli_print(reading->cli, "creel: %s: %s", place, notice->text);
    }
    return 0;
}

static int parse_directive(struct reading *reading, const struct script_directive *directive)
{
    const char *origin = place_of(reading, directive->line, directive->origin);
    struct options parsed;
    int r =
        options_parse(directive->words, submit_option_table, NULL, OPTIONS_ANYWHERE, &parsed, reading->err);

    if (r == 0 && parsed.argument_count)
        r = err_set(reading->err, EINVAL, "%s: expected options alone", parsed.arguments[0]);
    if (r < 0)
        err_prefix(reading->err, "%s", origin);
    else
        options_put_before(&reading->cli->options, &parsed, origin, directive->written);
    options_done(&parsed);
    return r;
}

/* Parses from the last directive to the first, since each is inserted before the options so far. */
static int parse_directives(struct reading *reading, const struct script *found)
{
    int r = 0;

    for (size_t i = found->directive_count; i-- > 0 && r == 0;)
        r = parse_directive(reading, &found->directives[i]);
    return r;
}

static int located(struct reading *reading, unsigned line, int result)
{
    if (result < 0)
        err_prefix(reading->err, "%s:%u", reading->shown, line);
    return result;
}

static int read_marked(struct reading *reading, const char *marker, struct script *found)
{
    unsigned line = 0;
    int r;

    script_init(found, reading->script->arena);
    r = script_read(reading->text, reading->size, marker, found, &line, reading->err);
    return located(reading, line, r);
}

/* Returns which virtual environment of this shell is active; NULL: none. */
static const char *find_active(struct arena *arena)
{
    static const char *const active[] = { "VIRTUAL_ENV", "CONDA_PREFIX" };

    for (size_t i = 0; i < sizeof(active) / sizeof(active[0]); i++) {
        const char *value = getenv(active[i]);

        if (value && *value)
            return arena_printf(arena, "a virtual environment is active here (%s)", active[i]);
    }
    return NULL;
}

/* Returns which command of the script needs the environment of this shell; NULL: none. */
static const char *find_loader(struct reading *reading)
{
    static const char *const commands[] = { "module", "ml", "conda activate", "source activate",
                                            "mamba activate" };

    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        unsigned line = script_find_command(reading->text, reading->size, commands[i]);

        if (line > 0)
            return arena_printf(reading->script->arena, "%s:%u: the script calls %s", reading->shown, line,
                                commands[i]);
    }
    return NULL;
}

/* Returns why the script may miss the environment of this shell; NULL: nothing shows that it does. */
static const char *find_environment_word(struct reading *reading)
{
    const char *loader = find_loader(reading), *active = find_active(reading->script->arena);

    if (loader && active)
        return arena_printf(reading->script->arena, "%s, %s", loader, active);
    return loader ? loader : active;
}

static int read_creel_directives(struct reading *reading)
{
    struct script found;
    int r = read_marked(reading, SCRIPT_MARKER, &found);

    reading->script->environment_word = find_environment_word(reading);

    if (r == 0)
        r = report_notices(reading, &found);
    return r < 0 ? r : parse_directives(reading, &found);
}

/* Returns the absolute path of the script; NULL: it was no file. */
static const char *absolute_path(const struct reading *reading)
{
    struct arena *arena = reading->script->arena;
    scoped_free char *here = NULL;

    if (reading->script->fd >= 0)
        return NULL;
    if (*reading->shown == '/')
        return reading->shown;
    here = getcwd(NULL, 0);
    return here && *here == '/' ? arena_printf(arena, "%s/%s", here, reading->shown) : NULL;
}

static const char *own_cluster(void *context)
{
    const struct submit_queues *queues = context;

    return cli_cluster(queues->cli);
}

static int read_slurm_directives(struct reading *reading)
{
    static const struct slurm_calendar calendar = {
        .local = localtime_r,
        .utc = gmtime_r,
        .seconds = mktime,
    };
    struct submit_queues queues = { .cli = reading->cli };
    struct slurm_setting setting = {
        .known = submit_option_is_known,
        .calendar = &calendar,
        .now_ms = loop_now_ms(),
        .environ = (const char *const *)environ,
        .command_line = reading->command_line,
        .refuses_unknown = reading->command_line != NULL,
        .queue_exists = submit_queues_have,
        .own_cluster = reading->command_line ? own_cluster : NULL,
        .context = &queues,
    };
    struct script found, translated;
    int r = read_marked(reading, SCRIPT_MARKER_SLURM, &found);

    if (r < 0 || (r = report_notices(reading, &found)) < 0)
        return r;
    script_init(&translated, reading->script->arena);
    r = slurm_translate(&found, &setting, reading->shown, &translated, reading->err);
    submit_queues_done(&queues);
    if (r < 0 || (r = report_notices(reading, &translated)) < 0)
        return r;
    reading->script->slurm_path = absolute_path(reading);
    return parse_directives(reading, &translated);
}

/* If a script has #SBATCH lines and no #CREEL lines, sets --from=slurm. Returns whether it did. */
static bool guess_slurm(struct reading *reading)
{
    static const char *const words[] = { "--from=slurm", NULL };
    struct options guessed;

    if (!script_has(reading->text, reading->size, SCRIPT_MARKER_SLURM) ||
        script_has(reading->text, reading->size, SCRIPT_MARKER))
        return false;
    if (options_parse(words, submit_option_table, NULL, OPTIONS_ANYWHERE, &guessed, NULL) == 0)
        options_put_before(&reading->cli->options, &guessed, NULL, NULL);
    options_done(&guessed);
    cli_detail(reading->cli, "%s has lines of #SBATCH: read as with --from slurm", reading->shown);
    return true;
}

static int read_directives(struct reading *reading)
{
    const char *from = options_get(&reading->cli->options, "from");

    if (from ? !strcmp(from, "slurm") : guess_slurm(reading))
        return read_slurm_directives(reading);
    return read_creel_directives(reading);
}

int submit_script_read(struct cli *cli, struct submit_script *script, struct err *err)
{
    struct reading reading = { .cli = cli, .script = script, .err = err };
    int r;

    *script = (struct submit_script){ .arena = arena_new(), .fd = -1 };
    r = read_stdin(&reading);
    if (r == 0 && cli->options.argument_count) {
        const char *path = cli->options.arguments[0];

        if (!reading.shown)
            reading.shown = path;
        r = read_text(&reading, path);
        if (r == 0 && reading.size)
            r = read_directives(&reading);
        else if (r == 0)
            script->environment_word = find_active(script->arena);
    }
    free(reading.text);
    return r;
}

/* --- sbatch ------------------------------------------------------------------------ */

/* Makes the script of a command, as sbatch --wrap does. */
static int wrap_command(struct reading *reading, const char *command)
{
    scoped_fd int fd = memfd_create("creel-script", MFD_CLOEXEC);
    const char *text = arena_printf(
        reading->script->arena, "#!/bin/sh\n# This script was created by sbatch --wrap.\n\n%s\n", command);
    int r = fd < 0 ? -errno : file_write(fd, text, strlen(text));

    if (r < 0)
        return err_set_errno(reading->err, -r, "cannot keep the script");
    submit_copy(reading, &fd, "wrap");
    return 0;
}

/* Copies the script from PATH, a pipe or a device; NULL: from standard input. */
static int keep_stream(struct reading *reading, const char *path)
{
    const char *shown = path ? path : "standard input", *slash = path ? strrchr(path, '/') : NULL;
    scoped_fd int from = path ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
    scoped_fd int fd = memfd_create("creel-script", MFD_CLOEXEC);
    int r;

    if (from < 0)
        return err_set_errno(reading->err, errno, "%s", shown);
    if (fd < 0)
        return err_set_errno(reading->err, errno, "cannot keep the script");
    if ((r = copy_stream(from, shown, fd, reading->err)) < 0)
        return r;
    if (lseek(fd, 0, SEEK_END) == 0)
        return err_set(reading->err, EINVAL, "Batch script is empty!");
    submit_copy(reading, &fd, slash ? slash + 1 : path ? path : "sbatch");
    return 0;
}

static int find_script(struct reading *reading, const struct sbatch_line *line)
{
    const char *path = line->script[0];
    struct stat info;

    if (text_equal(path, ":"))
        return err_set(reading->err, EINVAL, "':': " SLURM_NO_HETJOB);
    if (line->wrap && path)
        return err_set(reading->err, EINVAL, "Script arguments not permitted with --wrap option");
    if (line->wrap)
        return wrap_command(reading, line->wrap);
    if (!path)
        return keep_stream(reading, NULL);
    if (stat(path, &info) < 0 || access(path, R_OK) < 0)
        return err_set_errno(reading->err, errno, "Unable to open file %s", path);
    if (S_ISDIR(info.st_mode))
        return err_set(reading->err, EISDIR, "Unable to open file %s: is a directory", path);
    reading->shown = path;
    return S_ISREG(info.st_mode) ? 0 : keep_stream(reading, path);
}

int submit_script_read_sbatch(struct cli *cli, const struct sbatch_line *line, struct submit_script *script,
                              struct err *err)
{
    struct reading reading = { .cli = cli, .script = script, .command_line = line->options, .err = err };
    int r;

    *script = (struct submit_script){ .arena = arena_new(), .fd = -1 };
    r = find_script(&reading, line);
    if (r == 0)
        r = read_text(&reading, cli->options.arguments[0]);
    if (r == 0)
        r = read_slurm_directives(&reading);
    free(reading.text);
    return r;
}

void submit_script_done(struct submit_script *script)
{
    arena_free(script->arena);
    if (script->fd >= 0)
        close(script->fd);
    *script = (struct submit_script){ .fd = -1 };
}
