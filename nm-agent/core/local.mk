# SPDX-License-Identifier: Apache-2.0
# nm-agent/core: state and decisions of the agent, pure; depends only on common/base and the schema.
noinst_LIBRARIES += libnmcore.a
libnmcore_a_SOURCES = \
    nm-agent/container_end.h nm-agent/launch.h \
    nm-agent/core/agent.c nm-agent/core/agent.h \
    nm-agent/core/agent_report.c \
    nm-agent/core/apps.c \
    nm-agent/core/clock.c \
    nm-agent/core/container_phase.c nm-agent/core/container_phase.h \
    nm-agent/core/containers.c \
    nm-agent/core/durations.c \
    nm-agent/core/effects.c \
    nm-agent/core/figures.c \
    nm-agent/core/history.c \
    nm-agent/core/log_news.c \
    nm-agent/core/launch.c \
    nm-agent/core/launch_place.c nm-agent/core/launch_place.h \
    nm-agent/core/limit.c \
    nm-agent/core/resize.c \
    nm-agent/core/link.c nm-agent/core/link_state.c \
    nm-agent/core/monitor.c nm-agent/core/monitor.h \
    nm-agent/core/orders.c \
    nm-agent/core/output_pattern.c nm-agent/core/output_pattern.h \
    nm-agent/core/register.c \
    nm-agent/core/release.c \
    nm-agent/core/replies.c \
    nm-agent/core/shortage.c \
    nm-agent/core/slurm_variables.c nm-agent/core/slurm_variables.h \
    nm-agent/core/state.c nm-agent/core/state.h \
    nm-agent/core/status.c \
    nm-agent/core/time_limit.c
libnmcore_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(BSD_CFLAGS)
