/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects.h - sends the messages of a step, at once or after a row is on disk
 *
 * Messages are allocated in the step's arena. Effects are added to those of the present step (master->out).
 */
#ifndef CREEL_RM_MASTER_EFFECTS_H
#define CREEL_RM_MASTER_EFFECTS_H

#include "rm/master/state.h"

struct master_effect *rm_effect_add(struct master *m, enum master_effect_kind kind);

/* --- messages -------------------------------------------------------------- */

Creel__Envelope *rm_envelope_new(struct master *m, uint64_t request_id, Creel__Envelope__BodyCase body);
void rm_send_to(struct master *m, enum master_channel channel, uint64_t connection,
                Creel__Envelope *envelope);
void rm_reply_to(struct master *m, const struct master_peer *peer, Creel__Envelope *envelope);
void rm_reply_error(struct master *m, const struct master_peer *peer, uint64_t request_id,
                    Creel__ErrorCode code, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Returns a RegisterNodeReply with the release and the protocol versions of this resource manager. */
Creel__RegisterNodeReply *rm_register_reply_new(struct master *m);
/* Return, or send, an Error with the code and text of ERR. */
Creel__Envelope *rm_error_envelope(struct master *m, uint64_t request_id, const struct err *err);
void rm_reply_err(struct master *m, const struct master_peer *peer, uint64_t request_id,
                  const struct err *err);
Creel__ErrorCode rm_error_code(int r); /* the error code of R, a negative errno */

/* --- delayed until rows are on disk ------------------------------------------------------------- */

/* The end of a reply, with the reason. */
#define RM_STORED_LATER "; this is stored when the resource manager can write its state: %s"

/* Sends ENVELOPE to an agent or an application master as soon as rows up to STORE_SEQ are on disk. They do
 * not act before. (Users' requests: rm_send_changed.) */
void rm_send_stored(struct master *m, uint64_t store_seq, enum master_channel channel, uint64_t connection,
                    Creel__Envelope *envelope);
/* Sends ENVELOPE, the reply to a user's request for a change that is made already, as soon as row STORE_SEQ
 * is on disk. DONE is a sentence about the change, as "node n1 is changed". While the store fails, the
 * client would wait too long: the reply is at once DONE, with the addition that the change is stored later.
 * */
void rm_send_changed(struct master *m, const struct master_peer *peer, uint64_t store_seq,
                     Creel__Envelope *envelope, const char *done);
/* The same with the reply Ok, for all rows that were added so far. */
void rm_send_changed_ok(struct master *m, const struct master_peer *peer, uint64_t request_id,
                        const char *done);
/* Sends ENVELOPE, the only reply that lets the client use the object NAME, which the request has made, as
 * soon as all rows that were added so far are on disk. WHAT names the object in a sentence. If the store
 * fails before, UNDO removes the object, and the reply is that it is not created. */
void rm_send_created(struct master *m, const struct master_peer *peer, Creel__Envelope *envelope,
                     const char *what, undo_fn *undo, const char *name);
/* The store fails: answers the requests for which rm_send_changed waits. */
void rm_effects_answer_changed(struct master *m);
/* Returns a new action for the time when row STORE_SEQ is on disk. The caller sets its other fields. */
struct saving *rm_saving_add(struct master *m, uint64_t store_seq, enum saving_kind kind);
void rm_saving_free(struct saving *saving);
void rm_effects_release_held(struct master *m, const struct saving *saving);

/* --- work for the shell ---------------------------------------------------- */

/* Request that the shell carries out IN: MASTER_RELOAD reads the configuration of queues again,
 * MASTER_REFRESH_ACCESS the access lists or groups, MASTER_SCHEDULER_CONF changes the configuration of
 * queues, rm_effect_reload_hosts reads the lists of hosts again; rm_effect_accept accepts HISTORIES. The
 * shell answers with master_reload, master_reload_hosts and master_accepted, or itself. */
void rm_effect_request(struct master *m, enum master_effect_kind kind, const struct master_peer *peer,
                       const Creel__Envelope *in, const char *user);
void rm_effect_reload_hosts(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                            const char *user);
void rm_effect_accept(struct master *m, const struct master_peer *peer, uint64_t request_id, const char *user,
                      const Creel__History *const *histories, size_t count);

#endif
