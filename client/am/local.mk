# SPDX-License-Identifier: Apache-2.0
# client/am: the application master's pure core; depends on common/base and the protobuf schema.
noinst_LIBRARIES += libcreeltask.a

libcreeltask_a_SOURCES = \
    client/am/am_avoid.c client/am/am_avoid.h \
    client/am/am_link.c client/am/am_link.h \
    client/am/am_pieces.c client/am/am_pieces.h \
    client/am/am_start.c client/am/am_start.h \
    client/am/am_updates.c client/am/am_updates.h \
    client/am/task_book.c client/am/task_book.h \
    client/am/task_effects.c \
    client/am/task_launch.c \
    client/am/task_master.c client/am/task_master.h \
    client/am/task_step.c client/am/task_step.h \
    client/am/task_stored.c
libcreeltask_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)

# Runs a job from submission to exit status, for commands; uses libcreel and common/io.
noinst_LIBRARIES += libcreeljob.a
libcreeljob_a_SOURCES = \
    client/cli/logs/follow.c client/cli/logs/follow.h \
    client/cli/logs/follow_display.c client/cli/logs/follow_display.h \
    client/cli/logs/follow_rm.c client/cli/logs/follow_rm.h \
    client/cli/logs/line_buffer.c client/cli/logs/line_buffer.h \
    client/cli/logs/log_follow.c client/cli/logs/log_follow.h \
    client/cli/logs/task_label.h \
    client/cli/run/task_run.c client/cli/run/task_run.h \
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
    client/cli/run/alloc_master.c client/cli/run/alloc_master.h \
    client/cli/run/alloc_places.c client/cli/run/alloc_places.h \
    client/cli/run/alloc_shell.c client/cli/run/alloc_shell.h \
    client/cli/run/alloc_containers.c client/cli/run/alloc_containers.h \
    client/cli/run/alloc_step.c client/cli/run/alloc_step.h \
    client/cli/run/alloc_tasks.c client/cli/run/alloc_tasks.h \
    client/cli/run/cmd_alloc.c \
    client/cli/run/cmd_job.h \
    client/cli/run/cmd_run.c \
    client/cli/run/cmd_task_master.c \
    client/cli/run/input_copies.c client/cli/run/input_copies.h \
    client/cli/run/input_pipes.c client/cli/run/input_pipes.h \
    client/cli/run/run_input.c client/cli/run/run_input.h \
    client/cli/run/cmd_write_input.c \
    client/cli/run/run_terminal.c client/cli/run/run_terminal.h \
    client/cli/run/run_step.c client/cli/run/run_step.h
libcreelrun_a_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS)

# The AM's interface is part of the shared library too.
include_HEADERS += client/include/creel-am.h
libcreel_la_SOURCES += $(libcreeltask_a_SOURCES) \
    client/libcreel/am.c client/libcreel/am_capability.c client/libcreel/am_launch.c client/libcreel/am_open.c \
    client/libcreel/am_public.c client/libcreel/am_unmanaged.c \
    client/libcreel/channel_pool.c
