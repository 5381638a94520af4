/* SPDX-License-Identifier: Apache-2.0 */
/* wire_check.h - hold a message, and all that is in it, against wire_rules.h */
#ifndef CREEL_IO_WIRE_CHECK_H
#define CREEL_IO_WIRE_CHECK_H

#include <protobuf-c/protobuf-c.h>

#include "common/base/err.h"

/* 0, or -EBADMSG with the path of the first field that is out of bounds:
 * "submit_app.job.launch.files[3].name: is not a plain file name: '../x'". */
int wire_check(const ProtobufCMessage *message, struct err *err);

/* The same, but texts for people are first made fit in place (wire_text_mend),
 * so MESSAGE must be an unpacked one. */
int wire_check_mending(ProtobufCMessage *message, struct err *err);

#endif
