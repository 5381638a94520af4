/* SPDX-License-Identifier: Apache-2.0 */
/* app_filter.c - reads --state, --user, --queue and --tag */
#include "client/cli/show/app_filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/frame/suggest.h"
#include "client/cli/show/slurm_state.h"
#include "common/base/mem.h"

/* Words for several states; there are the names of the states, too. */
static const struct state_word {
    const char *name;
    enum creel_app_state first, last;
} state_words[] = {
    { "ALL", CREEL_APP_NEW, CREEL_APP_KILLED },
    { "LIVE", CREEL_APP_NEW, CREEL_APP_RUNNING },
    { "PENDING", CREEL_APP_NEW, CREEL_APP_ACCEPTED },
};

/* Finds the states that WORD names. Returns false if it names none: *BEST is the nearest word then. */
static bool find_states(const char *word, struct suggestion *best, struct state_word *ret)
{
    for (size_t i = 0; i < sizeof(state_words) / sizeof(state_words[0]); i++) {
        suggest_offer(best, word, state_words[i].name);
        *ret = state_words[i];
        if (strcmp(word, ret->name) == 0)
            return true;
    }
    for (enum creel_app_state state = CREEL_APP_NEW; state <= CREEL_APP_KILLED; state++) {
        *ret = (struct state_word){ creel_app_state_name(state), state, state };
        suggest_offer(best, word, ret->name);
        if (strcmp(word, ret->name) == 0)
            return true;
    }
    return false;
}

static int add_states(struct app_filter *filter, const char *word, struct err *err)
{
    struct suggestion best = { 0 };
    const struct slurm_state *slurm;
    struct state_word found;
    char upper[32] = "";

    for (size_t i = 0; word[i] && i < sizeof(upper) - 1; i++)
        upper[i] = (char)toupper((unsigned char)word[i]);
    slurm = slurm_state_find(upper);
    if (slurm && !slurm->state)
        return err_set(err, EINVAL, "--state %s: creel has no state for it (%s in Slurm); %s", word,
                       slurm->name, slurm->hint);
    if (find_states(slurm ? slurm->state : upper, &best, &found)) {
        for (int s = (int)found.first; s <= (int)found.last; s++)
            filter->wanted[s] = true;
        return 0;
    }
    return err_set(err, EINVAL, "--state %s: there is no such state%s%s%s", word,
                   best.text ? "; did you mean " : "", best.text ? best.text : "",
                   best.text ? "?"
                             : "; there are PENDING, RUNNING, FINISHED, FAILED, KILLED, LIVE "
                               "and ALL");
}

static int set_states(struct app_filter *filter, const char *words, struct err *err)
{
    scoped_free char *copy = mem_strdup(words);
    char *save = NULL;

    for (char *word = strtok_r(copy, ", ", &save); word; word = strtok_r(NULL, ", ", &save)) {
        int r = add_states(filter, word, err);

        if (r < 0)
            return r;
    }
    for (int s = CREEL_APP_NEW; s <= CREEL_APP_KILLED; s++) {
        if (filter->wanted[s])
            filter->states[filter->asked.state_count++] = (enum creel_app_state)s;
    }
    filter->asked.states = filter->states;
    return 0;
}

static const char **split(const char *words, char **copy)
{
    const char **list = mem_array0(strlen(words) + 1, sizeof(*list));
    size_t count = 0;
    char *save = NULL;

    *copy = mem_strdup(words);
    for (char *word = strtok_r(*copy, ", ", &save); word; word = strtok_r(NULL, ", ", &save))
        list[count++] = word;
    return list;
}

/* Refuses an option without an element, which would choose all. */
static int judge(const struct options *options, struct err *err)
{
    static const char *const names[] = { "state", "user", "queue", "tag", "name" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = options_get(options, names[i]);

        if (value && !value[strspn(value, ", ")])
            return err_set(err, EINVAL, "--%s \"%s\": the list is empty, and would choose all", names[i],
                           value);
    }
    return 0;
}

int app_filter_read(struct app_filter *filter, const struct options *options, const char *usual_states,
                    struct err *err)
{
    const char *states = options_get(options, "state");
    const char *users = options_get(options, "user");
    const char *queues = options_get(options, "queue");

    *filter = (struct app_filter){ .tag = options_get(options, "tag"),
                                   .asked.tasks = options_has(options, "tasks") };
    if (judge(options, err) < 0)
        return -err->code;
    if (users)
        filter->asked.users = filter->users = split(users, &filter->users_text);
    if (queues)
        filter->asked.queues = filter->queues = split(queues, &filter->queues_text);
    return set_states(filter, states ? states : usual_states, err);
}

void app_filter_done(struct app_filter *filter)
{
    free(filter->users);
    free(filter->users_text);
    free(filter->queues);
    free(filter->queues_text);
}
