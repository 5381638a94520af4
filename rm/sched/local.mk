# SPDX-License-Identifier: Apache-2.0
# The scheduler core: pure, uses common/base, and reads settings out of common/conf.
noinst_LIBRARIES += libcreelsched.a

libcreelsched_a_SOURCES = \
    rm/identity/access.c rm/identity/access.h \
    rm/identity/acl.c rm/identity/acl.h \
    rm/identity/groups.c rm/identity/groups.h \
    rm/sched/app.c \
    rm/sched/app_entry.c rm/sched/app_entry.h \
    rm/sched/accounting.c \
    rm/sched/blacklist.c \
    rm/sched/calc.c rm/sched/calc.h \
    rm/sched/capacity/active.c rm/sched/capacity/activate.c \
    rm/sched/capacity/parallel.c \
    rm/sched/capacity/admit.c \
    rm/sched/capacity/allocate.c \
    rm/sched/capacity/assign.c \
    rm/sched/capacity/capacity.c \
    rm/sched/capacity/check.c \
    rm/sched/capacity/preempt_audit.c rm/sched/capacity/preempt_audit.h \
    rm/sched/capacity/config/accept.c \
    rm/sched/capacity/config/compute.c \
    rm/sched/capacity/config/config.h \
    rm/sched/capacity/config/dynamic.c \
    rm/sched/capacity/config/key_table.c rm/sched/capacity/config/key_table.h \
    rm/sched/capacity/config/global.c \
    rm/sched/capacity/config/judge.c \
    rm/sched/capacity/config/judge_share.c \
    rm/sched/capacity/config/label_keys.c \
    rm/sched/capacity/config/load.c \
    rm/sched/capacity/config/managed.c \
    rm/sched/capacity/config/names.c \
    rm/sched/capacity/config/priority.c \
    rm/sched/capacity/config/private.h \
    rm/sched/capacity/config/queue.c \
    rm/sched/capacity/config/read.c \
    rm/sched/capacity/config/templates.c \
    rm/sched/capacity/config/rows.c \
    rm/sched/capacity/config/tree.c \
    rm/sched/capacity/config/user_weights.c \
    rm/sched/capacity/config/vector.c \
    rm/sched/capacity/placement/access.c \
    rm/sched/capacity/placement/access.h \
    rm/sched/capacity/placement/decide.c \
    rm/sched/capacity/placement/json.c \
    rm/sched/capacity/placement/legacy.c \
    rm/sched/capacity/placement/placement.c \
    rm/sched/capacity/placement/placement.h \
    rm/sched/capacity/placement/rules.h \
    rm/sched/capacity/placement/state.h \
    rm/sched/capacity/placement/tree.c \
    rm/sched/capacity/placement/tree.h \
    rm/sched/capacity/index.c \
    rm/sched/capacity/internal.h \
    rm/sched/capacity/killable.c \
    rm/sched/capacity/limits.c \
    rm/sched/capacity/report.c \
    rm/sched/capacity/why.c \
    rm/sched/capacity/queries.c \
    rm/sched/capacity/recompute.c \
    rm/sched/capacity/records.h \
    rm/sched/capacity/managed.c \
    rm/sched/capacity/preempt_pending.c \
    rm/sched/capacity/preemption.c \
    rm/sched/capacity/priority.c \
    rm/sched/capacity/tree.c \
    rm/sched/capacity/users.c \
    rm/sched/capacity/app_walk.c \
    rm/sched/check.c \
    rm/sched/reserve.c \
    rm/sched/resize.c rm/sched/resize.h rm/sched/resize_request.c \
    rm/sched/sched.c rm/sched/sched_containers.c rm/sched/size.c \
    rm/sched/decisions.c \
    rm/sched/demand.c \
    rm/sched/fair/access.c rm/sched/fair/access.h \
    rm/sched/fair/allocations.c rm/sched/fair/allocations.h \
    rm/sched/fair/allocations_private.h \
    rm/sched/fair/allocations_queue.c \
    rm/sched/fair/allocations_read.c \
    rm/sched/fair/allocations_unknown.c \
    rm/sched/fair/allocations_value.c \
    rm/sched/fair/amount.c rm/sched/fair/amount.h \
    rm/sched/fair/admit.c \
    rm/sched/fair/allocate.c \
    rm/sched/fair/am_deadlock.c \
    rm/sched/fair/assign.c \
    rm/sched/fair/check.c \
    rm/sched/fair/claims.c \
    rm/sched/fair/config.c rm/sched/fair/config.h \
    rm/sched/fair/demand.c \
    rm/sched/fair/element_table.h \
    rm/sched/fair/fair.c \
    rm/sched/fair/compare.c \
    rm/sched/fair/index.c \
    rm/sched/fair/internal.h rm/sched/fair/records.h \
    rm/sched/fair/report.c \
    rm/sched/fair/queries.c \
    rm/sched/fair/preempt.c \
    rm/sched/fair/runnable.c \
    rm/sched/fair/starvation.c \
    rm/sched/fair/state.c \
    rm/sched/fair/tree.c \
    rm/sched/fair/update.c \
    rm/sched/fair/placement.c \
    rm/sched/fair/placement.h \
    rm/sched/fair/shares.c rm/sched/fair/shares.h \
    rm/sched/fifo.c \
    rm/sched/label.c \
    rm/sched/internal.h \
    rm/sched/partitions.h \
    rm/sched/node.c rm/sched/node_places.c rm/sched/node_room.c \
    rm/sched/order.c rm/sched/order.h \
    rm/sched/place_demand.c \
    rm/sched/placement.c \
    rm/sched/placement.h \
    rm/sched/queue_changes.c \
    rm/sched/queue_find.c \
    rm/sched/queue_name.c \
    rm/sched/queue_name.h \
    rm/sched/preempt/fifo.c \
    rm/sched/preempt/ideal.c \
    rm/sched/preempt/increases.c \
    rm/sched/preempt/internal.h \
    rm/sched/preempt/intra.c \
    rm/sched/preempt/marks.c \
    rm/sched/preempt/preempt.c rm/sched/preempt/preempt.h \
    rm/sched/preempt/priority.c \
    rm/sched/preempt/reserved.c \
    rm/sched/preempt/settings.c \
    rm/sched/preempt/take.c \
    rm/sched/preempt/tree.c \
    rm/sched/preempt/victims.c \
    rm/sched/sched.h \
    rm/sched/sched_queues.c rm/sched/sched_queues.h \
    rm/sched/sched_why.h \
    rm/sched/policy.h \
    rm/sched/why.c
libcreelsched_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
# Libraries of the scheduler, linked after their users and before common/base.
SCHED_LIBS = libcreelsched.a libcreelconf.a $(EXPAT_LIBS) $(JANSSON_LIBS) -lm

noinst_PROGRAMS += bench/preempt-round
bench_preempt_round_SOURCES = bench/preempt-round.c
bench_preempt_round_LDADD = $(SCHED_LIBS) libcreelbase.a
