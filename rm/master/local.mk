# SPDX-License-Identifier: Apache-2.0
# The core of the resource manager: pure (no I/O), uses rm/sched, rm/jobs, common/base and the schema's structs.
noinst_LIBRARIES += libcreelmaster.a

libcreelmaster_a_SOURCES = \
    rm/master/state/account.c rm/master/state/account.h \
    rm/master/services/access_token.c rm/master/services/access_token.h \
    rm/master/orders/admin_state.c rm/master/orders/admin_state.h \
    rm/master/jobs/am_peer.c rm/master/jobs/am_peer.h \
    rm/master/state/am_state.c rm/master/state/am_state.h \
    rm/master/state/amounts.c rm/master/state/amounts.h \
    rm/master/machines/app.c rm/master/machines/app.h \
    rm/master/state/app_logs.c rm/master/state/app_logs_state.c rm/master/state/app_logs.h \
    rm/master/parts/app_nodes.h \
    rm/master/services/app_numbers.c rm/master/services/app_numbers.h \
    rm/master/state/app_row.c rm/master/state/app_row.h \
    rm/master/orders/app_usage.c rm/master/orders/app_usage.h \
    rm/master/jobs/array.c rm/master/jobs/array.h rm/master/jobs/job_array.h \
    rm/master/jobs/array_corr.c rm/master/jobs/array_corr.h \
    rm/master/services/array_tasks.c rm/master/services/array_tasks.h \
    rm/master/machines/attempt.c rm/master/machines/attempt.h \
    rm/master/services/authz.c rm/master/services/authz.h \
    rm/master/nodes/web_services.c rm/master/nodes/web_services.h \
    rm/master/nodes/avoid.c rm/master/nodes/avoid.h \
    rm/master/nodes/common_faults.c rm/master/nodes/common_faults.h \
    rm/master/services/change_waiting.c rm/master/services/change_waiting.h \
    rm/master/state/changes.c rm/master/state/changes.h \
    rm/master/check.c \
    rm/master/nodes/certificates.c rm/master/nodes/certificates.h \
    rm/master/nodes/clock.c rm/master/nodes/clock.h \
    rm/master/machines/container.c rm/master/machines/container.h \
    rm/master/orders/completed.c rm/master/orders/completed.h \
    rm/master/state/copy.c rm/master/state/copy.h \
    rm/master/state/counters.c \
    rm/master/nodes/cutoff.c rm/master/nodes/cutoff.h \
    rm/master/nodes/contacts.c rm/master/nodes/contacts.h \
    rm/master/state/deadline.c rm/master/state/deadline.h \
    rm/master/services/decisions.c rm/master/services/decisions.h \
    rm/master/jobs/depend.c rm/master/jobs/depend.h \
    rm/master/services/depend_submit.c \
    rm/master/requests/dispatch.c \
    rm/master/services/drain.c rm/master/services/drain.h \
    rm/master/state/effects.c rm/master/state/effects.h \
    rm/master/services/eligible.c rm/master/services/eligible.h \
    rm/master/state/event_log.c rm/master/state/event_log.h \
    rm/master/state/event_queues.c \
    rm/master/parts/event_ring.c rm/master/parts/event_ring.h \
    rm/master/state/events.c rm/master/state/events.h \
    rm/master/services/evict.c rm/master/services/evict.h \
    rm/master/nodes/failed_nodes.c rm/master/nodes/failed_nodes.h \
    rm/master/nodes/failing.c rm/master/nodes/failing.h \
    rm/master/machines/forget_completed.c rm/master/machines/forget_completed.h \
    rm/master/nodes/flapping.c rm/master/nodes/flapping.h \
    rm/master/parts/format.c rm/master/parts/format.h \
    rm/master/services/history.c rm/master/services/history.h \
    rm/master/nodes/host_changes.c rm/master/nodes/host_changes.h \
    rm/master/services/host_lists_apply.c \
    rm/master/nodes/hosts.c rm/master/nodes/hosts.h \
    rm/master/state/index.c rm/master/state/index.h \
    rm/master/services/job.c rm/master/services/job.h \
    rm/master/state/job_rows.c rm/master/state/job_rows.h \
    rm/master/jobs/job_wait.c rm/master/jobs/job_wait.h \
    rm/master/parts/kept_files.c rm/master/parts/kept_files.h \
    rm/master/nodes/labels.c rm/master/nodes/labels.h \
    rm/master/orders/limit_orders.c rm/master/orders/limit_orders.h \
    rm/master/orders/limit_wait.c rm/master/orders/limit_wait.h \
    rm/master/orders/making_room.c rm/master/orders/making_room.h \
    rm/master/services/liveness.c rm/master/services/liveness.h \
    rm/master/machines/machines.c \
    rm/master/master.c rm/master/master.h \
    rm/master/state/measure.c rm/master/state/measure.h \
    rm/master/parts/trend.c rm/master/parts/trend.h \
    rm/master/state/message.c rm/master/state/message.h \
    rm/master/machines/node.c rm/master/machines/node.h \
    rm/master/nodes/missing_accounts.c rm/master/nodes/missing_accounts.h \
    rm/master/nodes/node_labels.c \
    rm/master/nodes/node_faults.c rm/master/nodes/node_faults.h \
    rm/master/nodes/node_list.c rm/master/nodes/node_list.h \
    rm/master/nodes/node_orders.c rm/master/nodes/node_orders.h \
    rm/master/orders/node_record.c rm/master/orders/node_record.h \
    rm/master/services/node_report.c rm/master/services/node_report.h \
    rm/master/orders/node_total.c rm/master/orders/node_total.h \
    rm/master/orders/orders_message.c \
    rm/master/orders/preempt.c rm/master/orders/preempt.h \
    rm/master/state/page.c rm/master/state/page.h \
    rm/master/queries/query.c \
    rm/master/queries/query_changes.c \
    rm/master/queries/query_events.c \
    rm/master/queries/query_metrics.c \
    rm/master/queries/query_queues.c \
    rm/master/queries/query_rerun.c \
    rm/master/queries/query_test.c \
    rm/master/services/queue_state.c \
    rm/master/services/queues.c rm/master/services/queues.h \
    rm/master/services/queues_fair.c \
    rm/master/recover.c \
    rm/master/reload.c \
    rm/master/services/register_list.c rm/master/services/register_list.h \
    rm/master/queries/report.c rm/master/queries/report.h rm/master/queries/report_queue.c rm/master/queries/row_report.c \
    rm/master/requests/request_access_token.c \
    rm/master/requests/request_agent.c \
    rm/master/requests/request_am_register.c \
    rm/master/requests/request_am.c \
    rm/master/requests/request_log_access.c \
    rm/master/requests/request_app.c \
    rm/master/requests/request_array.c \
    rm/master/requests/change_app.c \
    rm/master/requests/request_am_access.c \
    rm/master/requests/request_join.c \
    rm/master/requests/request_labels.c \
    rm/master/requests/request_nodes.c \
    rm/master/requests/request_queues.c rm/master/requests/request_requeue.c \
    rm/master/requests/request_resize.c rm/master/orders/resize.c rm/master/orders/resize.h \
    rm/master/requests/am_updates.c rm/master/requests/am_updates.h \
    rm/master/requests/request_submit.c \
    rm/master/requests/request_wait.c \
    rm/master/requests.h \
    rm/master/requests/forgotten.c \
    rm/master/services/resolve.c rm/master/services/resolve.h \
    rm/master/state/retry.c rm/master/state/retry.h \
    rm/master/state/rows.c rm/master/state/rows.h \
    rm/master/parts/series.c rm/master/parts/series.h \
    rm/master/state/settings.c rm/master/state/settings.h \
    rm/master/state.h rm/master/state_app.h rm/master/state_container.h rm/master/state_node.h rm/master/parts/change.h \
    rm/master/nodes/starting.c rm/master/nodes/starting.h \
    rm/master/parts/states.c rm/master/parts/states.h \
    rm/master/state/turns.c rm/master/state/turns.h \
    rm/master/parts/usage.c rm/master/parts/usage.h \
    rm/master/requests/step.c rm/master/requests/step.h \
    rm/master/orders/stopping.c rm/master/orders/stopping.h \
    rm/master/jobs/task_ends.c rm/master/jobs/task_ends.h \
    rm/master/state/time_limit.c rm/master/state/time_limit.h \
    rm/master/services/user_limits.c rm/master/services/user_limits.h \
    rm/master/queries/wait.c \
    rm/master/state/wait_pool.c rm/master/state/wait_pool.h \
    rm/master/orders/waiters.c rm/master/orders/waiters.h \
    rm/master/queries/why.c rm/master/queries/why.h \
    rm/master/queries/why_ended.c \
    rm/master/queries/why_items.c \
    rm/master/queries/why_nodes.c \
    rm/master/queries/why_room.c \
    rm/master/queries/why_text.c \
    rm/master/queries/why_wait.c
libcreelmaster_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
