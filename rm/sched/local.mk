# SPDX-License-Identifier: Apache-2.0
# The scheduler core: pure, uses common/base, and reads settings out of common/conf.
noinst_LIBRARIES += libcreelsched.a

libcreelsched_a_SOURCES = \
    rm/sched/app.c \
    rm/sched/calc.c rm/sched/calc.h \
    rm/sched/capacity/config.h \
    rm/sched/check.c \
    rm/sched/config.c \
    rm/sched/demand.c \
    rm/sched/fair/shares.c rm/sched/fair/shares.h \
    rm/sched/fifo.c \
    rm/sched/internal.h \
    rm/sched/node.c \
    rm/sched/place.c \
    rm/sched/preempt/fifo.c \
    rm/sched/preempt/ideal.c \
    rm/sched/preempt/internal.h \
    rm/sched/preempt/intra.c \
    rm/sched/preempt/marks.c \
    rm/sched/preempt/preempt.c rm/sched/preempt/preempt.h \
    rm/sched/preempt/priority.c \
    rm/sched/preempt/reserved.c \
    rm/sched/preempt/settings.c \
    rm/sched/preempt/take.c \
    rm/sched/preempt/tree.c \
    rm/sched/preempt/walk.c \
    rm/sched/sched.h \
    rm/sched/strategy.h \
    rm/sched/why.c
