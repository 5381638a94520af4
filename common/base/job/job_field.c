/* SPDX-License-Identifier: Apache-2.0 */
/* job_field.c - parses and checks values of the job fields of job_field_table.h */
#include "common/base/job/job_field.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/base/job/exit_status.h"
#include "common/base/job/mail.h"
#include "common/base/job/results.h"
#include "common/base/job/soft_limits.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

const struct job_field job_fields[JOB_FIELD_COUNT] = {
#define ROW(member, kind, letter, option, argument, json, low, high, help, manual) \
    [JOB_FIELD_##member] = { JOB_##kind, letter, option, argument, json, low, high, help },
    JOB_FIELDS(ROW)
#undef ROW
};

bool job_field_is_text(const struct job_field *field)
{
    switch (field->kind) {
    case JOB_TEXT:
    case JOB_LIST:
    case JOB_PATH:
    case JOB_SIGNAL:
    case JOB_LIMIT_SIGNAL:
    case JOB_SIGNAL_TO:
    case JOB_RETRY:
    case JOB_SYSTEM:
    case JOB_PATTERN:
    case JOB_RESULTS:
    case JOB_OPEN_MODE:
    case JOB_LIMITS:
    case JOB_MAIL_TYPE:
    case JOB_MAIL_USER:
    case JOB_OCTAL:
        return true;
    case JOB_NUMBER:
    case JOB_ROOT_NEGATIVE:
    case JOB_SECONDS:
    case JOB_TIME:
    case JOB_FLAG:
    case JOB_DISCONNECT:
        break;
    }
    return false;
}

bool job_field_is_given(const struct job_field *field, const struct job_value *value)
{
    return job_field_is_text(field) ? value->text != NULL && *value->text != '\0' : value->number != 0;
}

/* Describes the valid values of FIELD on the command line. */
static void describe(const struct job_field *field, char text[160])
{
    switch (field->kind) {
    case JOB_TEXT:
    case JOB_LIST:
    case JOB_PATH:
        snprintf(text, 160, "a text");
        break;
    case JOB_SIGNAL:
        snprintf(text, 160, "HUP, INT, QUIT, USR1, USR2, ALRM, TERM, CONT, URG or WINCH");
        break;
    case JOB_LIMIT_SIGNAL:
        snprintf(text, 160,
                 "a signal and a time, as USR1@60, TERM@5m or @90 (1 s to 30 days); signals are "
                 "HUP, INT, QUIT, USR1, USR2, ALRM, TERM, CONT, URG and WINCH");
        break;
    case JOB_SIGNAL_TO:
        snprintf(text, 160,
                 "all, first (the first process alone), others (all but the first) or steps (those of srun)");
        break;
    case JOB_RETRY:
        snprintf(text, 160, "node, preempt, oom and exit:N (N from 1 to 255), separated by commas");
        break;
    case JOB_SYSTEM:
        snprintf(text, 160, "slurm or creel");
        break;
    case JOB_PATTERN:
        snprintf(text, 160,
                 "the path of a file, in which %%j, %%A, %%a, %%b, %%x, %%u, %%N, %%t and %%%% "
                 "are replaced");
        break;
    case JOB_RESULTS:
        snprintf(text, 160,
                 "1 to %d paths or patterns below the working directory, without \"..\", separated by commas",
                 RESULTS_PATHS_MAX);
        break;
    case JOB_OPEN_MODE:
        snprintf(text, 160, "append or truncate");
        break;
    case JOB_LIMITS:
        snprintf(text, 160, "soft limits, as CORE=0,NOFILE=4096,STACK=unlimited");
        break;
    case JOB_MAIL_TYPE:
        snprintf(text, 160, "%s", MAIL_TYPES_EXPECTED);
        break;
    case JOB_MAIL_USER:
        snprintf(text, 160,
                 "addresses or names of users, separated by commas, without control characters, at most %d "
                 "bytes; none may begin with \"-\"",
                 MAIL_USERS_BYTES_MAX);
        break;
    case JOB_OCTAL:
        snprintf(text, 160, "an octal number from %#" PRIo64 " to %#" PRIo64, (uint64_t)field->low,
                 (uint64_t)field->high);
        break;
    case JOB_NUMBER:
    case JOB_ROOT_NEGATIVE:
    case JOB_TIME:
    case JOB_FLAG:
        snprintf(text, 160, "a number from %" PRId64 " to %" PRId64, field->low, field->high);
        break;
    case JOB_SECONDS:
        snprintf(text, 160, "a time, as 90 (seconds), 5m, 2h, 1:30:00 or 2-00:00:00");
        break;
    case JOB_DISCONNECT:
        snprintf(text, 160, "keep, or stop-after=TIME with a time from 1s to 30d, as stop-after=30s");
        break;
    }
}

/* Returns -1 if TEXT is not an octal number of at most six digits. */
static int64_t read_octal(const char *text)
{
    int64_t number = 0;
    size_t i;

    for (i = 0; text[i] >= '0' && text[i] <= '7' && i < 6; i++)
        number = number * 8 + (text[i] - '0');
    return i > 0 && text[i] == '\0' ? number : -1;
}

/* Reads %LETTER or %WIDTHLETTER at TEXT, which begins with '%'. WIDTH is 0 if there is none. Returns the
 * length; 0: it is neither. */
static size_t read_pattern_item(const char *text, char *letter, int *width)
{
    size_t digits = strspn(text + 1, "0123456789");
    int64_t number = 0;

    *letter = text[1 + digits];
    *width = 0;
    if (*letter == '\0' || strchr(digits > 0 ? JOB_PATTERN_NUMBERS : JOB_PATTERN_LETTERS, *letter) == NULL)
        return 0;
    for (size_t i = 1; i <= digits && number <= JOB_PATTERN_WIDTH_MAX; i++)
        number = number * 10 + (text[i] - '0');
    *width = (int)number;
    return number <= JOB_PATTERN_WIDTH_MAX ? digits + 2 : 0;
}

static bool is_pattern(const char *text)
{
    size_t length;
    char letter;
    int width;

    if (*text == '\0' || text[strlen(text) - 1] == '/')
        return false;
    for (text = strchr(text, '%'); text != NULL; text = strchr(text + length, '%'))
        if ((length = read_pattern_item(text, &letter, &width)) == 0)
            return false;
    return true;
}

/* Returns the bytes of the longest value of %LETTER; a number with leading zeros is shorter. */
static size_t longest_value(char letter)
{
    if (letter == '%')
        return 1;
    return strchr(JOB_PATTERN_NUMBERS, letter) ? JOB_PATTERN_NUMBER_LONGEST : JOB_PATTERN_NAME_LONGEST;
}

size_t job_field_pattern_longest(const char *pattern)
{
    size_t longest = 0;

    while (*pattern != '\0') {
        size_t length = strcspn(pattern, "%");
        char letter;
        int width;

        longest += length;
        pattern += length;
        if (*pattern == '\0')
            break;
        length = read_pattern_item(pattern, &letter, &width);
        longest += length > 0 ? longest_value(letter) : 1;
        pattern += length > 0 ? length : 1;
    }
    return longest;
}

/* Adds the item of LENGTH bytes at ITEM, or its value with leading zeros up to WIDTH. */
static void add_item(struct text_builder *name, const char *value, int width, const char *item, size_t length)
{
    if (value == NULL) {
        text_builder_add_bytes(name, item, length);
        return;
    }
    for (size_t digits = strlen(value); digits < (size_t)width; digits++)
        text_builder_add(name, "0");
    text_builder_add(name, value);
}

char *job_field_pattern_expand(const char *pattern, const struct job_pattern_values *values,
                               struct arena *arena)
{
    struct text_builder name = TEXT_BUILDER_IN(arena);

    while (*pattern != '\0' && name.length <= JOB_PATH_MAX) {
        size_t length = strcspn(pattern, "%");
        char letter = '\0';
        int width = 0;

        text_builder_add_bytes(&name, pattern, length);
        pattern += length;
        if (*pattern == '\0')
            break;
        length = read_pattern_item(pattern, &letter, &width);
        add_item(&name, length > 0 ? values->of[(unsigned char)letter] : NULL, width, pattern,
                 length > 0 ? length : 1);
        pattern += length > 0 ? length : 1;
    }
    return name.length > 0 && name.length <= JOB_PATH_MAX ? text_builder_finish(&name) : NULL;
}

#define LIMIT_SIGNAL_AHEAD_MS 60000
#define LIMIT_SIGNAL_AHEAD_MS_MAX (INT64_C(30) * 24 * 3600 * 1000)

bool job_field_parse_limit_signal(const char *text, int *signal_number, int64_t *ahead_ms)
{
    const char *at = strchr(text, '@');
    int64_t time_ms = LIMIT_SIGNAL_AHEAD_MS;
    int number = SIGTERM;
    char name[16];

    if (*text == '\0' || (at && (size_t)(at - text) >= sizeof(name)) || (!at && strlen(text) >= sizeof(name)))
        return false;
    snprintf(name, sizeof(name), "%.*s", at ? (int)(at - text) : (int)strlen(text), text);
    if (at && (!text_parse_time_ms(at + 1, 1000, &time_ms) || time_ms < 1000 ||
               time_ms > LIMIT_SIGNAL_AHEAD_MS_MAX))
        return false;
    if (*name != '\0' && !text_parse_signal(name, &number))
        return false;
    *signal_number = number;
    *ahead_ms = time_ms;
    return true;
}

bool job_field_parse_signal_to(const char *text, enum job_signal_to *to)
{
    static const char *const words[] = {
        [JOB_SIGNAL_TO_ALL] = "all",
        [JOB_SIGNAL_TO_FIRST] = "first",
        [JOB_SIGNAL_TO_OTHERS] = "others",
        [JOB_SIGNAL_TO_STEPS] = "steps",
    };

    *to = JOB_SIGNAL_TO_ALL;
    if (text == NULL || *text == '\0')
        return true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i], text) != 0)
            continue;
        *to = (enum job_signal_to)i;
        return true;
    }
    return false;
}

static bool parse_exit(const char *text, size_t length, struct retry_rule *rule)
{
    char number[8];
    int64_t status;

    if (length == 0 || length >= sizeof(number))
        return false;
    snprintf(number, sizeof(number), "%.*s", (int)length, text);
    if (!text_parse_int64(number, &status) || status < 1 || status > 255)
        return false;
    rule->exits[status / 8] |= (uint8_t)(1u << (status % 8));
    return true;
}

static bool parse_end(const char *text, size_t length, struct retry_rule *rule)
{
#define IS(word) (length == strlen(word) && !strncmp(text, word, length))
    if (length > strlen("exit:") && !strncmp(text, "exit:", strlen("exit:")))
        return parse_exit(text + strlen("exit:"), length - strlen("exit:"), rule);
    rule->node |= IS("node");
    rule->preempt |= IS("preempt");
    rule->oom |= IS("oom");
    return IS("node") || IS("preempt") || IS("oom");
#undef IS
}

bool job_field_parse_retry(const char *text, struct retry_rule *rule)
{
    *rule = (struct retry_rule){ .node = false };
    for (;;) {
        size_t length = strcspn(text, ",");

        if (!parse_end(text, length, rule))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

bool job_field_retry_has(const struct retry_rule *rule, int32_t status)
{
    switch (status) {
    case CONTAINER_EXIT_ABORTED:
    case CONTAINER_EXIT_DISKS:
    case CONTAINER_EXIT_NOT_STARTED:
        return rule->node;
    case CONTAINER_EXIT_PREEMPTED:
        return rule->preempt;
    case CONTAINER_EXIT_PHYSICAL:
    case CONTAINER_EXIT_VIRTUAL:
        return rule->oom;
    default:
        break;
    }
    if (status == CONTAINER_EXIT_LOST && rule->node)
        return true;
    return status > 0 && status <= 255 && (rule->exits[status / 8] >> (status % 8) & 1) != 0;
}

static bool is_within(const struct job_field *field, int64_t number)
{
    return number >= field->low && number <= field->high;
}

/* Returns true if VALUE, which was given, is allowed. */
static bool is_allowed(const struct job_field *field, const struct job_value *value)
{
    struct soft_limits limits;
    enum job_signal_to to;
    struct retry_rule rule;
    unsigned mail_types;
    int64_t ahead_ms;
    int number;

    switch (field->kind) {
    case JOB_TEXT:
    case JOB_LIST:
    case JOB_PATH:
        return true;
    case JOB_SIGNAL:
        return text_parse_signal(value->text, &number);
    case JOB_LIMIT_SIGNAL:
        return job_field_parse_limit_signal(value->text, &number, &ahead_ms);
    case JOB_SIGNAL_TO:
        return *value->text != '\0' && job_field_parse_signal_to(value->text, &to);
    case JOB_RETRY:
        return job_field_parse_retry(value->text, &rule);
    case JOB_SYSTEM:
        return !strcmp(value->text, "slurm") || !strcmp(value->text, "creel");
    case JOB_PATTERN:
        return is_pattern(value->text);
    case JOB_RESULTS:
        return results_paths_valid(value->text);
    case JOB_OPEN_MODE:
        return !strcmp(value->text, "append") || !strcmp(value->text, "truncate");
    case JOB_LIMITS:
        return soft_limits_read(value->text, &limits);
    case JOB_MAIL_TYPE:
        return mail_types_read(value->text, &mail_types);
    case JOB_MAIL_USER:
        return mail_users_are_valid(value->text);
    case JOB_OCTAL:
        return is_within(field, read_octal(value->text));
    case JOB_NUMBER:
    case JOB_ROOT_NEGATIVE:
    case JOB_SECONDS:
    case JOB_TIME:
    case JOB_FLAG:
    case JOB_DISCONNECT:
        return is_within(field, value->number);
    }
    return false;
}

static bool read_word(const struct job_field *field, const char *word, struct job_value *value)
{
    int64_t ms;

    *value = (struct job_value){ .text = word };
    switch (field->kind) {
    case JOB_TEXT:
    case JOB_LIST:
    case JOB_PATH:
    case JOB_SIGNAL:
    case JOB_LIMIT_SIGNAL:
    case JOB_SIGNAL_TO:
    case JOB_RETRY:
    case JOB_SYSTEM:
    case JOB_PATTERN:
    case JOB_RESULTS:
    case JOB_OPEN_MODE:
    case JOB_LIMITS:
    case JOB_MAIL_TYPE:
    case JOB_MAIL_USER:
    case JOB_OCTAL:
        break;
    case JOB_FLAG:
        value->number = 1;
        break;
    case JOB_NUMBER:
    case JOB_ROOT_NEGATIVE:
    case JOB_TIME:
        return text_parse_int64(word, &value->number) && is_within(field, value->number);
    case JOB_SECONDS:
        if (!text_parse_time_ms(word, 1000, &ms))
            return false;
        value->number = ms / 1000;
        return is_within(field, value->number);
    case JOB_DISCONNECT:
        if (!text_parse_on_disconnect(word, &ms))
            return false;
        value->number = ms > 0 ? ms : -1;
        break;
    }
    return is_allowed(field, value);
}

/* Returns whether WORD is a time above the largest one of FIELD. */
static bool is_too_long(const struct job_field *field, const char *word)
{
    int64_t ms;

    return field->kind == JOB_SECONDS && text_parse_time_ms(word, 1000, &ms) && ms / 1000 > field->high;
}

int job_field_parse(const struct job_field *field, const char *word, struct job_value *value, struct err *err)
{
    struct job_value read;
    char expected[160];

    if (is_too_long(field, word))
        return err_set(err, EINVAL, "--%s %s: is too long; at most %" PRId64 " seconds are allowed",
                       field->option, word, field->high);
    if (!read_word(field, word, &read)) {
        describe(field, expected);
        return err_set(err, EINVAL, "--%s %s: expected %s", field->option, word, expected);
    }
    *value = read;
    return 0;
}

static bool is_for_root(const struct job_field *field, const struct job_value *value, const char *user)
{
    return field->kind == JOB_ROOT_NEGATIVE && value->number < 0 && user != NULL && strcmp(user, "root") != 0;
}

int job_values_check(const struct job_values *values, const char *user, struct err *err)
{
    for (int i = 0; i < JOB_FIELD_COUNT; i++) {
        const struct job_field *field = &job_fields[i];
        const struct job_value *value = &values->of[i];
        char expected[160];

        if (!job_field_is_given(field, value))
            continue;
        if (is_for_root(field, value, user))
            return err_set(err, EPERM, "%s %" PRId64 ": user %s may not give less than 0; only root may",
                           field->option, value->number, user);
        if (is_allowed(field, value))
            continue;
        describe(field, expected);
        if (job_field_is_text(field))
            return err_set(err, EINVAL, "%s %s: expected %s", field->option, value->text, expected);
        return err_set(err, EINVAL, "%s %" PRId64 ": expected %s", field->option, value->number, expected);
    }
    return 0;
}

int job_values_check_sizes(const struct job_values *values, struct err *err)
{
    for (int i = 0; i < JOB_FIELD_COUNT; i++) {
        const struct job_field *field = &job_fields[i];
        const char *text = values->of[i].text;
        size_t size;

        if ((field->kind != JOB_PATH && field->kind != JOB_PATTERN) || text == NULL)
            continue;
        size = strlen(text);
        if (size > JOB_PATH_MAX)
            return err_set(err, EINVAL, "%s: has %zu bytes, more than the %d of a path", field->option, size,
                           JOB_PATH_MAX);
        size = field->kind == JOB_PATTERN ? job_field_pattern_longest(text) : 0;
        if (size > JOB_PATH_MAX)
            return err_set(
                err, EINVAL,
                "%s: the name may have %zu bytes when its %% items are replaced (%d for a user, host or "
                "job name, %d for a number), more than the %d of a path",
                field->option, size, JOB_PATTERN_NAME_LONGEST, JOB_PATTERN_NUMBER_LONGEST, JOB_PATH_MAX);
    }
    return 0;
}
