# SPDX-License-Identifier: Apache-2.0
# The resource manager's mind: pure, uses rm/sched, common/base and the schema's structs.
noinst_LIBRARIES += libcreelmaster.a

libcreelmaster_a_SOURCES = \
    rm/master/amounts.c \
    rm/master/app.c \
    rm/master/attempt.c \
    rm/master/check.c \
    rm/master/clock.c \
    rm/master/container.c \
    rm/master/deadline.c \
    rm/master/deadline.h \
    rm/master/duty.c \
    rm/master/duty.h \
    rm/master/effects.c \
    rm/master/history.c \
    rm/master/hosts.c \
    rm/master/books.h rm/master/internal.h \
    rm/master/labels.c \
    rm/master/master.c \
    rm/master/master.h \
    rm/master/master_am.c \
    rm/master/master_client.c \
    rm/master/master_duty.c \
    rm/master/master_node.c \
    rm/master/master_query.c \
    rm/master/master_queue.c \
    rm/master/master_update.c \
    rm/master/message.c \
    rm/master/node.c \
    rm/master/node_labels.c \
    rm/master/preempt.c \
    rm/master/press.c \
    rm/master/queues.c \
    rm/master/queues_fair.c \
    rm/master/recover.c \
    rm/master/settings.c \
    rm/master/states.c \
    rm/master/states.h \
    rm/master/why.c \
    rm/master/why_ended.c \
    rm/master/why_nodes.c \
    rm/master/words.c rm/master/words.h
libcreelmaster_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
