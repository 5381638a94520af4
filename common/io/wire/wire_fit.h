/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_fit.h - fits a stored message to limits that became lower after it was stored
 *
 * A row that an earlier version stored may have a text that is longer than this version sends and receives.
 * Such a row still has to load, and the application that it describes has to be listed: what cannot be sent
 * is left out. No path is cut, because a part of a path is another path.
 */
#ifndef CREEL_IO_WIRE_FIT_H
#define CREEL_IO_WIRE_FIT_H

#include <protobuf-c/protobuf-c.h>

/* Empties each text of MESSAGE, and of all messages in it, that is longer than its rule allows
 * (wire_rules.h; texts for people are cut when they are sent), and removes the last elements of a list
 * whose texts have too many bytes together. MESSAGE was unpacked with the default allocator. */
void wire_fit(ProtobufCMessage *message);

#endif
