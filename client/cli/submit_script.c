/* SPDX-License-Identifier: Apache-2.0 */
/* submit_script.c - reads the script to be submitted and its directives */
#include "client/cli/submit_script.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/submit_options.h"
#include "client/script/directives.h"
#include "client/script/slurm.h"
#include "common/base/mem.h"
#include "common/base/text.h"

#define STDIN_MAX ((size_t)64 << 20)
#define STDIN_NAME "script"
#define READ_MAX (SCRIPT_SIZE_MAX + 1) /* one byte more shows that a script is longer */

struct reading {
    struct cli *cli;
    struct submit_script *script;
    const char *shown; /* name of the script in messages */
    char *text;        /* owned */
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

/* Copies all of standard input to FD. */
static int copy_stdin(int fd, struct err *err)
{
    char block[65536];
    size_t size = 0;
    ssize_t got;

    while ((got = read(STDIN_FILENO, block, sizeof(block))) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(err, errno, "standard input");
        size += (size_t)got;
        if (size > STDIN_MAX)
            return err_set(err, EINVAL, "standard input: a script has at most %zu MiB", STDIN_MAX >> 20);
        for (ssize_t done = 0, wrote; done < got; done += wrote)
            if ((wrote = write(fd, block + done, (size_t)(got - done))) < 0)
                return err_set_errno(err, errno, "cannot keep the script");
    }
    return 0;
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
    if ((r = copy_stdin(fd, reading->err)) < 0)
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
    reading->script->fd = fd_take(&fd);
    reading->script->command_name = reading->shown = STDIN_NAME;
    options_set_command(options,
                        arena_printf(reading->script->arena, "/proc/self/fd/%d", reading->script->fd));
    return 0;
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
                                                    READ_MAX - reading->size, (off_t)reading->size)) > 0) {
        reading->size += (size_t)got;
        if (memcmp(reading->text, "#!", reading->size < 2 ? reading->size : 2) != 0)
            break;
    }
    if (is_marked(reading->text, reading->size))
        return refuse_mark(reading->shown, reading->err);
    if (reading->size < 2 || memcmp(reading->text, "#!", 2) != 0)
        reading->size = 0;
    return 0;
}

/* --- directives ---------------------------------------------------------------- */

/* Prints the notices; with --strict returns the first that counts as an error. */
static int report_notices(struct reading *reading, const struct script *found)
{
    bool strict = options_has(&reading->cli->options, "strict");

    for (size_t i = 0; i < found->notice_count; i++) {
        const struct script_notice *notice = &found->notices[i];

        if (strict && notice->strict)
            return err_set(reading->err, EINVAL, "%s:%u: %s (--strict)", reading->shown, notice->line,
                           notice->text);
        cli_print(reading->cli, "creel: %s:%u: %s", reading->shown, notice->line, notice->text);
    }
    return 0;
}

static int parse_directive(struct reading *reading, const struct script_directive *directive)
{
    struct arena *arena = reading->script->arena;
    const char *origin = arena_printf(arena, "%s:%u", reading->shown, directive->line);
    struct options parsed;
    int r =
        options_parse(directive->words, submit_option_table, NULL, OPTIONS_ANYWHERE, &parsed, reading->err);

    if (r == 0 && parsed.argument_count)
        r = err_set(reading->err, EINVAL, "%s: expected options alone", parsed.arguments[0]);
    if (r < 0)
        err_prefix(reading->err, "%s", origin);
    else
        options_put_before(&reading->cli->options, &parsed, origin);
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

static int read_creel_directives(struct reading *reading)
{
    struct script found;
    int r = read_marked(reading, SCRIPT_MARKER, &found);

    if (r == 0)
        r = report_notices(reading, &found);
    return r < 0 ? r : parse_directives(reading, &found);
}

static int read_slurm_directives(struct reading *reading)
{
    struct script found, translated;
    unsigned line = script_find_command(reading->text, reading->size, "srun");
    int r = read_marked(reading, SCRIPT_MARKER_SLURM, &found);

    if (r == 0 && line > 0)
        script_add_notice(&found, line, true,
                          "srun is no command of creel; in a job, creel run -N 4 starts 4 tasks");
    if (r < 0 || (r = report_notices(reading, &found)) < 0)
        return r;
    script_init(&translated, reading->script->arena);
    r = slurm_translate(&found, submit_option_is_known, &translated, &line, reading->err);
    if (r < 0)
        return located(reading, line, r);
    if ((r = report_notices(reading, &translated)) < 0)
        return r;
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
        options_put_before(&reading->cli->options, &guessed, NULL);
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
    }
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
