/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_mail.c - values of sbatch's --mail-type and --mail-user */
#include "client/script/slurm_mail.h"

#include <string.h>
#include <strings.h>

#include "common/base/job/mail.h"
#include "common/base/text_builder.h"

/* --- events ----------------------------------------------------------------- */

struct mail_types {
    const char *types;   /* for creel: the known names, "NONE" if NONE is one of them; "": it has none */
    const char *unknown; /* those that sbatch ignores, as "FOO, BAR"; "": none */
    const char *silent;  /* those for which creel has no event; "": none */
};

static void add_name(struct text_builder *names, const char *separator, const char *name)
{
    text_builder_separate(names, separator);
    text_builder_add(names, name);
}

/* Reads names of events. */
static void read_types(const char *text, struct arena *arena, struct mail_types *mail)
{
    struct text_builder known = TEXT_BUILDER_IN(arena), unknown = TEXT_BUILDER_IN(arena),
                        silent = TEXT_BUILDER_IN(arena);
    char *rest = arena_strdup(arena, text);
    bool none = false;
    const char *name;

    while (!none && (name = strsep(&rest, ",")) != NULL) {
        unsigned types;

        if (*name == '\0')
            continue;
        if (!mail_type_read(name, strlen(name), &types)) {
            add_name(&unknown, ", ", name);
            continue;
        }
        none = types == 0;
        add_name(&known, ",", name);
        if (types == MAIL_OTHER)
            add_name(&silent, ", ", name);
    }
    mail->types = none ? "NONE" : text_builder_finish(&known);
    mail->unknown = text_builder_finish(&unknown);
    mail->silent = none ? "" : text_builder_finish(&silent);
}

/* Returns whether LIST, names that are separated by commas, has NAME. */
static bool has_name(const char *list, const char *name)
{
    size_t length;

    for (; *list != '\0'; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        if (strlen(name) == length && strncasecmp(list, name, length) == 0)
            return true;
    }
    return false;
}

/* Returns TYPES of read_types behind FORMER (NULL: none), each name once. NONE adds nothing. */
static const char *add_types(const char *former, const char *types, struct arena *arena)
{
    struct text_builder all = TEXT_BUILDER_IN(arena);
    char *rest = arena_strdup(arena, types);
    const char *name;

    if (former == NULL || strcmp(former, "NONE") == 0)
        return types;
    text_builder_add(&all, former);
    while (strcmp(types, "NONE") != 0 && (name = strsep(&rest, ",")) != NULL)
        if (!has_name(former, name))
            add_name(&all, ",", name);
    return text_builder_finish(&all);
}

const char *slurm_mail_types(struct script *to, unsigned line, const char *name, const char *value,
                             const char *former)
{
    struct mail_types mail;

    read_types(value, to->arena, &mail);
    if (*mail.types == '\0' && *mail.unknown == '\0')
        script_add_notice(to, line, true, "--%s: ignored; it names no event", name);
    if (*mail.unknown != '\0')
        script_add_notice(to, line, true, "--%s=%s: %s: ignored; it is none of sbatch's events", name, value,
                          mail.unknown);
    if (*mail.silent != '\0')
        script_add_notice(to, line, true,
                          "--%s=%s: there is no mail about %s: creel has BEGIN, END and FAIL of a whole job",
                          name, value, mail.silent);
    return *mail.types == '\0' ? former : add_types(former, mail.types, to->arena);
}

/* --- users ------------------------------------------------------------------ */

/* Returns the addresses and names of TEXT for creel; "": it has none. REFUSED has those that creel does not
 * take, as "-a, -b"; "": none. */
static const char *read_users(const char *text, struct arena *arena, const char **refused)
{
    struct text_builder users = TEXT_BUILDER_IN(arena), others = TEXT_BUILDER_IN(arena);
    char *rest = arena_strdup(arena, text);
    const char *name;

    while ((name = strsep(&rest, ",")) != NULL) {
        if (name[strspn(name, " ")] == '\0')
            continue;
        if (mail_users_are_valid(name))
            add_name(&users, ",", name);
        else
            add_name(&others, ", ", name);
    }
    *refused = text_builder_finish(&others);
    return text_builder_finish(&users);
}

const char *slurm_mail_users(struct script *to, unsigned line, const char *name, const char *value)
{
    const char *refused, *users = read_users(value, to->arena, &refused);

    if (*refused != '\0')
        script_add_notice(to, line, true, "--%s: %s: ignored; expected addresses or names of users", name,
                          refused);
    if (strlen(users) <= MAIL_USERS_BYTES_MAX)
        return *users == '\0' ? NULL : users;
    script_add_notice(to, line, true,
                      "--%s: ignored; it has more than %d bytes: the mail is for the user of the job", name,
                      MAIL_USERS_BYTES_MAX);
    return NULL;
}
