/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - the frames that a server of Hadoop's RPC sends (pure)
 *
 * A client finds the call of an answer by its number, and throws what the answer says: an object of the Java
 * class that it names. So the names of classes are part of the protocol.
 */
#ifndef CREEL_HADOOP_WIRE_ANSWER_H
#define CREEL_HADOOP_WIRE_ANSWER_H

#include "hadoop/wire/bytes.h"
#include "hadoop/wire/frame.h"

/* Adds the frame of the answer to REQUEST: a message that is packed in BODY_SIZE bytes at BODY. */
void hadoop_answer_packed(struct hadoop_bytes *out, const struct hadoop_request *request, const uint8_t *body,
                          size_t body_size);
/* Adds the frame of an answer to the SASL request REQUEST. */
void hadoop_answer_sasl(struct hadoop_bytes *out, const struct hadoop_request *request,
                        const Hadoop__Sasl *message);
/* Adds the frame of FAILURE, the answer to REQUEST; NULL: to what is no request. */
void hadoop_answer_failure(struct hadoop_bytes *out, const struct hadoop_request *request,
                           const struct hadoop_failure *failure);
/* Adds what a client is sent whose opening is not one that is served, in the form that it reads. BYTES is its
 * opening, of which SIZE bytes have arrived. */
void hadoop_answer_opening(struct hadoop_bytes *out, enum hadoop_opening opening, const uint8_t *bytes,
                           size_t size);

#endif
