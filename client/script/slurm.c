/* SPDX-License-Identifier: Apache-2.0 */
/* slurm.c - translates the directives of a Slurm script into options of creel submit */
#include "client/script/slurm.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "client/script/pbs_line.h"
#include "client/script/slurm_environment.h"
#include "client/script/slurm_export.h"
#include "client/script/slurm_given.h"
#include "client/script/slurm_mail.h"
#include "client/script/slurm_moment.h"
#include "client/script/slurm_options.h"
#include "client/script/slurm_place.h"
#include "client/script/slurm_size.h"
#include "client/script/slurm_value.h"
#include "client/script/slurm_written.h"
#include "common/base/text.h"

/* The last value of an option that is put at the end. */
struct late {
    const char *value; /* NULL: not given */
    unsigned line;
    const char *origin, *written;
};

struct translation {
    const struct slurm_setting *setting;
    struct script *to;
    struct slurm_size size;
    struct late exported, signal, time, begin; /* --export, --signal, --time, --begin */
    struct late account;                       /* --account */
    struct slurm_given given;
    struct late dependency; /* --dependency */
    struct late clusters;   /* --clusters */
    bool is_array;          /* --array */
    struct late mail;       /* the events of each --mail-type */
    struct late no_requeue; /* --no-requeue, unless --requeue follows */
    bool wants_login;  /* the environment of a login: --export=NONE, a list without ALL, --get-user-env */
    int64_t rounded_s; /* by which the last --time was rounded up */
    unsigned line;
    struct err *err;
};

static void put(struct translation *translation, const char *option, const char *value)
{
    script_add_word(
        translation->to, translation->line,
        arena_printf(translation->to->arena, "--%s%s%s", option, value ? "=" : "", value ? value : ""));
}

static void ignore(struct translation *translation, const char *name, const char *because)
{
    script_add_notice(translation->to, translation->line, true, "--%s: ignored%s%s", name,
                      because ? "; " : "", because ? because : "");
}

static void keep(const struct translation *translation, struct late *late, const char *value)
{
    *late = (struct late){
        .value = value,
        .line = translation->line,
        .origin = translation->to->origin,
        .written = translation->to->written,
    };
}

/* What is added now is from where LATE was. */
static void return_to(struct translation *translation, const struct late *late)
{
    translation->line = late->line;
    translation->to->origin = late->origin;
    translation->to->written = late->written;
}

/* What is added now is from no option. */
static void leave(struct translation *translation)
{
    translation->to->origin = translation->to->written = NULL;
}

static int refuse(struct translation *translation, const struct slurm_option *option, const char *value,
                  const char *expected)
{
    return err_set(translation->err, EINVAL, "--%s=%s: expected %s", option->name, value, expected);
}

/* Adds the last value of the option TARGET. NULL: the job has none; empty: the option has no argument. */
static void put_late(struct translation *translation, const struct late *late, const char *target)
{
    if (!late->value)
        return;
    return_to(translation, late);
    put(translation, target, *late->value ? late->value : NULL);
}

/* Translates a limit, rounded up to minutes as sbatch does; "no limit" has the same meaning in creel. */
static int put_time(struct translation *translation, const struct slurm_option *option, const char *value)
{
    int64_t seconds, minutes;

    if (!slurm_limit_read(value, &seconds))
        return refuse(translation, option, value,
                      "a time as in sbatch: 90 (minutes), 90:00, 1:30:00, 1-12 (days-hours), 1-12:30:00");
    translation->rounded_s = 0;
    translation->time.value = NULL;
    if (seconds <= 0)
        return 0;
    minutes = (seconds + 59) / 60;
    translation->rounded_s = minutes * 60 - seconds;
    if (translation->rounded_s > 0)
        script_add_notice(translation->to, translation->line, false,
                          "--%s=%s: is rounded up to minutes, as sbatch does: %" PRId64 "m", option->name,
                          value, minutes);
    keep(translation, &translation->time, arena_printf(translation->to->arena, "%" PRId64 "m", minutes));
    return 0;
}

/* Translates a moment; with one of --begin that has passed the job has no earliest start. */
static int put_moment(struct translation *translation, const struct slurm_option *option, const char *value)
{
    int64_t now_seconds = translation->setting->now_ms / 1000, seconds;
    bool is_begin = !strcmp(option->target, "begin");
    char text[64];
    struct tm parts;
    time_t at;

    if (!slurm_moment_read(value, translation->setting->calendar, now_seconds, &seconds))
        return refuse(
            translation, option, value,
            "a time as in sbatch: 16:00, now+1hour, tomorrow, noon, MMDDYY, MM/DD/YY, 2027-01-20T12:34");
    if (is_begin)
        translation->begin.value = NULL;
    if (is_begin && seconds <= now_seconds)
        return 0;
    at = (time_t)seconds;
    if (!translation->setting->calendar->utc(&at, &parts) ||
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        return refuse(translation, option, value, "a date that is nearer");
    if (is_begin)
        keep(translation, &translation->begin, arena_strdup(translation->to->arena, text));
    else
        put(translation, option->target, text);
    return 0;
}

static int put_array(struct translation *translation, const struct slurm_option *option, const char *value)
{
    const char *indexes = slurm_array(value, translation->to->arena);

    if (!indexes)
        return refuse(translation, option, value, "indexes as in sbatch: 0-15, 1,3,5-9:2, 0-99%8");
    translation->is_array = true;
    put(translation, option->target, indexes);
    return 0;
}

static int put_open_mode(struct translation *translation, const struct slurm_option *option,
                         const char *value)
{
    if (*value != 'a' && *value != 'A' && *value != 't' && *value != 'T')
        return refuse(translation, option, value, "append or truncate");
    put(translation, option->target, *value == 'a' || *value == 'A' ? "append" : "truncate");
    return 0;
}

/* Translates the name of one feature of nodes. */
static void put_label(struct translation *translation, const struct slurm_option *option, const char *value)
{
    if (value[strcspn(value, "&|,*[]()")] == '\0')
        put(translation, option->target, value);
    else
        script_add_notice(translation->to, translation->line, true, "--%s=%s: ignored; a job has one label",
                          option->name, value);
}

/* Judges the value of --signal, which is put at the end. */
static int read_signal(struct translation *translation, const struct slurm_option *option, const char *value)
{
    struct slurm_signal read;

    if (!slurm_signal_read(value, &read))
        return refuse(translation, option, value,
                      "a signal as in sbatch: USR1, B:USR1@60, 10@90 (0 to 65535 s)");
    keep(translation, &translation->signal, value);
    if (!slurm_signal_name(read.number)) {
        translation->signal.value = NULL;
        script_add_notice(
            translation->to, translation->line, true,
            "--%s=%s: ignored; creel sends HUP, INT, QUIT, USR1, USR2, ALRM, TERM, CONT and URG",
            option->name, value);
    } else if (read.overlaps) {
        script_add_notice(translation->to, translation->line, true,
                          "--%s=%s: R: is ignored; creel has no reservations", option->name, value);
    }
    return 0;
}

/* Adds the signal. It comes as long before the limit as the script wrote, not the one that is rounded up:
 * sbatch, too, may send it a minute earlier. */
static void put_signal(struct translation *translation)
{
    struct slurm_signal read;
    int64_t ahead_s;

    if (!translation->signal.value || !slurm_signal_read(translation->signal.value, &read))
        return;
    return_to(translation, &translation->signal);
    ahead_s = (read.ahead_s > 0 ? read.ahead_s : 1) + translation->rounded_s;
    put(translation, "signal",
        arena_printf(translation->to->arena, "%s@%" PRId64 "s", slurm_signal_name(read.number), ahead_s));
    put(translation, "signal-to", read.shell ? "first" : "steps");
}

/* Adds the variables of --export: ALL without it. */
static void put_exported(struct translation *translation)
{
    const char *value = translation->exported.value;

    if (value)
        return_to(translation, &translation->exported);
    translation->wants_login |= slurm_export_put(translation->to, translation->line,
                                                 translation->setting->environ, value ? value : "ALL");
}

/* Keeps the last value of --dependency; an empty one is none. */
static int read_dependency(struct translation *translation, const struct slurm_option *option,
                           const char *value)
{
    struct slurm_dependency_found found = { 0 };
    const char *items = *value ? slurm_dependency(value, translation->to->arena, &found) : NULL;

    if (*value && !items)
        return refuse(translation, option, value, slurm_dependency_expected(&found, translation->to->arena));
    if (found.delayed)
        script_add_notice(translation->to, translation->line, true,
                          "--%s=%s: the delay (+MINUTES) is ignored: the job may begin at once after the "
                          "start of the other one",
                          option->name, value);
    keep(translation, &translation->dependency, items);
    return 0;
}

/* Translates an option that creel has. */
static int put_option(struct translation *translation, const struct slurm_option *option, const char *value)
{
    struct script *to = translation->to;
    const char *target = option->target;

    switch (option->action) {
    case SLURM_LABEL:
        put_label(translation, option, value);
        return 0;
    case SLURM_TIME:
        return put_time(translation, option, value);
    case SLURM_MOMENT:
        return put_moment(translation, option, value);
    case SLURM_ARRAY:
        return put_array(translation, option, value);
    case SLURM_PATTERN:
        put(translation, target,
            strcasecmp(value, "none") ? slurm_pattern(value, translation->to->arena) : "/dev/null");
        return 0;
    case SLURM_MAIL_TYPE:
        keep(translation, &translation->mail,
             slurm_mail_types(to, translation->line, option->name, value, translation->mail.value));
        return 0;
    case SLURM_MAIL_USER:
        if ((value = slurm_mail_users(to, translation->line, option->name, value)) != NULL)
            put(translation, target, value);
        return 0;
    case SLURM_OPEN_MODE:
        return put_open_mode(translation, option, value);
    case SLURM_QUEUE:
        if (!*value)
            return refuse(translation, option, value, "the name of a partition");
        value = slurm_place_queue(translation->setting, option->name, value, to, translation->line);
        if (value)
            put(translation, target, value);
        return 0;
    case SLURM_SIGNAL:
        return read_signal(translation, option, value);
    case SLURM_EXPORT:
        keep(translation, &translation->exported, value);
        return 0;
    case SLURM_ACCOUNT:
        keep(translation, &translation->account, value);
        return 0;
    case SLURM_NO_REQUEUE:
        keep(translation, &translation->no_requeue, "");
        return 0;
    case SLURM_REQUEUE:
        translation->no_requeue.value = NULL;
        return 0;
    case SLURM_DEPENDENCY:
        return read_dependency(translation, option, value);
    case SLURM_IGNORED:
    case SLURM_REFUSED:
    case SLURM_CLUSTERS:
    case SLURM_SILENT:
    case SLURM_LOGIN:
    case SLURM_NEVER_MET:
    case SLURM_SIZE:
    case SLURM_SAME:
    case SLURM_NEEDED:
        break;
    }
    put(translation, target, value);
    return 0;
}

static bool is_needed(const struct slurm_option *option)
{
    return option->action == SLURM_NEEDED || option->action == SLURM_DEPENDENCY ||
           option->action == SLURM_ARRAY ||
           (option->action == SLURM_MOMENT && !strcmp(option->name, "begin"));
}

static int translate_value(struct translation *translation, const struct slurm_option *option,
                           const char *value)
{
    const char *target = option->target, *expected = slurm_value_expected(option->name, value);

    if (expected)
        return refuse(translation, option, value, expected);
    slurm_given_note(&translation->given, option->name, value, translation->line, translation->to->origin);
    switch (option->action) {
    case SLURM_SILENT:
        return 0;
    case SLURM_IGNORED:
        ignore(translation, option->name, target);
        return 0;
    case SLURM_REFUSED:
        return err_set(translation->err, EINVAL, "--%s: creel does not have it; %s", option->name, target);
    case SLURM_CLUSTERS:
        if (!translation->setting->own_cluster) {
            ignore(translation, option->name, "CREEL_RM chooses the cluster");
            return 0;
        }
        keep(translation, &translation->clusters, value);
        return *value ? 0 : refuse(translation, option, value, "the name of a cluster");
    case SLURM_LOGIN:
        translation->wants_login = true;
        if (value)
            ignore(translation, "get-user-env", "the time for the files of the shell is 30 s");
        return 0;
    case SLURM_NEVER_MET:
        if (strcasecmp(value, "yes") != 0)
            ignore(translation, option->name, "a job whose dependency can never be met ends");
        return 0;
    case SLURM_SIZE:
        return slurm_size_read(&translation->size, option->name, value, translation->line, translation->to,
                               translation->err);
    default:
        break;
    }
    if (target && translation->setting->known(target, strlen(target)))
        return put_option(translation, option, value);
    if (is_needed(option))
        return err_set(translation->err, EINVAL, "--%s: this version of creel does not have it",
                       option->name);
    ignore(translation, option->name, NULL);
    return 0;
}

/* Translates OPTION, which the user wrote as SPELLED. Messages about it have that word. */
static int translate_option(struct translation *translation, const struct slurm_option *option,
                            const char *spelled, const char *value)
{
    struct script *to = translation->to;
    size_t before = to->notice_count;
    int r;

    to->written = slurm_written(spelled, value, to->arena);
    r = translate_value(translation, option, value);
    slurm_written_notices(to, before, option->name, spelled);
    if (r < 0)
        slurm_written_error(translation->err, option->name, spelled);
    to->written = NULL;
    return r;
}

/* The same. Its value is INLINE_VALUE, or else the next word; *AT advances to that word. */
static int translate_with_value(struct translation *translation, const struct slurm_option *option,
                                const char *spelled, const char *inline_value, const char *const **at)
{
    const char *value = inline_value;

    if (option->argument == SLURM_NO_ARGUMENT && value)
        return err_set(translation->err, EINVAL, "%s takes no value", spelled);
    if (option->argument == SLURM_ARGUMENT && !value) {
        if (!(*at)[1])
            return err_set(translation->err, EINVAL, "%s needs a value", spelled);
        value = *++*at;
    }
    return translate_option(translation, option, spelled, value);
}

/* Refuses or names the option WORD, which sbatch does not have: it may be a typing error, or an option of a
 * plug-in. */
static int judge_unknown(struct translation *translation, const char *word)
{
    if (translation->setting->refuses_unknown)
        return err_set(translation->err, EINVAL, "%s: unrecognized option; sbatch has no such option", word);
    script_add_notice(translation->to, translation->line, true, "%s: ignored; it is none of sbatch's options",
                      word);
    return 0;
}

/* Translates -x, -xVALUE, -x VALUE, -xyz. */
static int translate_letters(struct translation *translation, const char *const **at)
{
    for (const char *letter = **at + 1; *letter; letter++) {
        const struct slurm_option *option = slurm_option_by_letter(SLURM_SBATCH, *letter);
        const char *spelled =
            arena_printf(translation->to->arena, "-%c", isprint((unsigned char)*letter) ? *letter : '?');
        int r;

        if (!option)
            return judge_unknown(translation, spelled);
        if (option->argument != SLURM_NO_ARGUMENT)
            return translate_with_value(translation, option, spelled, letter[1] ? letter + 1 : NULL, at);
        if ((r = translate_option(translation, option, spelled, NULL)) < 0)
            return r;
    }
    return 0;
}

static int translate_name(struct translation *translation, const char *const **at)
{
    const char *word = **at + 2, *candidates, *spelled;
    size_t length = strcspn(word, "=");
    const struct slurm_option *option =
        slurm_option_by_prefix(SLURM_SBATCH, word, length, translation->to->arena, &candidates);
    int r;

    spelled = arena_printf(translation->to->arena, "--%.*s", (int)length, word);
    if (option)
        return translate_with_value(translation, option, spelled, word[length] ? word + length + 1 : NULL,
                                    at);
    if (candidates)
        return err_set(translation->err, EINVAL, "%s: is ambiguous: %s", spelled, candidates);
    r = judge_unknown(translation, spelled);
    /* Skips the next word if it can be the value of the unknown option. */
    if (!word[length] && (*at)[1] && (*at)[1][0] != '-')
        ++*at;
    return r;
}

static int translate_word(struct translation *translation, const char *const **at)
{
    const char *word = **at;

    if (!strcmp(word, "hetjob") || !strcmp(word, "packjob"))
        return err_set(translation->err, EINVAL, "%s: " SLURM_NO_HETJOB, word);
    if (word[0] != '-' || word[1] == '\0' || !strcmp(word, "--"))
        return err_set(translation->err, EINVAL, "%s: expected an option", word);
    return word[1] == '-' ? translate_name(translation, at) : translate_letters(translation, at);
}

static int translate_directive(struct translation *translation, const struct script_directive *directive,
                               const char *file)
{
    int r = 0;

    translation->line = directive->line;
    for (const char *const *at = directive->words; *at && r == 0; at++)
        r = translate_word(translation, &at);
    if (r < 0)
        err_prefix(translation->err, "%s:%u", file, directive->line);
    return r;
}

/* Translates the variables of the environment that sbatch reads. */
static int translate_environment(struct translation *translation)
{
    const char *variable, *name;
    int r = 0;

    translation->line = 0;
    for (size_t i = 0; r == 0 && (name = slurm_environment_option(i, &variable)) != NULL; i++) {
        const char *value =
            slurm_environment_value(translation->setting->environ, variable, strlen(variable));
        const struct slurm_option *option = slurm_option_by_name(SLURM_SBATCH, name, strlen(name));

        if (!slurm_environment_gives(option, &value))
            continue;
        translation->to->origin = variable;
        r = translate_option(translation, option, arena_printf(translation->to->arena, "--%s", name), value);
        if (r < 0)
            err_prefix(translation->err, "%s", variable);
    }
    translation->to->origin = NULL;
    return r;
}

/* Translates the options of sbatch's command line. */
static int translate_command_line(struct translation *translation)
{
    int r = 0;

    translation->line = 0;
    translation->to->origin = SLURM_COMMAND_LINE;
    for (const char *const *at = translation->setting->command_line; r == 0 && at && *at; at++)
        r = translate_word(translation, &at);
    translation->to->origin = NULL;
    return r;
}

/* Judges the last --clusters: those of the command line replace those of the environment and the script. */
static int judge_clusters(struct translation *translation, const char *file)
{
    const struct late *late = &translation->clusters;
    int r = !late->value ? 0
                         : slurm_place_judge(translation->setting, late->value, late->written,
                                             translation->to->arena, translation->err);

    if (r < 0 && !late->origin)
        err_prefix(translation->err, "%s:%u", file, late->line);
    else if (r < 0 && strcmp(late->origin, SLURM_COMMAND_LINE) != 0)
        err_prefix(translation->err, "%s", late->origin);
    return r;
}

/* Adds the last --account as a tag. */
static void put_account(struct translation *translation)
{
    const struct late *late = &translation->account;

    if (!late->value)
        return;
    return_to(translation, late);
    put(translation, "tag", arena_printf(translation->to->arena, "account:%s", late->value));
}

/* Judges the options for the size that SOURCE, for messages, gave. */
static int end_source(struct translation *translation, const char *source)
{
    int r = slurm_size_end_source(&translation->size, translation->err);

    if (r < 0)
        err_prefix(translation->err, "%s", source);
    return r;
}

/* Translates the directives of #SBATCH, or those of #PBS, which replace them, as in Slurm. */
static int translate_directives(struct translation *translation, const struct script *from, const char *file,
                                bool of_pbs)
{
    int r = 0;

    for (size_t i = 0; i < from->directive_count && r == 0; i++)
        if (from->directives[i].is_pbs == of_pbs)
            r = translate_directive(translation, &from->directives[i], file);
    if (r == 0)
        r = end_source(translation,
                       arena_printf(translation->to->arena, "%s:%u", file, translation->size.line));
    return r;
}

int slurm_translate(const struct script *from, const struct slurm_setting *setting, const char *file,
                    struct script *to, struct err *err)
{
    struct translation translation = { .setting = setting, .to = to, .err = err };
    bool without_pbs = pbs_line_is_ignored(setting->command_line, setting->environ);
    int r;

    if ((r = translate_directives(&translation, from, file, false)) < 0 ||
        (!without_pbs && (r = translate_directives(&translation, from, file, true)) < 0) ||
        (r = translate_environment(&translation)) < 0 || (r = end_source(&translation, "environment")) < 0 ||
        (r = translate_command_line(&translation)) < 0 ||
        (r = end_source(&translation, SLURM_COMMAND_LINE)) < 0 ||
        (r = judge_clusters(&translation, file)) < 0)
        return r;
    put_late(&translation, &translation.time, "time");
    put_late(&translation, &translation.begin, "begin");
    put_late(&translation, &translation.mail, "mail-type");
    if (translation.dependency.value && !translation.is_array)
        translation.dependency.value = slurm_dependency_of_one(translation.dependency.value, to->arena);
    put_late(&translation, &translation.dependency, "depends-on");
    put_late(&translation, &translation.no_requeue, "no-requeue");
    put_signal(&translation);
    leave(&translation);
    put_exported(&translation);
    leave(&translation);
    if (translation.wants_login)
        put(&translation, "env", "SLURM_GET_USER_ENV=1");
    put_account(&translation);
    leave(&translation);
    slurm_given_put(&translation.given, to);
    slurm_size_put(&translation.size, to);
    return 0;
}
