/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_value.c - rewrites values of sbatch's options into the form of creel's */
#include "client/script/slurm_value.h"

#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/job/array_spec.h"
#include "common/base/job/depends.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

#define DIGITS "0123456789"

/* Reads a number of digits alone, at most MOST. */
static bool read_number(const char *text, size_t length, int64_t most, int64_t *number)
{
    *number = 0;
    if (length == 0 || length > 18)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *number = *number * 10 + (text[i] - '0');
    }
    return *number <= most;
}

/* --- signals ---------------------------------------------------------------- */

/* Those that sbatch knows by name; creel sends those that are SENT. */
static const struct {
    const char *name;
    int number;
    bool sent;
} signals[] = {
    { "HUP", SIGHUP, true },    { "INT", SIGINT, true },    { "QUIT", SIGQUIT, true },
    { "ABRT", SIGABRT, false }, { "KILL", SIGKILL, false }, { "ALRM", SIGALRM, true },
    { "TERM", SIGTERM, true },  { "USR1", SIGUSR1, true },  { "USR2", SIGUSR2, true },
    { "URG", SIGURG, true },    { "CONT", SIGCONT, true },  { "STOP", SIGSTOP, false },
    { "TSTP", SIGTSTP, false }, { "TTIN", SIGTTIN, false }, { "TTOU", SIGTTOU, false },
};

static bool read_signal(const char *name, size_t length, int *number)
{
    int64_t value;

    if (read_number(name, length, 1000, &value)) {
        *number = (int)value;
        return value > 0;
    }
    if (length > 3 && strncasecmp(name, "SIG", 3) == 0) {
        name += 3;
        length -= 3;
    }
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (strlen(signals[i].name) == length && strncasecmp(signals[i].name, name, length) == 0) {
            *number = signals[i].number;
            return true;
        }
    return false;
}

bool slurm_signal_read(const char *text, struct slurm_signal *signal)
{
    const char *at = strchr(text, '@');
    const char *colon = strchr(text, ':');
    size_t length;

    *signal = (struct slurm_signal){ .ahead_s = 60 };
    if (colon != NULL && (at == NULL || colon < at)) {
        if (strspn(text, "RBrb") != (size_t)(colon - text))
            return false;
        signal->shell = strcspn(text, "Bb") < (size_t)(colon - text);
        signal->overlaps = strcspn(text, "Rr") < (size_t)(colon - text);
        text = colon + 1;
    }
    length = at != NULL ? (size_t)(at - text) : strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    if (!read_signal(text, length, &signal->number))
        return false;
    return at == NULL || at[1] == '\0' ||
           read_number(at + 1, strlen(at + 1), SLURM_SIGNAL_AHEAD_S_MAX, &signal->ahead_s);
}

const char *slurm_signal_name(int number)
{
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (signals[i].number == number && signals[i].sent)
            return signals[i].name;
    return NULL;
}

/* --- names of files ------------------------------------------------------------ */

/* Adds a character that is no sequence. */
static void add_plain(struct text_builder *name, char c)
{
    char text[3] = { c, c == '%' ? '%' : '\0', '\0' };

    text_builder_add(name, text);
}

static void add_zeros(struct text_builder *name, size_t width, const char *value)
{
    for (size_t length = strlen(value); length < width; length++)
        text_builder_add(name, "0");
    text_builder_add(name, value);
}

/* Adds the sequence of LETTER with WIDTH digits (0: as many as there are). Returns false if there is none. */
static bool add_sequence(struct text_builder *name, char letter, size_t width)
{
    char text[16] = "%";

    if (letter == 'x' || letter == 'u' || letter == 'N' || (letter == '%' && width == 0)) {
        text[1] = letter;
        text_builder_add(name, text);
        return true;
    }
    if (letter == 's' || letter == 'n' || letter == 't') { /* of the script, which is no task */
        add_zeros(name, letter == 's' ? 0 : width, letter == 's' ? "batch" : "0");
        return true;
    }
    if (letter == '\0' || strchr("jJAab", letter) == NULL)
        return false;
    if (width > 0)
        text_builder_printf(name, "%%%zu%c", width, letter == 'J' ? 'j' : letter);
    else
        text_builder_printf(name, "%%%c", letter == 'J' ? 'j' : letter);
    return true;
}

const char *slurm_pattern(const char *text, struct arena *arena)
{
    struct text_builder name = TEXT_BUILDER_IN(arena);
    bool plain = strchr(text, '\\') != NULL; /* nothing is replaced then */

    while (*text != '\0') {
        size_t digits = *text == '%' ? strspn(text + 1, DIGITS) : 0;
        int64_t width = 0;

        if (plain) {
            text += *text == '\\' && text[1] != '\0';
            add_plain(&name, *text++);
            continue;
        }
        (void)(digits > 0 && read_number(text + 1, digits, INT32_MAX, &width));
        width = width > 10 ? 10 : width;
        if (*text == '%' && text[1] == '%') {
            text_builder_add(&name, "%%");
            text += 2;
        } else if (*text == '%' && add_sequence(&name, text[1 + digits], (size_t)width)) {
            text += digits + 2;
        } else {
            /* sbatch drops the percent sign of an unknown sequence that has a width. */
            if (*text != '%' || digits == 0)
                add_plain(&name, *text);
            text++;
        }
    }
    return text_builder_finish(&name);
}

/* --- arrays ----------------------------------------------------------------- */

#define INDEX_MAX 4000000 /* of Slurm; see MaxArraySize */

struct indexes {
    bool *has; /* INDEX_MAX + 1 */
    int64_t last;
};

/* Reads an index, with blanks before it. */
static bool read_index(const char *text, size_t length, int64_t *index)
{
    size_t blanks = 0;

    while (blanks < length && (text[blanks] == ' ' || text[blanks] == '\t'))
        blanks++;
    return read_number(text + blanks, length - blanks, INDEX_MAX, index);
}

/* Reads FIRST[-LAST[:STEP]]. */
static bool add_range(struct indexes *indexes, const char *text, size_t length)
{
    const char *end = text + length;
    const char *dash = memchr(text, '-', length);
    const char *colon = memchr(text, ':', length);
    int64_t first, last, step = 1;

    if (colon != NULL && dash == NULL)
        return false;
    if (!read_index(text, (size_t)((dash ? dash : end) - text), &first))
        return false;
    last = first;
    if (dash && !read_index(dash + 1, (size_t)((colon ? colon : end) - dash - 1), &last))
        return false;
    if (colon && (!read_index(colon + 1, (size_t)(end - colon - 1), &step) || step == 0))
        return false;
    for (int64_t i = first; i <= last; i += step) {
        indexes->has[i] = true;
        indexes->last = i > indexes->last ? i : indexes->last;
    }
    return first <= last;
}

static void add_indexes(struct text_builder *text, const struct indexes *indexes)
{
    for (int64_t i = 0, end; i <= indexes->last; i = end + 1) {
        end = i;
        if (!indexes->has[i])
            continue;
        while (end < indexes->last && indexes->has[end + 1])
            end++;
        text_builder_printf(text, "%s%" PRId64, text->length > 0 ? "," : "", i);
        if (end > i)
            text_builder_printf(text, "-%" PRId64, end);
    }
}

/* Cuts off %N, which ends at a comma, and brackets around the text. AT_ONCE: N; 0: no limit. Returns false if
 * there is another %N. */
static bool prepare(char **text, int64_t *at_once)
{
    char *percent = strchr(*text, '%');
    size_t length;

    *at_once = 0;
    if (percent) {
        size_t digits = strspn(percent + 1, DIGITS);

        if (digits > 0 && !read_number(percent + 1, digits, INT64_MAX, at_once))
            return false;
        if (*at_once > ARRAY_TASKS_MAX)
            *at_once = ARRAY_TASKS_MAX; /* no array has more tasks */
        length = strcspn(percent, ",");
        memmove(percent, percent + length, strlen(percent + length) + 1);
    }
    *text += **text == '[';
    length = strlen(*text);
    if (length > 0 && (*text)[length - 1] == ']')
        (*text)[length - 1] = '\0';
    return strchr(*text, '%') == NULL;
}

/* Adds the range at TEXT as it is, but for blanks. */
static void add_plain_range(struct text_builder *done, const char *text)
{
    for (; *text != '\0' && *text != ','; text++)
        if (*text != ' ' && *text != '\t')
            add_plain(done, *text);
}

const char *slurm_array(const char *text, struct arena *arena)
{
    struct indexes indexes = { .last = -1 };
    struct text_builder done = TEXT_BUILDER_IN(arena);
    char *plain = arena_strdup(arena, text);
    const char *range = NULL;
    int64_t at_once;
    size_t length, count = 0;
    bool valid = prepare(&plain, &at_once);

    /* One range stays as it is, with its step, which the job's variables show. */
    indexes.has = mem_alloc0((INDEX_MAX + 1) * sizeof(*indexes.has));
    for (const char *at = plain; valid && *at != '\0'; at += length + (at[length] == ',')) {
        length = strcspn(at, ",");
        if (length == 0)
            continue;
        range = at;
        valid = add_range(&indexes, at, length);
        count++;
    }
    if (valid && count == 1)
        add_plain_range(&done, range);
    else if (valid)
        add_indexes(&done, &indexes);
    free(indexes.has);
    if (!valid || count == 0)
        return NULL;
    if (at_once > 0)
        text_builder_printf(&done, "%%%" PRId64, at_once);
    return text_builder_finish(&done);
}

/* --- dependencies ----------------------------------------------------------- */

/* Returns the word of sbatch that has the LENGTH bytes of NAME, in the form that creel knows; NULL: none. */
static const char *dependency_word(const char *name, size_t length)
{
    static const char *const words[][2] = {
        { "after", "after" },           { "afterany", "afterany" }, { "aftercorr", "aftercorr" },
        { "afternotok", "afternotok" }, { "afterok", "afterok" },   { "afterburstbuffer", "afterany" },
        { "singleton", "singleton" },
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i][0]) == length && !strncasecmp(words[i][0], name, length))
            return words[i][1];
    return NULL;
}

/* Adds 42_1:42_2 for 42_[1-2]. Returns false if ID has another form, or too many tasks, which FOUND counts
 * then. */
static bool add_tasks(struct text_builder *ids, const char *id, size_t length,
                      struct slurm_dependency_found *found)
{
    const char *open = memchr(id, '[', length);
    scoped_free char *indexes = NULL;
    struct array_spec spec;
    struct err err;
    bool is_small;

    if (open == NULL || id[length - 1] != ']')
        return false;
    indexes = mem_strndup(open + 1, (size_t)(id + length - open) - 2);
    if (array_spec_parse(indexes, &spec, &err) < 0)
        return false;
    is_small = spec.count <= DEPENDS_MAX;
    if (!is_small)
        found->too_many = spec.count;
    for (uint32_t i = 0; is_small && i < spec.count; i++)
        text_builder_printf(ids, "%s%.*s%u", i > 0 ? ":" : "", (int)(open - id), id,
                            array_spec_index(&spec, i));
    array_spec_done(&spec);
    return is_small;
}

/* Adds the LENGTH bytes of ID, as 42, 42_7, 42_[1-2], 42_* or 42+5, without blanks before it, "_*" and the
 * delay. Returns false if the id is empty or the delay is no number. */
static bool add_parent(struct text_builder *ids, const char *id, size_t length,
                       struct slurm_dependency_found *found)
{
    const char *plus;
    size_t own, digits;

    for (; length > 0 && (*id == ' ' || *id == '\t'); length--)
        id++;
    plus = memchr(id, '+', length);
    own = plus ? (size_t)(plus - id) : length;
    digits = plus ? strspn(plus + 1, DIGITS) : 0;
    if (own == 0 || (plus && (digits == 0 || own + 1 + digits != length)))
        return false;
    found->delayed = found->delayed || plus;
    if (own >= 2 && !memcmp(id + own - 2, "_*", 2))
        own -= 2;
    if (!add_tasks(ids, id, own, found))
        text_builder_add_bytes(ids, id, own);
    return found->too_many == 0;
}

/* Returns the number of bytes before the ',' or '?' that ends the first item of TEXT. */
static size_t item_length(const char *text)
{
    size_t length = 0;

    for (bool in_brackets = false; text[length] && (in_brackets || !strchr(",?", text[length])); length++)
        in_brackets = text[length] == '[' || (in_brackets && text[length] != ']');
    return length;
}

/* Adds ":" and each of IDS of LENGTH bytes, as 41:42. Returns false if one is empty. */
static bool add_parents(struct text_builder *items, const char *ids, size_t length,
                        struct slurm_dependency_found *found)
{
    const char *end = ids + length;

    while (true) {
        const char *stop = memchr(ids, ':', (size_t)(end - ids));
        size_t own = (size_t)((stop ? stop : end) - ids);

        text_builder_add(items, ":");
        if (!add_parent(items, ids, own, found))
            return false;
        if (!stop)
            return true;
        ids = stop + 1;
    }
}

/* Adds ITEM of LENGTH bytes, as afterok:41:42. Returns false if sbatch has no such word, or an id is
 * missing. */
static bool add_dependency(struct text_builder *items, const char *item, size_t length,
                           struct slurm_dependency_found *found)
{
    const char *colon = memchr(item, ':', length);
    size_t word_length = colon ? (size_t)(colon - item) : length;
    const char *word = dependency_word(item, word_length);
    bool is_number = length > 0 && *item >= '0' && *item <= '9';

    if (is_number) {
        text_builder_add(items, "afterany");
        return !colon && add_parents(items, item, length, found);
    }
    if (!word)
        return false;
    text_builder_add(items, word);
    if (!colon)
        return text_equal(word, "singleton");
    return add_parents(items, colon + 1, length - word_length - 1, found);
}

const char *slurm_dependency(const char *text, struct arena *arena, struct slurm_dependency_found *found)
{
    struct text_builder items = TEXT_BUILDER_IN(arena);

    *found = (struct slurm_dependency_found){ 0 };
    while (true) {
        size_t length = item_length(text);
        const char between[] = { text[length], '\0' };

        if (!add_dependency(&items, text, length, found))
            return NULL;
        text_builder_add(&items, between);
        if (text[length] == '\0')
            return text_builder_finish(&items);
        text += length + 1;
    }
}

const char *slurm_dependency_expected(const struct slurm_dependency_found *found, struct arena *arena)
{
    if (found->too_many == 0)
        return "afterok:ID[:ID...], afterany, afternotok, after, aftercorr, or singleton";
    return arena_printf(arena,
                        "at most %d jobs and tasks, and the range has %" PRIu32 ": depend on the whole array",
                        DEPENDS_MAX, found->too_many);
}

const char *slurm_dependency_of_one(const char *dependencies, struct arena *arena)
{
    static const char word[] = "aftercorr:";
    struct text_builder items = TEXT_BUILDER_IN(arena);
    const char *at;

    for (; (at = strstr(dependencies, word)) != NULL; dependencies = at + strlen(word)) {
        text_builder_add_bytes(&items, dependencies, (size_t)(at - dependencies));
        text_builder_add(&items, "afterok:");
    }
    text_builder_add(&items, dependencies);
    return text_builder_finish(&items);
}

/* --- words --------------------------------------------------------------------- */

static const struct {
    const char *option;
    bool is_list;
    const char *words[5]; /* of any case */
    const char *expected;
} word_values[] = {
    { "exclusive", false, { "exclusive", "user", "mcs", NULL }, "user or mcs, or no value" },
    { "hint",
      true,
      { "compute_bound", "memory_bound", "multithread", "nomultithread", NULL },
      "compute_bound, memory_bound, multithread or nomultithread" },
    { "kill-on-invalid-dep", false, { "yes", "no", NULL }, "yes or no" },
};

/* Returns whether the LENGTH bytes of WORD are one of WORDS. */
static bool is_one_of(const char *const *words, const char *word, size_t length)
{
    for (; *words; words++)
        if (strlen(*words) == length && !strncasecmp(*words, word, length))
            return true;
    return false;
}

const char *slurm_value_expected(const char *option, const char *value)
{
    size_t row = 0, length;

    while (row < sizeof(word_values) / sizeof(word_values[0]) && strcmp(word_values[row].option, option) != 0)
        row++;
    if (!value || row == sizeof(word_values) / sizeof(word_values[0]))
        return NULL;
    for (;; value += length + 1) {
        length = strcspn(value, word_values[row].is_list ? "," : "");
        if (!is_one_of(word_values[row].words, value, length))
            return word_values[row].expected;
        if (value[length] == '\0')
            return NULL;
    }
}

/* --- sizes ------------------------------------------------------------------ */

bool slurm_memory_read(const char *text, int64_t *bytes)
{
    static const char units[] = "KMGT";
    size_t digits = strspn(text, DIGITS);
    const char *unit = text + digits;
    int64_t number;
    int power = 2;

    if (!read_number(text, digits, INT64_C(1) << 40, &number))
        return false;
    if (*unit != '\0') {
        const char *known = strchr(units, *unit >= 'a' ? *unit - 'a' + 'A' : *unit);

        if (known == NULL || (unit[1] != '\0' && strcasecmp(unit + 1, "B") != 0))
            return false;
        power = (int)(known - units) + 1;
    }
    if (number > INT64_MAX >> (10 * power))
        return false;
    *bytes = number << (10 * power);
    return true;
}
