/* SPDX-License-Identifier: Apache-2.0 */
/* conf_resolve.c - computes the effective values of a configuration from its properties */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/conf_struct.h"
#include "common/conf/substitute.h"
#include "common/conf/yarn_keys.h"

#define TOTAL_BYTES_MAX ((size_t)64 << 20)
#define HINT_DISTANCE 5      /* edit distance of a suggestion for a key that is certainly wrong */
#define HINT_DISTANCE_YARN 2 /* for an unknown key that may be one of YARN's */

struct resolving {
    struct conf *conf;
    struct problems *problems;
    char *borrowed;              /* owned; result of the last lookup */
    size_t bytes;                /* total bytes of all substituted values so far */
    const enum conf_key *needed; /* keys whose errors count; NULL: all */
    size_t needed_count;
};

/* Returns "<file>:<line>: <name>" or "<name>", with which messages begin; owned by the caller. */
static char *subject(const struct conf_property *property, const char *name)
{
    char shown[PROBLEMS_SHOWN_MAX], place[CONF_ORIGIN_MAX];

    problems_show(name, shown);
    if (property == NULL || property->file == NULL)
        return mem_strdup(shown);
    return mem_printf("%s: %s", conf_property_place(property, property->value_line, place, sizeof(place)),
                      shown);
}

/* --- substitution ------------------------------------------------------------ */

/* Takes ownership of TEXT, and keeps it until the next lookup. */
static const char *lend(struct resolving *resolving, char *text)
{
    free(resolving->borrowed);
    resolving->borrowed = text;
    return text;
}

/* Returns user.name or user.home, which Hadoop's files use. */
static const char *look_up_user(struct resolving *resolving, const char *name)
{
    struct passwd entry, *found = NULL;
    char buffer[4096];
    bool wants_name = strcmp(name, "user.name") == 0;

    if (!wants_name && strcmp(name, "user.home") != 0)
        return NULL;
    if (getpwuid_r(geteuid(), &entry, buffer, sizeof(buffer), &found) != 0 || found == NULL)
        return NULL;
    return lend(resolving, mem_strdup(wants_name ? found->pw_name : found->pw_dir));
}

static const char *look_up(void *context, const char *name)
{
    struct resolving *resolving = context;
    const struct conf_property *property = conf_property_find(resolving->conf, name);
    enum conf_key key;

    if (property) {
        lend(resolving, mem_strdup(property->written));
        return text_trim(resolving->borrowed);
    }
    if (conf_key_find(name, &key))
        return conf_key_info(key)->default_text;
    return look_up_user(resolving, name);
}

/* Returns TEXT of NAME after substitution, owned by the caller; NULL on failure. The failure is reported as
 * an error only if creel uses the key (ACTED_ON). */
static char *resolve_text(struct resolving *resolving, const struct conf_property *property, const char *name,
                          const char *text, bool acted_on)
{
    scoped_free char *unknown = NULL;
    scoped_free char *whose = subject(property, name);
    char *result = NULL;
    char shown[PROBLEMS_SHOWN_MAX], shown_unknown[PROBLEMS_SHOWN_MAX];
    int error = substitute(text, look_up, resolving, &result, &unknown);

    if (!acted_on)
        return result;
    if (error == -ELOOP)
        problem_error(resolving->problems, EINVAL,
                      "%s: \"%s\": more than %d rounds of ${...}, does it contain itself?", whose,
                      problems_show(text, shown), SUBSTITUTE_ROUNDS);
    else if (error < 0)
        problem_error(resolving->problems, EINVAL,
                      "%s: \"%s\": larger than 1 MiB when its ${...} are replaced", whose,
                      problems_show(text, shown));
    else if (unknown)
        problem_warn(resolving->problems, "%s: \"%s\": there is no %s, so it is not replaced", whose,
                     problems_show(text, shown), problems_show(unknown, shown_unknown));
    return result;
}

/* --- checking ----------------------------------------------------------------- */

static void judge_known(struct resolving *resolving, const struct conf_property *property, enum conf_key key)
{
    const struct conf_key_info *info = conf_key_info(key);
    const char *text = info->type == CONF_ACL ? property->acl : property->trimmed;
    struct conf_value *value = &resolving->conf->values[key];
    scoped_free char *whose = subject(property, info->name);
    char shown[PROBLEMS_SHOWN_MAX], expected[CONF_VALUE_EXPECTED_MAX];

    if (!conf_value_judge(info, text, value))
        problem_error(resolving->problems, EINVAL, "%s: \"%s\": expected %s", whose,
                      problems_show(text, shown), conf_value_expected(info, expected));
    else if (value->fell_back)
        problem_warn(resolving->problems, "%s: \"%s\": expected true or false, so it is %s", whose,
                     problems_show(text, shown), value->text);
}

/* Reports a key of YARN on which creel does not act, with the reason. Frees WHOSE, the place and the name. */
static void note_of_yarn(struct problems *problems, const struct yarn_key_family *family,
                         const struct conf_property *property, char *whose)
{
    enum conf_effect effect = yarn_key_effect(family, property->trimmed);
    char shown[PROBLEMS_SHOWN_MAX];

    problem_note(problems, effect, "%s: \"%s\": %s: %s", whose, problems_show(property->trimmed, shown),
                 effect == CONF_ALWAYS ? "is always so here" : "has no effect here", family->reason);
    free(whose);
}

static void judge_unknown(struct problems *problems, const struct conf_property *property)
{
    bool ours = text_has_prefix(property->name, "creel.");
    bool yarns = text_has_prefix(property->name, "yarn.");
    const struct yarn_key_family *family = ours ? NULL : yarn_key_family_find(property->name);
    const char *nearest, *typed;
    char shown[PROBLEMS_SHOWN_MAX], place[CONF_ORIGIN_MAX];
    scoped_free char *hint = NULL;
    scoped_free char *where = NULL;

    /* Keys with the names of queues, nodes or types are checked by the code that uses them. */
    if ((!ours && !yarns && family == NULL) || yarn_key_elsewhere(property->name))
        return;
    nearest = conf_key_nearest(property->name, family ? HINT_DISTANCE_YARN : HINT_DISTANCE);
    typed = family && nearest == NULL ? yarn_key_nearest(property->name, HINT_DISTANCE_YARN) : NULL;
    nearest = typed ? typed : nearest;
    hint = nearest ? mem_printf(", did you mean %s?", nearest) : mem_strdup("");
    where = property->file
                ? mem_printf("%s: ", conf_property_place(property, property->name_line, place, sizeof(place)))
                : mem_strdup("");
    problems_show(property->name, shown);
    if (ours)
        problem_error(problems, EINVAL, "%s%s: unknown key%s", where, shown, hint);
    else if (family != NULL && nearest == NULL)
        note_of_yarn(problems, family, property, mem_printf("%s%s", where, shown));
    else
        problem_warn(problems, "%s%s: %s%s", where, shown,
                     family != NULL && typed == NULL ? "has no effect here" : "unknown key, ignored", hint);
}

/* Returns TEXT as an access list: a blank before the first word means that there are no users before the
 * groups, but the indentation of a new line means nothing. */
static char *acl_of(const char *text, const char *trimmed)
{
    size_t blanks = strspn(text, " \t\r\n\v\f");
    bool counts = blanks > 0 && memchr(text, '\n', blanks) == NULL;

    return mem_printf("%s%s", counts ? " " : "", trimmed);
}

/* Adds the size of TEXT to the total. Returns false if the total is too large; reports that once. */
static bool count_bytes(struct resolving *resolving, const char *text)
{
    bool before = resolving->bytes <= TOTAL_BYTES_MAX;

    resolving->bytes += strlen(text);
    if (resolving->bytes <= TOTAL_BYTES_MAX)
        return true;
    if (before)
        problem_error(resolving->problems, EINVAL,
                      "the values are larger than 64 MiB together when their ${...} are replaced");
    return false;
}

static bool is_needed(const struct resolving *resolving, enum conf_key key)
{
    for (size_t i = 0; i < resolving->needed_count; i++)
        if (resolving->needed[i] == key)
            return true;
    return false;
}

static void resolve_property(struct resolving *resolving, struct conf_property *property)
{
    enum conf_key key;
    bool known = conf_key_find(property->name, &key);
    scoped_free char *exact = resolve_text(resolving, property, property->name, property->written, known);
    scoped_free char *copy = NULL;
    bool resolved;

    if (exact && !count_bytes(resolving, exact)) {
        free(exact);
        exact = NULL;
    }
    resolved = exact != NULL;
    /* If creel does not use the key, the value stays as it was written. */
    if (exact == NULL)
        exact = mem_strdup(property->written);
    copy = mem_strdup(exact);
    free(property->trimmed);
    free(property->acl);
    property->trimmed = mem_strdup(text_trim(copy));
    property->acl = acl_of(exact, property->trimmed);
    if (!known)
        judge_unknown(resolving->problems, property);
    else if (resolved)
        judge_known(resolving, property, key);
}

static void resolve_default(struct resolving *resolving, enum conf_key key)
{
    const struct conf_key_info *info = conf_key_info(key);
    /* An error in another key that the value refers to has been reported already. */
    bool quiet = resolving->problems->count > 0;
    struct problems discarded = { .warn = NULL };
    struct resolving again = { .conf = resolving->conf,
                               .problems = quiet ? &discarded : resolving->problems };
    scoped_free char *text = resolve_text(&again, NULL, info->name, info->default_text, true);

    if (text && !conf_value_judge(info, text, &resolving->conf->values[key]))
        problem_error(again.problems, EINVAL, "%s: the default \"%s\" is no value of it", info->name, text);
    free(again.borrowed);
    problems_finish(&discarded, NULL);
}

/* Resolves PROPERTY without reporting its errors. */
static void resolve_tolerantly(struct resolving *resolving, struct conf_property *property)
{
    struct problems discarded = { .warn = NULL };
    struct resolving again = *resolving;
    enum conf_key key;

    again.problems = &discarded;
    resolve_property(&again, property);
    resolving->bytes = again.bytes;
    resolving->borrowed = again.borrowed;
    if (discarded.count > 0 && conf_key_find(property->name, &key))
        resolve_default(resolving, key);
    problems_finish(&discarded, NULL);
}

static void resolve_one(struct resolving *resolving, struct conf_property *property)
{
    enum conf_key key;
    bool counts =
        resolving->needed == NULL || (conf_key_find(property->name, &key) && is_needed(resolving, key));

    if (counts)
        resolve_property(resolving, property);
    else
        resolve_tolerantly(resolving, property);
}

static int compare_numbers(const struct conf_property *a, const struct conf_property *b)
{
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_names(const struct conf_property *a, const struct conf_property *b)
{
    return strcmp(a->name, b->name);
}

void conf_resolve(struct conf *conf, struct problems *problems)
{
    conf_resolve_needed(conf, NULL, 0, problems);
}

void conf_resolve_needed(struct conf *conf, const enum conf_key *needed, size_t count,
                         struct problems *problems)
{
    struct resolving resolving = {
        .conf = conf,
        .problems = problems,
        .needed = needed,
        .needed_count = count,
    };
    struct conf_property *property, *next;

    for (size_t i = 0; i < CONF_KEY_COUNT; i++) {
        free(conf->values[i].text);
        conf->values[i] = (struct conf_value){ .text = NULL };
    }
    HASH_SORT(conf->properties, compare_numbers);
    HASH_ITER(hh, conf->properties, property, next)
        resolve_one(&resolving, property);
    HASH_SORT(conf->properties, compare_names);
    for (unsigned i = 0; i < CONF_KEY_COUNT; i++)
        if (conf_property_find(conf, conf_key_info((enum conf_key)i)->name) == NULL)
            resolve_default(&resolving, (enum conf_key)i);
    free(resolving.borrowed);
}

/* --- pairs of keys -------------------------------------------------------------- */

void conf_judge_pairs(const struct conf *conf, struct problems *problems)
{
    static const struct {
        enum conf_key low, high;
    } pairs[] = {
        { CONF_MIN_ALLOCATION_MB, CONF_MAX_ALLOCATION_MB },
        { CONF_MIN_ALLOCATION_VCORES, CONF_MAX_ALLOCATION_VCORES },
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct conf_value *low = &conf->values[pairs[i].low];
        const struct conf_value *high = &conf->values[pairs[i].high];
        const char *low_name = conf_key_info(pairs[i].low)->name;
        const char *high_name = conf_key_info(pairs[i].high)->name;
        scoped_free char *whose = subject(conf_property_find(conf, low_name), low_name);
        char origin[CONF_ORIGIN_MAX];

        if (low->text == NULL || high->text == NULL || low->number <= high->number)
            continue;
        problem_error(problems, EINVAL, "%s: %" PRId64 " is above %s, %" PRId64 " (%s)", whose, low->number,
                      high_name, high->number, conf_origin(conf, high_name, origin, sizeof(origin)));
    }
}
