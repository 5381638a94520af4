# SPDX-License-Identifier: Apache-2.0
# client/master: the application master's pure core; depends on common/base and the protobuf schema.
noinst_LIBRARIES += libcreeltask.a

libcreeltask_a_SOURCES = \
    client/master/am_avoid.c client/master/am_avoid.h \
    client/master/am_link.c client/master/am_link.h \
    client/master/am_pieces.c client/master/am_pieces.h \
    client/master/am_start.c client/master/am_start.h \
    client/master/am_updates.c client/master/am_updates.h \
    client/master/task_book.c client/master/task_book.h \
    client/master/task_effects.c \
    client/master/task_launch.c \
    client/master/task_master.c client/master/task_master.h \
    client/master/task_results.c client/master/task_results.h \
    client/master/task_step.c client/master/task_step.h \
    client/master/task_stored.c
libcreeltask_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)

# Runs a job from submission to exit status, for commands; uses libcreel and common/io.
noinst_LIBRARIES += libcreeljob.a
libcreeljob_a_SOURCES = \
    client/cli/follow.c client/cli/follow.h \
    client/cli/follow_display.c client/cli/follow_display.h \
    client/cli/follow_rm.c client/cli/follow_rm.h \
    client/cli/line_buffer.c client/cli/line_buffer.h \
    client/cli/log_follow.c client/cli/log_follow.h \
    client/cli/task_label.h \
    client/cli/task_run.c client/cli/task_run.h \
    client/libcreel/am.c client/libcreel/am.h \
    client/libcreel/am_capability.c client/libcreel/am_capability.h \
    client/libcreel/am_launch.c client/libcreel/am_launch.h \
    client/libcreel/am_public.c client/include/creel-am.h \
    client/libcreel/am_open.c client/libcreel/am_open.h \
    client/libcreel/am_unmanaged.c \
    client/libcreel/channel_pool.c client/libcreel/channel_pool.h
libcreeljob_a_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS)

# The commands; linked into the creel program, before libcreeljob.a.
noinst_LIBRARIES += libcreelrun.a
libcreelrun_a_SOURCES = \
    client/cli/alloc_master.c client/cli/alloc_master.h \
    client/cli/alloc_places.c client/cli/alloc_places.h \
    client/cli/alloc_shell.c client/cli/alloc_shell.h \
    client/cli/alloc_containers.c client/cli/alloc_containers.h \
    client/cli/alloc_step.c client/cli/alloc_step.h \
    client/cli/alloc_tasks.c client/cli/alloc_tasks.h \
    client/cli/cmd_alloc.c \
    client/cli/cmd_job.h \
    client/cli/cmd_run.c \
    client/cli/cmd_task_master.c \
    client/cli/input_copies.c client/cli/input_copies.h \
    client/cli/input_pipes.c client/cli/input_pipes.h \
    client/cli/run_input.c client/cli/run_input.h \
    client/cli/cmd_write_input.c \
    client/cli/run_terminal.c client/cli/run_terminal.h \
    client/cli/run_step.c client/cli/run_step.h
libcreelrun_a_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS)

# The AM's interface is part of the shared library too.
include_HEADERS += client/include/creel-am.h
libcreel_la_SOURCES += $(libcreeltask_a_SOURCES) \
    client/libcreel/am.c client/libcreel/am_capability.c client/libcreel/am_launch.c client/libcreel/am_open.c \
    client/libcreel/am_public.c client/libcreel/am_unmanaged.c \
    client/libcreel/channel_pool.c
