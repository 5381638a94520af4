/* SPDX-License-Identifier: Apache-2.0 */
/*
 * head.h - the file `head` beside the database, which records the newest commit
 *
 * The database cannot detect that its newest commits are missing: a write-ahead log that was truncated or
 * deleted looks like one that was never longer. So the number and the hash of each commit are also written to
 * this file, in this order:
 *
 *   1. wait until the disk has received the head of commit N - 1, whose writing began after that commit
 *      (head_settle)
 *   2. commit N in the database, with a sync: its flush of the disk also covers the head of commit N - 1
 *   3. write the head of commit N, and begin to send it to the disk, without waiting
 *   4. send the replies
 *
 * A process that is killed between 2 and 3, or a power cut before the disk has the head, leaves a database
 * ahead of its head. This is no damage, as long as the head is part of the database's history. A database
 * behind its head has lost commits. After a kill the head has every commit whose replies were sent. After a
 * power cut the last of these commits may be missing in the head; if the database has lost this commit, too,
 * only agents can report the loss. To flush each head separately would prevent this, but halve the rate of
 * commits. Once a second the head is synced all the same, for file systems that do not write in place.
 *
 * The file has two slots, written in turn and in place. So a power cut during a write leaves the other slot
 * valid, and writing a head needs no more space on the disk. Each slot is text with a checksum.
 */
#ifndef CREEL_RM_STORE_HEAD_H
#define CREEL_RM_STORE_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

#define HEAD_NAME "head"
#define STORE_ID_BYTES 16
#define STORE_HASH_BYTES 32

struct head {
    uint8_t store_id[STORE_ID_BYTES]; /* random, made with the store */
    uint64_t commit;
    uint8_t hash[STORE_HASH_BYTES]; /* hash of that commit: store_chain.c */
    int64_t written_ms;
    int64_t cluster_ms;
    uint32_t epoch;
    uint8_t start_id[STORE_ID_BYTES]; /* id of the start with that epoch: store_chain.c */
    uint32_t last_app_seq;
};

/* Reads the newest head in DIRECTORY. Returns 1; 0 if there is none, or the file was never written; -EBADMSG
 * if neither slot is valid; other -errno. */
int head_read(const char *directory, struct head *ret, struct err *err);

/* Returns whether a file of SIZE bytes has all slots. */
bool head_has_room(int64_t size);
/* Opens the file. Creates it if necessary, with its full size, and syncs it and its name. */
int head_open(const char *directory, int *ret_fd, struct err *err);
/* Writes HEAD over the older slot, and starts sending the slot to the disk. */
int head_write(int fd, const char *directory, const struct head *head, struct err *err);
/* Waits until the disk has received the written data: the next flush of the disk makes them durable. */
int head_settle(int fd, const char *directory, struct err *err);
/* Flushes the file to the disk. */
int head_sync(int fd, const char *directory, struct err *err);

#endif
