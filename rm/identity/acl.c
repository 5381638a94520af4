/* SPDX-License-Identifier: Apache-2.0 */
/* acl.c - parses YARN's access lists and checks users against them */
#include "rm/identity/acl.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/conf/problems.h"

struct names {
    char *text;   /* owned; the names point into it */
    char **items; /* owned array, sorted */
    size_t count, capacity;
};

struct acl {
    bool everybody;
    struct names users, groups;
    char *text, *complaint; /* owned; complaint may be NULL */
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_read(struct names *names, const char *text, size_t length)
{
    char *rest = names->text = mem_strndup(text, length);

    for (char *name; (name = text_next_word(&rest)) != NULL;) {
        mem_grow(names->items, names->count, names->capacity);
        names->items[names->count++] = name;
    }
    if (names->count > 0)
        qsort(names->items, names->count, sizeof(names->items[0]), compare_names);
}

static bool names_have(const struct names *names, const char *name)
{
    return names->count > 0 &&
           bsearch(&name, names->items, names->count, sizeof(names->items[0]), compare_names);
}

/* Returns true if the LENGTH bytes of TEXT are "*" and blanks. */
static bool is_star(const char *text, size_t length)
{
    scoped_free char *copy = mem_strndup(text, length);

    return text_equal(text_trim(copy), "*");
}

static char *find_complaint(const struct acl *acl, const char *text, size_t user_bytes)
{
    char shown[PROBLEMS_SHOWN_MAX];

    if (names_have(&acl->users, "*") || names_have(&acl->groups, "*"))
        return mem_strdup("\"*\" means everybody only if there is no other name");
    if (user_bytes > 0 && text[user_bytes - 1] == ',' && acl->groups.count > 0)
        return mem_printf("the first blank ends the users: \"%s\" is taken for a group",
                          problems_show(acl->groups.items[0], shown));
    for (size_t i = 0; i < acl->groups.count; i++)
        if (strpbrk(acl->groups.items[i], " \t\r\n"))
            return mem_printf("\"%s\" is taken for the name of one group, blank and all: commas "
                              "separate groups",
                              problems_show(acl->groups.items[i], shown));
    return NULL;
}

struct acl *acl_new(const char *text)
{
    struct acl *acl = mem_new0(struct acl);
    size_t user_bytes, length;
    char shown[PROBLEMS_SHOWN_MAX];

    text = text ? text : "";
    length = strlen(text);
    user_bytes = strcspn(text, " \t\r\n");
    acl->everybody = is_star(text, user_bytes) || is_star(text + user_bytes, length - user_bytes);
    if (!acl->everybody) {
        names_read(&acl->users, text, user_bytes);
        names_read(&acl->groups, text + user_bytes, length - user_bytes);
        acl->complaint = find_complaint(acl, text, user_bytes);
    }
    if (acl->everybody)
        acl->text = mem_strdup("everybody");
    else if (acl_is_nobody(acl))
        acl->text = mem_strdup("nobody");
    else
        acl->text = mem_printf("\"%s\"", problems_show(text, shown));
    return acl;
}

void acl_free(struct acl *acl)
{
    if (acl == NULL)
        return;
    free(acl->users.text);
    free(acl->users.items);
    free(acl->groups.text);
    free(acl->groups.items);
    free(acl->text);
    free(acl->complaint);
    free(acl);
}

bool acl_allows(const struct acl *acl, const struct acl_person *person)
{
    if (acl->everybody || names_have(&acl->users, person->user))
        return true;
    for (size_t i = 0; i < person->group_count; i++)
        if (names_have(&acl->groups, person->groups[i]))
            return true;
    return false;
}

bool acl_is_everybody(const struct acl *acl)
{
    return acl->everybody;
}

bool acl_is_nobody(const struct acl *acl)
{
    return !acl->everybody && acl->users.count == 0 && acl->groups.count == 0;
}

const char *acl_text(const struct acl *acl)
{
    return acl->text;
}

static char *names_list(const struct names *names)
{
    struct text_builder list = TEXT_BUILDER_MALLOC;

    for (size_t i = 0; i < names->count; i++)
        text_builder_printf(&list, "%s%s", i > 0 ? "," : "", names->items[i]);
    return text_builder_finish(&list);
}

char *acl_source(const struct acl *acl)
{
    scoped_free char *users = names_list(&acl->users), *groups = names_list(&acl->groups);

    if (acl->everybody)
        return mem_strdup("*");
    return mem_printf("%s%s%s", users, acl->groups.count > 0 || acl->users.count == 0 ? " " : "", groups);
}

const char *acl_complaint(const struct acl *acl)
{
    return acl->complaint;
}
