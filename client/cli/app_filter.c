/* SPDX-License-Identifier: Apache-2.0 */
/* app_filter.c - reads --state, --user, --queue and --tag */
#include "client/cli/app_filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/suggest.h"
#include "common/base/mem.h"

struct state_word {
    const char *name;
    enum creel_app_state first, last;
};

static const struct state_word state_words[] = {
    { "ALL", CREEL_APP_NEW, CREEL_APP_KILLED },
    { "LIVE", CREEL_APP_NEW, CREEL_APP_RUNNING },
    { "PENDING", CREEL_APP_NEW, CREEL_APP_ACCEPTED },
    { "NEW", CREEL_APP_NEW, CREEL_APP_NEW },
    { "NEW_SAVING", CREEL_APP_NEW_SAVING, CREEL_APP_NEW_SAVING },
    { "SUBMITTED", CREEL_APP_SUBMITTED, CREEL_APP_SUBMITTED },
    { "ACCEPTED", CREEL_APP_ACCEPTED, CREEL_APP_ACCEPTED },
    { "RUNNING", CREEL_APP_RUNNING, CREEL_APP_RUNNING },
    { "FINISHED", CREEL_APP_FINISHED, CREEL_APP_FINISHED },
    { "FAILED", CREEL_APP_FAILED, CREEL_APP_FAILED },
    { "KILLED", CREEL_APP_KILLED, CREEL_APP_KILLED },
};

/* States of Slurm, with the letters of squeue. */
struct slurm_state {
    const char *letters, *name;
    const char *state; /* of creel; NULL: it has none for it alone */
    const char *hint;  /* without a state: the state to use, and how such applications differ from others */
};

static const struct slurm_state slurm_states[] = {
    { "PD", "PENDING", "PENDING", NULL },
    { "R", "RUNNING", "RUNNING", NULL },
    { "CD", "COMPLETED", "FINISHED", NULL },
    { "F", "FAILED", "FAILED", NULL },
    { "CA", "CANCELLED", "KILLED", NULL },
    { "CF", "CONFIGURING", NULL, "ACCEPTED: it waits for its first container, or that one starts" },
    { "CG", "COMPLETING", NULL, "RUNNING: an application ends when its containers have ended" },
    { "TO", "TIMEOUT", NULL, "KILLED: REASON names the time limit" },
    { "DL", "DEADLINE", NULL, "KILLED: REASON names the deadline" },
    { "OOM", "OUT_OF_MEMORY", NULL, "FAILED: REASON names the memory limit, and the exit status is 137" },
    { "NF", "NODE_FAIL", NULL, "FAILED: REASON names the node that was lost" },
    { "BF", "BOOT_FAIL", NULL, "FAILED: REASON names the node where the start failed" },
    { "PR", "PREEMPTED", NULL, "PENDING or RUNNING: what is preempted is tried again" },
    { "RQ", "REQUEUED", NULL, "PENDING: it waits again" },
    { "RH", "REQUEUE_HOLD", NULL, "PENDING: REASON is Held" },
    { "RD", "RESV_DEL_HOLD", NULL, "PENDING: REASON is why it waits" },
    { "SE", "SPECIAL_EXIT", NULL, "FAILED or PENDING: --retry-on tries exit statuses again" },
    { "S", "SUSPENDED", NULL, "RUNNING: no application is suspended" },
    { "ST", "STOPPED", NULL, "RUNNING: no application is stopped and kept" },
};

static const struct slurm_state *find_slurm_state(const char *upper)
{
    for (size_t i = 0; i < sizeof(slurm_states) / sizeof(slurm_states[0]); i++)
        if (!strcmp(upper, slurm_states[i].letters) || !strcmp(upper, slurm_states[i].name))
            return &slurm_states[i];
    return NULL;
}

static int add_states(struct app_filter *filter, const char *word, struct err *err)
{
    struct suggestion best = { 0 };
    const struct slurm_state *slurm;
    char upper[32] = "";

    for (size_t i = 0; word[i] && i < sizeof(upper) - 1; i++)
        upper[i] = (char)toupper((unsigned char)word[i]);
    slurm = find_slurm_state(upper);
    if (slurm && !slurm->state)
        return err_set(err, EINVAL, "--state %s: creel has no state for it (%s in Slurm); %s", word,
                       slurm->name, slurm->hint);
    for (size_t i = 0; i < sizeof(state_words) / sizeof(state_words[0]); i++) {
        suggest_offer(&best, upper, state_words[i].name);
        if (strcmp(slurm ? slurm->state : upper, state_words[i].name) != 0)
            continue;
        for (int s = (int)state_words[i].first; s <= (int)state_words[i].last; s++)
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

int app_filter_read(struct app_filter *filter, const struct options *options, const char *usual_states,
                    struct err *err)
{
    const char *states = options_get(options, "state");
    const char *users = options_get(options, "user");
    const char *queues = options_get(options, "queue");

    *filter = (struct app_filter){ .tag = options_get(options, "tag"),
                                   .asked.tasks = options_has(options, "tasks") };
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
