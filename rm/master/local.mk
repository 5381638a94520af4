# SPDX-License-Identifier: Apache-2.0
# The core of the resource manager: pure (no I/O), uses rm/sched, rm/jobs, common/base and the schema's structs.
noinst_LIBRARIES += libcreelmaster.a

libcreelmaster_a_SOURCES = \
    rm/master/account.c rm/master/account.h \
    rm/master/access_token.c rm/master/access_token.h \
    rm/master/admin_state.c rm/master/admin_state.h \
    rm/master/am_peer.c rm/master/am_peer.h \
    rm/master/am_state.c rm/master/am_state.h \
    rm/master/amounts.c rm/master/amounts.h \
    rm/master/app.c rm/master/app.h \
    rm/master/app_logs.c rm/master/app_logs.h \
    rm/master/app_nodes.h \
    rm/master/app_numbers.c rm/master/app_numbers.h \
    rm/master/app_usage.c rm/master/app_usage.h \
    rm/master/array.c rm/master/array.h \
    rm/master/array_corr.c rm/master/array_corr.h \
    rm/master/array_tasks.c rm/master/array_tasks.h \
    rm/master/attempt.c rm/master/attempt.h \
    rm/master/authz.c rm/master/authz.h \
    rm/master/avoid.c rm/master/avoid.h \
    rm/master/change_waiting.c rm/master/change_waiting.h \
    rm/master/changes.c rm/master/changes.h \
    rm/master/check.c \
    rm/master/clock.c rm/master/clock.h \
    rm/master/node_faults.c rm/master/node_faults.h \
    rm/master/container.c rm/master/container.h \
    rm/master/copy.c rm/master/copy.h \
    rm/master/counters.c rm/master/counters.h \
    rm/master/cutoff.c rm/master/cutoff.h \
    rm/master/contacts.c rm/master/contacts.h \
    rm/master/deadline.c rm/master/deadline.h \
    rm/master/decisions.c \
    rm/master/depend.c rm/master/depend.h \
    rm/master/depend_submit.c \
    rm/master/dispatch.c \
    rm/master/drain.c rm/master/drain.h \
    rm/master/effects.c rm/master/effects.h \
    rm/master/eligible.c rm/master/eligible.h \
    rm/master/events.c rm/master/events.h \
    rm/master/evict.c rm/master/evict.h \
    rm/master/failed_nodes.c rm/master/failed_nodes.h \
    rm/master/format.c rm/master/format.h \
    rm/master/history.c rm/master/history.h \
    rm/master/host_lists_apply.c \
    rm/master/hosts.c rm/master/hosts.h \
    rm/master/index.c rm/master/index.h \
    rm/master/job.c rm/master/job.h \
    rm/master/job_rows.c rm/master/job_rows.h \
    rm/master/job_wait.c rm/master/job_wait.h \
    rm/master/kept_files.c rm/master/kept_files.h \
    rm/master/labels.c rm/master/labels.h \
    rm/master/limit_orders.c rm/master/limit_orders.h \
    rm/master/liveness.c rm/master/liveness.h \
    rm/master/machines.c \
    rm/master/master.c rm/master/master.h \
    rm/master/measure.c rm/master/measure.h \
    rm/master/trend.c rm/master/trend.h \
    rm/master/message.c rm/master/message.h \
    rm/master/node.c rm/master/node.h \
    rm/master/node_labels.c \
    rm/master/node_orders.c rm/master/node_orders.h \
    rm/master/node_record.c rm/master/node_record.h \
    rm/master/node_report.c rm/master/node_report.h \
    rm/master/node_total.c rm/master/node_total.h \
    rm/master/orders_message.c \
    rm/master/preempt.c rm/master/preempt.h \
    rm/master/page.c rm/master/page.h \
    rm/master/query.c \
    rm/master/query_changes.c \
    rm/master/query_metrics.c \
    rm/master/query_queues.c \
    rm/master/query_test.c \
    rm/master/queue_state.c \
    rm/master/queues.c rm/master/queues.h \
    rm/master/queues_fair.c \
    rm/master/recover.c \
    rm/master/reload.c \
    rm/master/register_list.c rm/master/register_list.h \
    rm/master/report.c rm/master/report.h rm/master/report_queue.c \
    rm/master/request_access_token.c \
    rm/master/request_agent.c \
    rm/master/request_am_register.c \
    rm/master/request_am.c \
    rm/master/request_log_access.c \
    rm/master/request_app.c \
    rm/master/request_array.c \
    rm/master/request_hold.c \
    rm/master/request_am_access.c \
    rm/master/request_join.c \
    rm/master/request_labels.c \
    rm/master/request_nodes.c \
    rm/master/request_queues.c rm/master/request_requeue.c \
    rm/master/request_resize.c rm/master/resize.c rm/master/resize.h \
    rm/master/am_updates.c rm/master/am_updates.h \
    rm/master/request_submit.c \
    rm/master/request_wait.c \
    rm/master/requests.h \
    rm/master/forgotten.c \
    rm/master/resolve.c rm/master/resolve.h \
    rm/master/retry.c rm/master/retry.h \
    rm/master/rows.c rm/master/rows.h \
    rm/master/series.c rm/master/series.h \
    rm/master/settings.c rm/master/settings.h \
    rm/master/state.h \
    rm/master/states.c rm/master/states.h \
    rm/master/turns.c rm/master/turns.h \
    rm/master/step.c rm/master/step.h \
    rm/master/time_limit.c rm/master/time_limit.h \
    rm/master/user_limits.c rm/master/user_limits.h \
    rm/master/wait.c \
    rm/master/waiters.c rm/master/waiters.h \
    rm/master/why.c rm/master/why.h \
    rm/master/why_ended.c \
    rm/master/why_items.c \
    rm/master/why_nodes.c \
    rm/master/why_text.c \
    rm/master/why_wait.c
libcreelmaster_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
