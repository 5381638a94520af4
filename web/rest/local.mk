# SPDX-License-Identifier: Apache-2.0
# web/rest: YARN's REST interface, as handlers of web/http. Reads web/model, writes with web/text.
noinst_LIBRARIES += libcreelrest.a
libcreelrest_a_SOURCES = \
    web/rest/parts/accept.c web/rest/parts/accept.h \
    web/rest/apps/activities.c \
    web/rest/apps/app.c \
    web/rest/apps/app_document.c web/rest/apps/app_document.h \
    web/rest/apps/app_find.c web/rest/apps/app_find.h \
    web/rest/apps/apps.c \
    web/rest/apps/attempts.c \
    web/rest/metrics/beans.c web/rest/metrics/beans.h \
    web/rest/metrics/beans_queue.c \
    web/rest/cluster/cluster.c \
    web/rest/cluster/configuration.c \
    web/rest/apps/containers.c \
    web/rest/parts/format.c web/rest/parts/format.h \
    web/rest/handlers.h \
    web/rest/metrics/jmx.c \
    web/rest/cluster/labels.c \
    web/rest/parts/lists.c web/rest/parts/lists.h \
    web/rest/metrics/live_nodes.c \
    web/rest/cluster/log_level.c \
    web/rest/metrics/metrics.c web/rest/metrics/metrics.h \
    web/rest/metrics/metrics_measured.c \
    web/rest/metrics/metrics_own.c \
    web/rest/metrics/metrics_parts.h \
    web/rest/cluster/nodes.c \
    web/rest/parts/parts.c web/rest/parts/parts.h \
    web/rest/parts/pieces.c web/rest/parts/pieces.h \
    web/rest/queues/queue_access.c \
    web/rest/queues/queue_capacity.c \
    web/rest/queues/queue_fair.c \
    web/rest/queues/queue_tree.c web/rest/queues/queue_tree.h \
    web/rest/queues/queue_users.c \
    web/rest/parts/reply.c web/rest/parts/reply.h \
    web/rest/apps/reservations.c \
    web/rest/routes.c \
    web/rest/queues/scheduler.c web/rest/queues/scheduler.h \
    web/rest/write/scheduler_conf.c \
    web/rest/cluster/servlets.c \
    web/rest/write/signal.c \
    web/rest/cluster/stacks.c \
    web/rest/write/submission.c web/rest/write/submission.h \
    web/rest/write/submission_launch.c web/rest/write/submission_launch.h \
    web/rest/parts/amounts.c web/rest/parts/amounts.h \
    web/rest/parts/sums.c web/rest/parts/sums.h \
    web/rest/metrics/targets.c \
    web/rest/cluster/unsupported.c \
    web/rest/write/write.c web/rest/write/write.h \
    web/rest/write/write_app.c \
    web/rest/write/write_node.c \
    web/rest/write/write_submit.c
libcreelrest_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
