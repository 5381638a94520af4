/* SPDX-License-Identifier: Apache-2.0 */
/* amount.c - parses amounts of resources in fair-scheduler.xml */
#include "rm/sched/fair/amount.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/problems.h"

#define EXPECTED \
    "expected \"1024 mb, 2 vcores\", \"memory-mb=1024, vcores=2\", \"50%%\" or " \
    "\"50%% memory, 25%% cpu\""

struct fair_amount fair_amount_unbounded(void)
{
    struct fair_amount amount = { .relative = false };

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        amount.value.value[t] = FAIR_UNBOUNDED;
    return amount;
}

static void set_fractions(struct fair_amount *amount, double fraction)
{
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        amount->fraction[t] = fraction;
}

/* Parses "50%" or "12.5 %", which must be the whole of TEXT. */
static bool parse_percent(const char *text, double *fraction)
{
    scoped_free char *copy = mem_strdup(text);
    char *number = text_trim(copy);
    size_t length = strlen(number);
    double percent;

    if (length == 0 || number[length - 1] != '%')
        return false;
    number[length - 1] = '\0';
    number = text_trim(number);
    if (!text_parse_double(number, &percent) || percent < 0)
        return false;
    *fraction = percent / 100.0;
    return true;
}

/* --- "memory-mb=1024, vcores=2" --------------------------------------------- */

/* Reads one pair: TEXT is the value of the type NAME. */
static int read_pair(const struct resource_types *types, const char *name, const char *text,
                     struct fair_amount *amount, struct err *err)
{
    int type = resource_types_index(types, name, strlen(name));
    char shown[PROBLEMS_SHOWN_MAX], value[PROBLEMS_SHOWN_MAX];
    int64_t number;

    problems_show(name, shown);
    problems_show(text, value);
    if (type < 0)
        return err_set(err, EINVAL, "\"%s\" is no resource (yarn.resource-types)", shown);
    if (amount->relative) {
        if (!parse_percent(text, &amount->fraction[type]))
            return err_set(err, EINVAL, "%s: \"%s\": expected a percentage as for the other resources", shown,
                           value);
    } else {
        if (!resource_types_amount(types, type, text, &number))
            return err_set(err, EINVAL, "%s: \"%s\": expected a whole number from 0", shown, value);
        amount->value.value[type] = number;
    }
    return 0;
}

static int parse_named(const struct resource_types *types, const char *text, int64_t missing,
                       struct fair_amount *amount, struct err *err)
{
    scoped_free char *copy = mem_strdup(text);
    char *rest = copy, shown[PROBLEMS_SHOWN_MAX];
    int r;

    amount->relative = strchr(text, '%') != NULL;
    set_fractions(amount, 1.0);
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        amount->value.value[t] = missing;
    for (char *pair; (pair = strsep(&rest, ",")) != NULL;) {
        char *equals = strchr(pair, '=');

        pair = text_trim(pair);
        if (*pair == '\0' && rest == NULL) /* a comma at the end */
            break;
        if (equals == NULL)
            return err_set(err, EINVAL, "\"%s\": expected <resource>=<amount>", problems_show(pair, shown));
        *equals = '\0';
        if ((r = read_pair(types, text_trim(pair), text_trim(equals + 1), amount, err)) < 0)
            return r;
    }
    return 0;
}

/* --- "1024 mb, 2 vcores" ------------------------------------------------------ */

/* Skips blanks at AT, then UNIT ("mb", "% memory"). Returns a pointer to the text after UNIT, or NULL if UNIT
 * does not follow. A blank in UNIT matches any number of blanks, also none. UNIT is in lower case; AT may
 * have either case. */
static char *skip_unit(char *at, const char *unit)
{
    at += strspn(at, " \t\r\n");
    for (; *unit != '\0'; unit++) {
        if (*unit == ' ')
            at += strspn(at, " \t\r\n");
        else if (tolower((unsigned char)*at) == *unit)
            at++;
        else
            return NULL;
    }
    return at;
}

/* Finds the first number in TEXT that is followed by UNIT. *NUMBER, owned by the caller, has neither sign nor
 * unit. Number and unit are replaced by blanks in TEXT. */
static bool find_number(char *text, const char *unit, bool *negative, char **number)
{
    char *start = text + strcspn(text, "0123456789");

    while (*start != '\0') {
        char *digits_end = start + strspn(start, "0123456789"), *end;

        if (*digits_end == '.')
            digits_end += 1 + strspn(digits_end + 1, "0123456789");
        if ((end = skip_unit(digits_end, unit)) != NULL) {
            *number = mem_strndup(start, (size_t)(digits_end - start));
            *negative = start > text && start[-1] == '-';
            start -= *negative;
            memset(start, ' ', (size_t)(end - start));
            return true;
        }
        start = digits_end + strcspn(digits_end, "0123456789");
    }
    return false;
}

static int read_whole(char *text, const char *unit, int64_t *value, struct err *err)
{
    scoped_free char *number = NULL;
    bool negative;
    char *dot;

    if (!find_number(text, unit, &negative, &number))
        return err_set(err, EINVAL, "\"%s\" is missing: " EXPECTED, unit);
    if ((dot = strchr(number, '.')) != NULL) /* "1024.5 mb": the fraction is dropped, as in YARN */
        *dot = '\0';
    if (negative)
        return err_set(err, EINVAL, "%s: -%s is below 0", unit, number);
    if (!text_parse_int64(number, value) || *value > RESOURCE_AMOUNT_MAX)
        return err_set(err, EINVAL, "%s: %.40s is too large", unit, number);
    return 0;
}

static int read_percent(char *text, const char *unit, double *fraction, struct err *err)
{
    scoped_free char *number = NULL;
    bool negative;
    double percent;

    if (!find_number(text, unit, &negative, &number))
        return err_set(err, EINVAL, "\"%s\" is missing: " EXPECTED, unit);
    if (negative)
        return err_set(err, EINVAL, "-%s%% is below 0", number);
    if (number[strlen(number) - 1] == '.')
        number[strlen(number) - 1] = '\0';
    if (!text_parse_double(number, &percent))
        return err_set(err, EINVAL, "%.40s%% is too large", number);
    *fraction = percent / 100.0;
    return 0;
}

/* Returns the rest of TEXT without the numbers, for a warning; NULL: nothing is left. The caller frees it. */
static char *left_over(char *text)
{
    if (text[strspn(text, " \t\r\n,")] == '\0')
        return NULL;
    return mem_strdup(text_trim(text + strspn(text, " \t\r\n,")));
}

/* Differs: in YARN, "50% memory 25% cpu" without a comma is 50 % of everything. */
static int parse_percentages(const char *text, struct fair_amount *amount, char **rest, struct err *err)
{
    scoped_free char *copy = mem_strdup(text);
    bool both = strcasestr(text, "memory") || strcasestr(text, "cpu") || strchr(text, ',');
    double fraction;
    int r;

    amount->relative = true;
    set_fractions(amount, 1.0);
    if (!both) {
        if ((r = read_percent(copy, "%", &fraction, err)) < 0)
            return r;
        set_fractions(amount, fraction);
    } else {
        if ((r = read_percent(copy, "% memory", &amount->fraction[RESOURCE_MEMORY_MB], err)) < 0 ||
            (r = read_percent(copy, "% cpu", &amount->fraction[RESOURCE_VCORES], err)) < 0)
            return r;
    }
    *rest = left_over(copy);
    return 0;
}

static int parse_plain(const char *text, int64_t missing, struct fair_amount *amount, char **rest,
                       struct err *err)
{
    scoped_free char *copy = mem_strdup(text);
    int r;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        amount->value.value[t] = missing;
    if ((r = read_whole(copy, "mb", &amount->value.value[RESOURCE_MEMORY_MB], err)) < 0 ||
        (r = read_whole(copy, "vcores", &amount->value.value[RESOURCE_VCORES], err)) < 0)
        return r;
    *rest = left_over(copy);
    return 0;
}

int fair_amount_parse(const struct resource_types *types, const char *text, int64_t missing,
                      struct fair_amount *amount, char **rest, struct err *err)
{
    struct fair_amount found = { .relative = false };
    char *over = NULL;
    int r;

    if (text[strspn(text, " \t\r\n")] == '\0')
        r = err_set(err, EINVAL, "is empty: " EXPECTED);
    else if (strchr(text, '='))
        r = parse_named(types, text, missing, &found, err);
    else if (strchr(text, '%'))
        r = parse_percentages(text, &found, &over, err);
    else
        r = parse_plain(text, missing, &found, &over, err);
    if (r < 0)
        return r;
    *amount = found;
    *rest = over;
    return 0;
}

struct resource fair_amount_resolve(const struct fair_amount *amount, const struct resource *total)
{
    struct resource result = amount->value;

    if (!amount->relative)
        return result;
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++) {
        double part = (double)total->value[t] * amount->fraction[t];

        result.value[t] = part >= (double)INT64_MAX ? INT64_MAX : (int64_t)part;
    }
    return result;
}
