/* SPDX-License-Identifier: Apache-2.0 */
/* follow_rm.c - requests to the RM while following an application, pure (no I/O, no clock) */
#include "client/cli/logs/follow_rm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WATCH_MS 5000  /* maximum time that the RM delays the answer to WaitApp */
#define ANSWER_MS 3000 /* additional time, then the request is repeated */
#define RETRY_MS 500   /* pause after a temporary error */
#define PAGE 1000

void follow_rm_init(struct follow_rm *rm, int64_t now_ms)
{
    rm->answered_ms = now_ms;
}

bool follow_rm_is_open(const struct follow_rm *rm, enum follow_question question)
{
    return rm->questions[question].wanted || rm->questions[question].id;
}

void follow_rm_request(struct follow_rm *rm, enum follow_question question, int64_t at_ms)
{
    if (follow_rm_is_open(rm, question))
        return;
    rm->questions[question].wanted = true;
    rm->questions[question].due_ms =
        question == ASK_STATE && at_ms < rm->state_from_ms ? rm->state_from_ms : at_ms;
}

/* --- requests --------------------------------------------------------------- */

static char *plain(const char *text)
{
    return (char *)(uintptr_t)text; /* the generated message structs have no const fields */
}

static void ask(struct follow_rm *rm, enum follow_question question, int64_t now_ms)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__WaitApp wait = CREEL__WAIT_APP__INIT;
    Creel__ListContainers list = CREEL__LIST_CONTAINERS__INIT;
    Creel__GetLogAccess access = CREEL__GET_LOG_ACCESS__INIT;
    Creel__KillApp kill = CREEL__KILL_APP__INIT;

    envelope.request_id = rm->questions[question].id = ++rm->last_id;
    envelope.as_user = plain(rm->as_user);
    rm->questions[question].wanted = false;
    rm->questions[question].due_ms = now_ms + ANSWER_MS;
    wait.app_id = list.app_id = access.app_id = kill.app_id = plain(rm->app_id);
    switch (question) {
    case ASK_STATE:
        envelope.no_long_commands = true; /* it is not shown */
        wait.known_version = rm->version;
        wait.wait_ms = rm->version ? WATCH_MS : 0;
        rm->questions[question].due_ms += wait.wait_ms;
        rm->asked_wait_ms = wait.wait_ms;
        rm->state_asked_ms = now_ms;
        envelope.body_case = CREEL__ENVELOPE__BODY_WAIT_APP;
        envelope.wait_app = &wait;
        break;
    case ASK_CONTAINERS:
        list.after = rm->after;
        list.limit = PAGE;
        envelope.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
        envelope.list_containers = &list;
        break;
    case ASK_TOKEN:
        access.nodes = rm->token_nodes;
        access.n_nodes = rm->token_node_count;
        envelope.body_case = CREEL__ENVELOPE__BODY_GET_LOG_ACCESS;
        envelope.get_log_access = &access;
        break;
    default:
        kill.reason = plain("interrupted at the terminal");
        envelope.body_case = CREEL__ENVELOPE__BODY_KILL_APP;
        envelope.kill_app = &kill;
        break;
    }
    rm->send(rm->context, &envelope);
}

void follow_rm_on_timer(struct follow_rm *rm, int64_t now_ms)
{
    for (int i = 0; i < FOLLOW_QUESTIONS; i++) {
        if (!follow_rm_is_open(rm, (enum follow_question)i) || rm->questions[i].due_ms > now_ms)
            continue;
        rm->silences += rm->questions[i].id != 0;
        ask(rm, (enum follow_question)i, now_ms);
    }
}

void follow_rm_lost(struct follow_rm *rm, int64_t now_ms)
{
    rm->version = 0;
    for (int i = 0; i < FOLLOW_QUESTIONS; i++) {
        if (rm->questions[i].id)
            ask(rm, (enum follow_question)i, now_ms);
    }
}

int64_t follow_rm_next_deadline_ms(const struct follow_rm *rm)
{
    int64_t deadline = INT64_MAX;

    for (int i = 0; i < FOLLOW_QUESTIONS; i++)
        if (follow_rm_is_open(rm, (enum follow_question)i) && rm->questions[i].due_ms < deadline)
            deadline = rm->questions[i].due_ms;
    return deadline;
}

/* --- answers ---------------------------------------------------------------- */

static void ask_again(struct follow_rm *rm, enum follow_question question, int64_t now_ms)
{
    rm->questions[question].id = 0;
    follow_rm_request(rm, question, now_ms + RETRY_MS);
}

static void handle_error(struct follow_rm *rm, int64_t now_ms, const Creel__Error *error,
                         struct follow_answer *answer, struct err *err)
{
    enum follow_question question = answer->question;

    switch (error->code) {
    case CREEL__ERROR_CODE__ERROR_NOT_FOUND:
        answer->error = err_set(err, ENOENT, "%s", error->message);
        break;
    case CREEL__ERROR_CODE__ERROR_NOT_PERMITTED:
        answer->error = err_set(err, EPERM, "%s", error->message);
        break;
    case CREEL__ERROR_CODE__ERROR_BAD_STATE:
        answer->error = err_set(err, EBUSY, "%s", error->message);
        break;
    case CREEL__ERROR_CODE__ERROR_SIGN_IN:
        rm->signed_out = rm->signs_in;
        if (rm->signs_in) {
            ask_again(rm, question, now_ms);
            return;
        }
        answer->error = err_set(err, EACCES, "%s", error->message);
        break;
    case CREEL__ERROR_CODE__ERROR_UNAVAILABLE:
    case CREEL__ERROR_CODE__ERROR_STORE:
        ask_again(rm, question, now_ms);
        return;
    default:
        answer->error = err_set(err, EPROTO, "%s", error->message);
        break;
    }
    rm->questions[question].id = 0;
    answer->valid = true;
}

static void handle_page(struct follow_rm *rm, int64_t now_ms, const Creel__ContainerList *list,
                        struct follow_answer *answer)
{
    answer->containers = list;
    answer->last_page = !list->next[0] || strlen(list->next) >= sizeof(rm->after);
    snprintf(rm->after, sizeof(rm->after), "%s", answer->last_page ? "" : list->next);
    if (!answer->last_page)
        follow_rm_request(rm, ASK_CONTAINERS, now_ms);
}

static void handle_state(struct follow_rm *rm, int64_t now_ms, const Creel__AppReport *app,
                         struct follow_answer *answer)
{
    rm->state_from_ms = now_ms + early_answer_pause(&rm->early, app->version != rm->version,
                                                    now_ms - rm->state_asked_ms, rm->asked_wait_ms);
    rm->version = app->version;
    answer->app = app;
}

static bool handle_body(struct follow_rm *rm, int64_t now_ms, const Creel__Envelope *envelope,
                        struct follow_answer *answer, struct err *err)
{
    switch (answer->question) {
    case ASK_STATE:
        if (envelope->body_case != CREEL__ENVELOPE__BODY_APP_LIST)
            return false;
        if (!envelope->app_list->n_apps) {
            answer->error = err_set(err, ENOENT, "%s: no such application", rm->app_id);
            return true;
        }
        handle_state(rm, now_ms, envelope->app_list->apps[0], answer);
        return true;
    case ASK_CONTAINERS:
        if (envelope->body_case != CREEL__ENVELOPE__BODY_CONTAINER_LIST)
            return false;
        handle_page(rm, now_ms, envelope->container_list, answer);
        return true;
    case ASK_TOKEN:
        answer->access = envelope->log_access;
        return envelope->body_case == CREEL__ENVELOPE__BODY_LOG_ACCESS;
    default:
        return envelope->body_case == CREEL__ENVELOPE__BODY_OK;
    }
}

struct follow_answer follow_rm_receive(struct follow_rm *rm, int64_t now_ms, const Creel__Envelope *envelope,
                                       struct err *err)
{
    struct follow_answer answer = { .valid = false };

    for (int i = 0; i < FOLLOW_QUESTIONS; i++) {
        if (!envelope->request_id || rm->questions[i].id != envelope->request_id)
            continue;
        answer.question = (enum follow_question)i;
        rm->answered_ms = now_ms;
        rm->silences = 0;
        if (envelope->body_case == CREEL__ENVELOPE__BODY_ERROR) {
            handle_error(rm, now_ms, envelope->error, &answer, err);
            break;
        }
        rm->questions[i].id = 0;
        answer.valid = handle_body(rm, now_ms, envelope, &answer, err);
        if (!answer.valid)
            ask_again(rm, answer.question, now_ms);
        break;
    }
    return answer;
}
