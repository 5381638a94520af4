# SPDX-License-Identifier: Apache-2.0
# web/rest: YARN's REST interface, as handlers of web/http. Reads web/model, writes with web/text.
noinst_LIBRARIES += libcreelrest.a
libcreelrest_a_SOURCES = \
    web/rest/accept.c web/rest/accept.h \
    web/rest/activities.c \
    web/rest/app.c \
    web/rest/app_document.c web/rest/app_document.h \
    web/rest/app_find.c web/rest/app_find.h \
    web/rest/apps.c \
    web/rest/attempts.c \
    web/rest/beans.c web/rest/beans.h \
    web/rest/beans_queue.c web/rest/beans_queue.h \
    web/rest/cluster.c \
    web/rest/configuration.c \
    web/rest/format.c web/rest/format.h \
    web/rest/handlers.h \
    web/rest/jmx.c \
    web/rest/labels.c \
    web/rest/lists.c web/rest/lists.h \
    web/rest/live_nodes.c web/rest/live_nodes.h \
    web/rest/log_level.c \
    web/rest/metrics.c web/rest/metrics.h \
    web/rest/metrics_measured.c \
    web/rest/metrics_own.c \
    web/rest/metrics_parts.h \
    web/rest/nodes.c \
    web/rest/parts.c web/rest/parts.h \
    web/rest/pieces.c web/rest/pieces.h \
    web/rest/queue_access.c \
    web/rest/queue_capacity.c \
    web/rest/queue_fair.c \
    web/rest/queue_tree.c web/rest/queue_tree.h \
    web/rest/queue_users.c \
    web/rest/reply.c web/rest/reply.h \
    web/rest/reservations.c \
    web/rest/routes.c \
    web/rest/scheduler.c web/rest/scheduler.h \
    web/rest/scheduler_conf.c \
    web/rest/servlets.c \
    web/rest/signal.c \
    web/rest/stacks.c \
    web/rest/submission.c web/rest/submission.h \
    web/rest/submission_launch.c web/rest/submission_launch.h \
    web/rest/sums.c web/rest/sums.h \
    web/rest/targets.c \
    web/rest/unsupported.c \
    web/rest/write.c web/rest/write.h \
    web/rest/write_app.c \
    web/rest/write_node.c \
    web/rest/write_submit.c
libcreelrest_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
