# SPDX-License-Identifier: Apache-2.0
# client/master: the application master's pure core; knows common/base and the schema.
noinst_LIBRARIES += libcreeltask.a

libcreeltask_a_SOURCES = \
    client/master/am_link.c client/master/am_link.h \
    client/master/am_start.c client/master/am_start.h \
    client/master/task_book.c client/master/task_book.h \
    client/master/task_effects.c \
    client/master/task_launch.c \
    client/master/task_master.c client/master/task_master.h \
    client/master/task_step.c client/master/task_step.h
libcreeltask_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
