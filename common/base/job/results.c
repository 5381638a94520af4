/* SPDX-License-Identifier: Apache-2.0 */
/* results.c - requested paths and the list of the results of a task */
#include "common/base/job/results.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

#define FIRST_LINE "creel-results 1"
#define LAST_LINE "end"

/* --- requested paths ------------------------------------------------------------------ */

static bool is_dot_dot(const char *at, size_t length)
{
    return length == 2 && at[0] == '.' && at[1] == '.';
}

static bool has_dot_dot(const char *path)
{
    while (*path) {
        size_t length = strcspn(path, "/");

        if (is_dot_dot(path, length))
            return true;
        path += length + (path[length] == '/');
    }
    return false;
}

int results_next_path(const char **text, char path[RESULTS_TEXT_MAX])
{
    const char *at = *text;
    size_t length = 0;

    if (*at == '\0')
        return 0;
    for (; *at && *at != ','; at++) {
        if (*at == '\\' && at[1] == ',')
            at++;
        if (length + 1 == RESULTS_TEXT_MAX)
            return -EINVAL;
        path[length++] = *at;
    }
    path[length] = '\0';
    /* A comma at the end is followed by an empty path. */
    if (length == 0 || *path == '/' || has_dot_dot(path) || (*at == ',' && at[1] == '\0'))
        return -EINVAL;
    *text = at + (*at == ',');
    return 1;
}

bool results_paths_valid(const char *text)
{
    char path[RESULTS_TEXT_MAX];
    size_t count = 0;
    int r = 0;

    if (strlen(text) >= RESULTS_TEXT_MAX)
        return false;
    while (count <= RESULTS_PATHS_MAX && (r = results_next_path(&text, path)) > 0)
        count++;
    return r == 0 && count > 0 && count <= RESULTS_PATHS_MAX;
}

/* --- links in an archive ---------------------------------------------------------------- */

/* Returns the number of directories above the last component of PATH. */
static size_t count_levels(const char *path)
{
    size_t levels = 0;

    while (*path) {
        size_t length = strcspn(path, "/");

        if (length > 0 && !(length == 1 && *path == '.'))
            levels++;
        path += length + (path[length] == '/');
    }
    return levels > 0 ? levels - 1 : 0;
}

bool results_link_stays_inside(const char *path, const char *target)
{
    size_t up = 0, levels = count_levels(path);
    bool at_beginning = true;

    if (*target == '/' || *target == '\0' || has_dot_dot(path))
        return false;
    while (*target) {
        size_t length = strcspn(target, "/");

        if (is_dot_dot(target, length) && (!at_beginning || ++up > levels))
            return false;
        /* After a name, which may be a link itself, ".." would lead elsewhere. */
        at_beginning = at_beginning && (length == 0 || *target == '.') && length <= 2 &&
                       (length < 2 || is_dot_dot(target, length));
        target += length + (target[length] == '/');
    }
    return true;
}

/* --- the list ----------------------------------------------------------------------------- */

static void clean(char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text))
            *text = '?';
}

void results_add_problem(struct results *results, const char *format, ...)
{
    bool is_full = results->problem_count == RESULTS_PROBLEMS_MAX;
    char *problem = results->problems[is_full ? RESULTS_PROBLEMS_MAX - 1 : results->problem_count];
    va_list args;

    if (is_full) {
        snprintf(problem, RESULTS_PROBLEM_MAX, "more problems are not listed");
        return;
    }
    results->problem_count++;
    va_start(args, format);
    vsnprintf(problem, RESULTS_PROBLEM_MAX, format, args);
    va_end(args);
    clean(problem);
}

void results_leave_out(struct results *results, const char *path)
{
    if (results->left_out++ > 0)
        return;
    snprintf(results->left_out_path, sizeof(results->left_out_path), "%s", path);
    clean(results->left_out_path);
}

size_t results_format(const struct results *results, char text[RESULTS_LIST_MAX])
{
    size_t used = 0;

    used += (size_t)snprintf(text, RESULTS_LIST_MAX,
                             FIRST_LINE "\nbytes %" PRId64 "\nentries %" PRId64 "\nsha256 ", results->bytes,
                             results->entries);
    for (size_t i = 0; i < RESULTS_HASH_BYTES; i++)
        used += (size_t)snprintf(text + used, RESULTS_LIST_MAX - used, "%02x", results->sha256[i]);
    used += (size_t)snprintf(text + used, RESULTS_LIST_MAX - used, "\n");
    if (results->left_out > 0)
        used += (size_t)snprintf(text + used, RESULTS_LIST_MAX - used, "left-out %" PRId64 " %s\n",
                                 results->left_out, results->left_out_path);
    for (size_t i = 0; i < results->problem_count; i++)
        used += (size_t)snprintf(text + used, RESULTS_LIST_MAX - used, "problem %s\n", results->problems[i]);
    used += (size_t)snprintf(text + used, RESULTS_LIST_MAX - used, LAST_LINE "\n");
    return used;
}

static bool read_hash(const char *text, uint8_t hash[RESULTS_HASH_BYTES])
{
    static const char digits[] = "0123456789abcdef";

    if (strlen(text) != 2 * RESULTS_HASH_BYTES)
        return false;
    for (size_t i = 0; i < RESULTS_HASH_BYTES; i++) {
        const char *high = strchr(digits, text[2 * i]), *low = strchr(digits, text[2 * i + 1]);

        if (high == NULL || low == NULL)
            return false;
        hash[i] = (uint8_t)((high - digits) << 4 | (low - digits));
    }
    return true;
}

static bool read_number(const char *text, int64_t *number)
{
    return text_parse_int64(text, number) && *number >= 0 && *number <= RESULTS_BYTES_MAX;
}

static bool read_problem(const char *text, struct results *results)
{
    if (results->problem_count == RESULTS_PROBLEMS_MAX || strlen(text) >= RESULTS_PROBLEM_MAX)
        return false;
    results_add_problem(results, "%s", text);
    return true;
}

static bool read_left_out(const char *text, struct results *results)
{
    const char *path = strchr(text, ' ');
    char number[24];

    if (path == NULL || (size_t)(path - text) >= sizeof(number) || strlen(path + 1) >= RESULTS_PATH_MAX)
        return false;
    snprintf(number, sizeof(number), "%.*s", (int)(path - text), text);
    results->left_out = 0;
    results_leave_out(results, path + 1);
    return read_number(number, &results->left_out);
}

/* Reads one line between the first and the last one. */
static bool read_line(const char *line, struct results *results)
{
    if (strncmp(line, "bytes ", 6) == 0)
        return read_number(line + 6, &results->bytes);
    if (strncmp(line, "entries ", 8) == 0)
        return read_number(line + 8, &results->entries);
    if (strncmp(line, "sha256 ", 7) == 0)
        return read_hash(line + 7, results->sha256);
    if (strncmp(line, "left-out ", 9) == 0)
        return read_left_out(line + 9, results);
    return strncmp(line, "problem ", 8) == 0 && read_problem(line + 8, results);
}

int results_parse(const char *text, size_t size, struct results *results)
{
    char line[RESULTS_PROBLEM_MAX + 16];
    bool is_first = true;

    *results = (struct results){ .bytes = 0 };
    while (size > 0) {
        const char *end = memchr(text, '\n', size);
        size_t length = end ? (size_t)(end - text) : size;

        if (end == NULL || length >= sizeof(line) || memchr(text, '\0', length) != NULL)
            return -EINVAL;
        memcpy(line, text, length);
        line[length] = '\0';
        text += length + 1;
        size -= length + 1;
        if (strcmp(line, LAST_LINE) == 0)
            return is_first || size > 0 ? -EINVAL : 0;
        if (is_first ? strcmp(line, FIRST_LINE) != 0 : !read_line(line, results))
            return -EINVAL;
        is_first = false;
    }
    return -EINVAL;
}
