# SPDX-License-Identifier: Apache-2.0
# nm-agent/net: creel-nm, the daemon that runs the core.
noinst_LIBRARIES += libcreelnm.a
libcreelnm_a_SOURCES = \
    nm-agent/net/am_service.c \
    nm-agent/net/apply.c \
    nm-agent/net/deferred.c nm-agent/net/deferred.h \
    nm-agent/net/daemon.c nm-agent/net/daemon.h \
    nm-agent/net/exec_service.c nm-agent/net/exec_service.h \
    nm-agent/net/exec_session.c nm-agent/net/exec_session.h \
    nm-agent/net/fetch.c nm-agent/net/fetch.h \
    nm-agent/net/journal.c nm-agent/net/launches.c \
    nm-agent/net/lock.c nm-agent/net/lock.h \
    nm-agent/net/log_service.c \
    nm-agent/net/measure.c \
    nm-agent/net/log_waits.c nm-agent/net/log_waits.h \
    nm-agent/net/finished_apps.c nm-agent/net/finished_apps.h \
    nm-agent/net/node_health.c nm-agent/net/node_report.c \
    nm-agent/net/peer_keys.c nm-agent/net/peer_keys.h \
    nm-agent/net/rm_link.c \
    nm-agent/net/settings.c nm-agent/net/settings.h \
    nm-agent/net/tasks.c \
    nm-agent/net/web_metrics.c nm-agent/net/web_metrics.h \
    nm-agent/net/web_service.c nm-agent/net/web_service.h \
    nm-agent/net/web_snapshot.c nm-agent/net/web_snapshot.h
libcreelnm_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(SODIUM_CFLAGS) $(SYSTEMD_CFLAGS) \
    $(BSD_CFLAGS) -DBINDIR=\"$(bindir)\"

sbin_PROGRAMS += creel-nm
creel_nm_SOURCES = nm-agent/net/main.c
creel_nm_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
NM_LIBS = libcreelnm.a libnmcore.a libcreellinux.a libcreelconf.a $(IO_LIBS) $(EXPAT_LIBS) \
    $(CGROUP_LIBS) $(BSD_LIBS)
creel_nm_LDADD = libcreelprogram.a $(NM_LIBS)
