/* SPDX-License-Identifier: Apache-2.0 */
/* directives.c - reads the options in the comments of a job script */
#include "client/script/directives.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "client/script/pbs_line.h"
#include "common/base/mem.h"

#define LSF_MARKER "#BSUB"

/* Directive markers of creel and of other batch systems. The user gets a notice for each other system whose
 * directives are ignored. */
static const char *const markers[] = {
    SCRIPT_MARKER, SCRIPT_MARKER_SLURM, PBS_MARKER, LSF_MARKER, "#FLUX:", "#COBALT", "#PJM",
};
#define NOTICE_LINE_MAX 80 /* bytes of a line in a notice */
#define MARKER_COUNT (sizeof(markers) / sizeof(markers[0]))

struct line {
    const char *start;
    size_t length; /* without the end of line, and a carriage return before it */
    unsigned number;
    bool carriage_return;
};

/* Gets the line at *AT and moves *AT behind the line; false at the end. A NUL ends the text. */
static bool next_line(const char **at, const char *end, unsigned *number, struct line *line)
{
    const char *stop;

    if (*at >= end || **at == '\0')
        return false;
    line->start = *at;
    line->number = ++*number;
    stop = memchr(*at, '\n', (size_t)(end - *at));
    *at = stop ? stop + 1 : end;
    stop = stop ? stop : end;
    line->carriage_return = stop > line->start && stop[-1] == '\r';
    line->length = (size_t)(stop - line->start) - line->carriage_return;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_slurm(const char *marker)
{
    return !strcmp(marker, SCRIPT_MARKER_SLURM);
}

/* Returns whether the line is neither empty nor a comment. */
static bool is_command(const struct line *line)
{
    for (size_t i = 0; i < line->length; i++)
        if (!is_blank(line->start[i]))
            return line->start[i] != '#';
    return false;
}

static bool is_directive(const struct line *line, const char *marker)
{
    size_t length = strlen(marker);

    if (line->length < length || memcmp(line->start, marker, length) != 0)
        return false;
    return line->length == length || is_blank(line->start[length]) || is_slurm(marker);
}

static size_t bounded(size_t size)
{
    return size < SCRIPT_SIZE_MAX ? size : SCRIPT_SIZE_MAX;
}

/* Returns an array in the arena with room for two elements more than COUNT; NULL: OLD has enough room. OLD
 * stays in the arena. */
static void *grow(struct arena *arena, const void *old, size_t count, size_t *capacity, size_t size)
{
    void *longer;

    if (count + 2 <= *capacity)
        return NULL;
    *capacity = *capacity ? *capacity * 2 : 8;
    longer = arena_array0(arena, *capacity, size);
    if (count)
        memcpy(longer, old, count * size);
    return longer;
}

void script_init(struct script *script, struct arena *arena)
{
    *script = (struct script){ .arena = arena };
}

/* Adds a directive; WORDS (in the arena) ends with NULL. */
static void script_add(struct script *script, unsigned line, const char *const *words, size_t word_count)
{
    void *longer = grow(script->arena, script->directives, script->directive_count,
                        &script->directive_capacity, sizeof(*script->directives));

    if (longer)
        script->directives = longer;
    script->directives[script->directive_count++] = (struct script_directive){
        .line = line,
        .origin = script->origin,
        .written = script->written,
        .words = words,
        .word_count = word_count,
    };
}

void script_add_word(struct script *script, unsigned line, const char *word)
{
    const char **words = arena_array0(script->arena, 2, sizeof(*words));

    words[0] = word;
    script_add(script, line, words, 1);
}

void script_add_notice(struct script *script, unsigned line, bool strict, const char *format, ...)
{
    void *longer = grow(script->arena, script->notices, script->notice_count, &script->notice_capacity,
                        sizeof(*script->notices));
    char *text;
    va_list args;

    if (longer)
        script->notices = longer;
    va_start(args, format);
    text = mem_vprintf(format, args);
    va_end(args);
    script->notices[script->notice_count++] = (struct script_notice){
        .line = line,
        .origin = script->origin,
        .text = arena_strdup(script->arena, text),
        .strict = strict,
    };
    free(text);
}

bool script_has(const char *text, size_t size, const char *marker)
{
    const char *end = text + bounded(size);
    unsigned number = 0;
    struct line line;

    while (next_line(&text, end, &number, &line)) {
        if (is_command(&line))
            return false;
        if (is_directive(&line, marker))
            return true;
    }
    return false;
}

/* Words behind which a command follows. */
static bool is_before_command(const char *word, size_t length)
{
    static const char *const words[] = { "!",    "do",   "elif",  "else",  "exec", "if",
                                         "then", "time", "until", "while", "{" };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i]) == length && !memcmp(words[i], word, length))
            return true;
    return false;
}

/* Returns the length of the word at AT, of at most LENGTH bytes: up to a blank or an operator that is not
 * quoted. */
static size_t word_length(const char *at, size_t length)
{
    char quote = '\0';
    size_t i;

    for (i = 0; i < length; i++) {
        if (at[i] == '\\' && quote != '\'' && i + 1 < length)
            i++;
        else if (quote ? at[i] == quote : at[i] == '\'' || at[i] == '"')
            quote = quote ? '\0' : at[i];
        else if (!quote && (is_blank(at[i]) || strchr(";&|()", at[i])))
            break;
    }
    return i;
}

/* Returns whether the LENGTH bytes at AT begin with COMMAND, which may have several words, and end there. */
static bool begins_with(const char *at, size_t length, const char *command)
{
    size_t own = strlen(command);

    return length >= own && !memcmp(at, command, own) &&
           (length == own || is_blank(at[own]) || strchr(";&|()", at[own]));
}

/* Returns whether one of the commands of LINE is COMMAND: the first one, or one behind an operator or a word
 * as "then". */
static bool has_command(const struct line *line, const char *command)
{
    const char *at = line->start, *end = at + line->length;
    bool expected = true;

    while (at < end && *at != '#') {
        size_t length = word_length(at, (size_t)(end - at));

        if (length == 0) {
            expected = expected || !is_blank(*at);
            at++;
            continue;
        }
        if (expected && begins_with(at, (size_t)(end - at), command))
            return true;
        expected = expected && is_before_command(at, length);
        at += length;
    }
    return false;
}

unsigned script_find_command(const char *text, size_t size, const char *command)
{
    const char *end = text + bounded(size);
    unsigned number = 0;
    struct line line;

    while (next_line(&text, end, &number, &line))
        if (has_command(&line, command))
            return number;
    return 0;
}

/* --- words ------------------------------------------------------------------ */

struct words {
    struct arena *arena;
    const char *at, *end;
    const char **items;
    size_t count, capacity;
    bool slurm;     /* rules of sbatch */
    bool expands;   /* contains a '$' that a shell would have expanded */
    bool continues; /* the last word ends with a backslash */
};

static void add_word(struct words *words, const char *word)
{
    void *longer = grow(words->arena, words->items, words->count, &words->capacity, sizeof(*words->items));

    if (longer)
        words->items = longer;
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
}

/* Reads one word; WORD has room for the rest of the line. Returns false for an unclosed quote. */
static bool read_word(struct words *words, char *word)
{
    char quote = '\0';

    for (; words->at < words->end && (quote || !is_blank(*words->at)); words->at++) {
        char c = *words->at;

        if (quote ? c == quote : c == '\'' || c == '"') {
            quote = quote ? '\0' : c;
            continue;
        }
        if (c == '\\' && quote != '\'' && words->at + 1 < words->end)
            c = *++words->at;
        else if (c == '\\' && quote != '\'')
            words->continues = true;
        else if (c == '$' && quote != '\'')
            words->expands = true;
        *word++ = c;
    }
    *word = '\0';
    return quote == '\0';
}

/* The same by the rules of sbatch. */
static bool read_slurm_word(struct words *words, char *word)
{
    char quote = '\0';

    for (; words->at < words->end && (quote || !is_blank(*words->at)); words->at++) {
        char c = *words->at;

        if (c == '\\') {
            words->continues = words->at + 1 == words->end;
            if (words->continues || (!quote && is_blank(words->at[1])))
                continue;
            c = *++words->at;
        } else if (quote ? c == quote : c == '\'' || c == '"') {
            quote = quote ? '\0' : c;
            continue;
        } else if (c == '#' && !quote) {
            words->at = words->end;
            break;
        } else if (c == '$') {
            words->expands = true;
        }
        *word++ = c;
    }
    *word = '\0';
    return quote == '\0';
}

static bool split(struct words *words)
{
    while (words->at < words->end) {
        char *word;

        if (is_blank(*words->at)) {
            words->at++;
            continue;
        }
        if (*words->at == '#')
            break;
        word = arena_alloc0(words->arena, (size_t)(words->end - words->at) + 1);
        if (!(words->slurm ? read_slurm_word(words, word) : read_word(words, word)))
            return false;
        if (*word != '\0' || !words->continues || !words->slurm)
            add_word(words, word);
    }
    return true;
}

static int read_directive(struct script *script, const struct line *line, const char *marker, struct err *err)
{
    struct words words = {
        .arena = script->arena,
        .at = line->start + strlen(marker),
        .end = line->start + line->length,
        .slurm = is_slurm(marker),
    };

    if (memchr(line->start, '\0', line->length))
        return err_set(err, EINVAL, "has a NUL byte: the file is no text");
    if (!split(&words))
        return err_set(err, EINVAL, "a quote is not closed");
    if (words.continues && words.slurm)
        script_add_notice(script, line->number, true,
                          "a directive does not continue on the next line; the backslash is ignored");
    else if (words.continues)
        return err_set(err, EINVAL,
                       "ends with a backslash, but a directive does not continue on the next line: begin "
                       "that line with %s, too",
                       marker);
    if (script->directive_count == SCRIPT_DIRECTIVES_MAX)
        return err_set(err, EINVAL, "more than %d directives", SCRIPT_DIRECTIVES_MAX);
    if (words.expands)
        script_add_notice(script, line->number, false, "variables are not expanded in a directive");
    if (words.count)
        script_add(script, line->number, words.items, words.count);
    return 0;
}

/* --- the whole script -------------------------------------------------------- */

/* Adds the options of LINE, one of #PBS. */
static void read_pbs(struct script *script, const struct line *line)
{
    struct pbs_line read;

    pbs_line_read(line->start + strlen(PBS_MARKER), line->length - strlen(PBS_MARKER), script->arena, &read);
    if (read.others)
        script_add_notice(script, line->number, true, "#PBS %.*s: ignored; write it as a line of #SBATCH",
                          NOTICE_LINE_MAX, read.others);
    if (read.count == 0 || script->directive_count == SCRIPT_DIRECTIVES_MAX)
        return;
    script_add(script, line->number, read.words, read.count);
    script->directives[script->directive_count - 1].is_pbs = true;
}

/* Reads LINE if it is one of #PBS in a script of Slurm. Adds a notice if it is a directive of another marker:
 * lines of #BSUB, which sbatch applies, have one each. Else NOTICED has a bit for each marker that has
 * one. */
static void notice_other_marker(struct script *script, const struct line *line, const char *marker,
                                unsigned *noticed)
{
    for (size_t i = 0; i < MARKER_COUNT; i++) {
        if (!strcmp(markers[i], marker) || !is_directive(line, markers[i]))
            continue;
        if (is_slurm(marker) && !strcmp(markers[i], PBS_MARKER))
            read_pbs(script, line);
        else if (is_slurm(marker) && !strcmp(markers[i], LSF_MARKER)) /* sbatch applies these, too */
            script_add_notice(script, line->number, true, "%.*s: ignored; write it as a line of #SBATCH",
                              (int)(line->length < NOTICE_LINE_MAX ? line->length : NOTICE_LINE_MAX),
                              line->start);
        else if (!(*noticed & 1u << i))
            script_add_notice(script, line->number, false, "lines of %s are not read here%s", markers[i],
                              is_slurm(markers[i]) ? "; --from slurm reads them"
                              : !strcmp(markers[i], PBS_MARKER)
                                  ? "; --from slurm reads those that sbatch reads"
                                  : "");
        *noticed |= 1u << i;
    }
}

static int check_first_line(const struct line *line, struct err *err)
{
    if (line->carriage_return && line->length >= 2 && !memcmp(line->start, "#!", 2))
        return err_set(err, EINVAL,
                       "the line ends with a carriage return, as on Windows; the interpreter "
                       "would not be found: convert the script, as with dos2unix");
    return 0;
}

/* Refuses what sbatch refuses anywhere in a script. */
static int check_bytes(const char *text, size_t size, unsigned *line, struct err *err)
{
    const char *nul = memchr(text, '\0', size), *dos = memmem(text, size, "\r\n", 2);
    const char *found = nul && (!dos || nul < dos) ? nul : dos;

    if (!found)
        return 0;
    *line = 1;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(found - at))) != NULL; at++)
        ++*line;
    if (found == nul)
        return err_set(err, EINVAL, "has a NUL byte: the file is no text");
    return err_set(
        err, EINVAL,
        "Batch script contains DOS line breaks (\\r\\n) instead of expected UNIX line breaks (\\n): "
        "convert it, as with dos2unix");
}

int script_read(const char *text, size_t size, const char *marker, struct script *script, unsigned *line,
                struct err *err)
{
    const char *end = text + bounded(size);
    unsigned number = 0, noticed = 0;
    bool commands = false, late = false;
    struct line found;
    int r = is_slurm(marker) ? check_bytes(text, size, line, err) : 0;

    while (r == 0 && next_line(&text, end, &number, &found)) {
        commands = commands || is_command(&found);
        *line = found.number;
        if (number == 1 && (r = check_first_line(&found, err)) < 0)
            break;
        if (commands && !late && is_directive(&found, marker)) {
            /* sbatch, too, ignores them without an error: they may be those of another script, as in a
             * heredoc */
            script_add_notice(script, found.number, !is_slurm(marker),
                              "%s behind the first command is ignored, as is every later one", marker);
            late = true;
        } else if (!commands && is_directive(&found, marker)) {
            r = read_directive(script, &found, marker, err);
        } else if (!commands) {
            notice_other_marker(script, &found, marker, &noticed);
        }
    }
    if (r == 0 && !commands && size > bounded(size))
        script_add_notice(script, number, true, "directives behind the first MiB are not read");
    return r;
}
