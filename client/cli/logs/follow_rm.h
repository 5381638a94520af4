/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow_rm.h - requests to the RM while following an application, repeated until answered, pure (no I/O, no
 * clock)
 *
 * Four kinds of requests, at most one of each at a time: the application's state (a long poll), its
 * containers (page by page), tokens to read logs, and to kill the application.
 */
#ifndef CREEL_CLI_FOLLOW_RM_H
#define CREEL_CLI_FOLLOW_RM_H

#include <stdbool.h>
#include <stdint.h>

#include "client/libcreel/early_answer.h"
#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

enum follow_question { ASK_STATE, ASK_CONTAINERS, ASK_TOKEN, ASK_KILL, FOLLOW_QUESTIONS };

struct follow_rm {
    const char *app_id; /* borrowed, as is AS_USER */
    const char *as_user;
    void (*send)(void *context, Creel__Envelope *envelope);
    void *context;
    /* The nodes of ASK_TOKEN, borrowed: unchanged while that request is open (follow_rm_is_open). */
    char **token_nodes;
    size_t token_node_count;
    bool signs_in;   /* the client can sign in again */
    bool signed_out; /* set here: the RM does not know the key any more. The caller signs in and resets it */

    uint64_t last_id;
    struct {
        bool wanted;
        uint64_t id;    /* 0: no request sent */
        int64_t due_ms; /* wanted: time to send the request; sent: time to repeat it */
    } questions[FOLLOW_QUESTIONS];
    char after[80];                        /* cursor of the next page of containers */
    uint64_t version;                      /* last known version of the application */
    uint32_t asked_wait_ms;                /* of the last request for the state */
    int64_t state_asked_ms, state_from_ms; /* when it was sent; no further one is sent before */
    struct early_answers early;
    int64_t answered_ms; /* time of the RM's last answer */
    uint32_t silences;   /* requests that timed out since then */
};

/* An answer; valid as long as its envelope. */
struct follow_answer {
    enum follow_question question;
    bool valid; /* false: not for this client, or the request will be repeated */
    bool last_page;
    const Creel__AppReport *app; /* answer to ASK_STATE */
    const Creel__ContainerList *containers;
    const Creel__LogAccess *access;
    int error; /* negative errno: the request failed and is not repeated; ERR has the reason */
};

void follow_rm_init(struct follow_rm *rm, int64_t now_ms);
/* Sends the request at AT_MS, or when the pending request of this kind has been answered. */
void follow_rm_request(struct follow_rm *rm, enum follow_question question, int64_t at_ms);
/* Returns whether such a request is to be sent, or was sent and not yet answered. */
bool follow_rm_is_open(const struct follow_rm *rm, enum follow_question question);
struct follow_answer follow_rm_receive(struct follow_rm *rm, int64_t now_ms, const Creel__Envelope *envelope,
                                       struct err *err);
/* The connection was lost: all open requests are sent again at once and, until the RM has answered, in short
 * intervals instead of as a long poll. */
void follow_rm_lost(struct follow_rm *rm, int64_t now_ms);
void follow_rm_on_timer(struct follow_rm *rm, int64_t now_ms);
int64_t follow_rm_next_deadline_ms(const struct follow_rm *rm);

#endif
