/* SPDX-License-Identifier: Apache-2.0 */
/* wire_check.h - checks a message, and all messages in it, against the rules of wire_rules.h */
#ifndef CREEL_IO_WIRE_CHECK_H
#define CREEL_IO_WIRE_CHECK_H

#include <protobuf-c/protobuf-c.h>

#include "common/base/err.h"

/* Returns 0, or -EBADMSG; then ERR has the path of the first invalid field:
 * "submit_app.job.launch.files[3].name: is not a plain file name: '../x'". */
int wire_check(const ProtobufCMessage *message, struct err *err);

/* Does the same as wire_check, but first corrects texts for people in place (wire_text_mend), so MESSAGE must
 * be an unpacked message. */
int wire_check_mending(ProtobufCMessage *message, struct err *err);

#endif
