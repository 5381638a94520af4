/* SPDX-License-Identifier: Apache-2.0 */
/* app_select.c - which applications `application -list` shows */
#include "client/yarn/app_select.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

/* Returns the words of all values of the option NAME as "A, B". The caller frees it. */
static char *join_words(const struct yarn_options *options, const char *name, bool upper)
{
    struct text_builder joined = TEXT_BUILDER_MALLOC;

    for (size_t i = 0; i < options->count; i++) {
        const struct yarn_value *value = &options->items[i];
        scoped_free char *copy = mem_strdup(value->text);
        char *rest = copy, *word;

        if (value->option == NULL || strcmp(value->option->name, name) != 0)
            continue;
        while ((word = text_next_word(&rest)) != NULL) {
            for (char *at = word; upper && *at != '\0'; at++)
                *at = (char)toupper((unsigned char)*at);
            text_builder_printf(&joined, "%s%s", joined.length > 0 ? ", " : "", word);
        }
    }
    return text_builder_finish(&joined);
}

static bool set_state(const char *word, bool wanted[CREEL_APP_KILLED + 1])
{
    for (int state = CREEL_APP_NEW; state <= CREEL_APP_KILLED; state++) {
        bool is_it = strcmp(word, creel_app_state_name((enum creel_app_state)state)) == 0;

        wanted[state] = wanted[state] || is_it || strcmp(word, "ALL") == 0;
        if (is_it)
            return true;
    }
    return strcmp(word, "ALL") == 0;
}

/* Sets WANTED to the states of -appStates. Returns false if a word is no state: select->wrong has it. */
static bool read_states(const struct yarn_options *options, struct app_select *select,
                        bool wanted[CREEL_APP_KILLED + 1])
{
    scoped_free char *words = join_words(options, "appStates", true);
    char *rest = words, *word;

    if (*words == '\0')
        wanted[CREEL_APP_SUBMITTED] = wanted[CREEL_APP_ACCEPTED] = wanted[CREEL_APP_RUNNING] = true;
    while ((word = text_next_word(&rest)) != NULL) {
        if (!set_state(word, wanted)) {
            select->wrong = mem_strdup(word);
            return false;
        }
    }
    return true;
}

int app_select_read(const struct yarn_options *options, struct app_select *ret)
{
    bool wanted[CREEL_APP_KILLED + 1] = { false };
    size_t at = 0;

    *ret = (struct app_select){
        .types = join_words(options, "appTypes", true),
        .tags = join_words(options, "appTags", false),
    };
    if (!read_states(options, ret, wanted))
        return -1;
    for (int state = CREEL_APP_NEW; state <= CREEL_APP_KILLED; state++) {
        if (!wanted[state])
            continue;
        at += (size_t)snprintf(ret->states_text + at, sizeof(ret->states_text) - at, "%s%s",
                               at > 0 ? ", " : "", creel_app_state_name((enum creel_app_state)state));
        ret->states[ret->state_count++] = (enum creel_app_state)state;
    }
    return 0;
}

void app_select_done(struct app_select *select)
{
    free(select->types);
    free(select->tags);
    free(select->wrong);
}

/* Returns true if LIST ("A, B") has WORD, in upper or lower case, or if LIST is empty. */
static bool is_in(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; *at != '\0'; at += strspn(at, ", ")) {
        size_t size = strcspn(at, ",");

        if (size == length && strncasecmp(at, word, size) == 0)
            return true;
        at += size;
    }
    return *list == '\0';
}

bool app_select_has(const struct app_select *select, const struct creel_app *app)
{
    if (!is_in(select->types, app->type))
        return false;
    for (size_t i = 0; app->tags[i] != NULL; i++)
        if (is_in(select->tags, app->tags[i]))
            return true;
    return *select->tags == '\0';
}
