# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libcreelrm.a
libcreelrm_a_CFLAGS = $(AM_CFLAGS) $(SODIUM_CFLAGS) $(SYSTEMD_CFLAGS)
libcreelrm_a_SOURCES = \
    rm/net/apply.c \
    rm/net/asked_keys.c rm/net/asked_keys.h \
    rm/net/attempt_keys.c rm/net/attempt_keys.h \
    rm/net/audit.c rm/net/audit.h \
    rm/net/blob_requests.c \
    rm/net/backups.c rm/net/backups.h \
    rm/net/blob_files.c rm/net/blobs.c rm/net/blobs.h rm/net/blobs_private.h rm/net/uploads.c \
    rm/net/state_actions.c rm/net/state_actions.h \
    rm/net/state_archive.c rm/net/state_archive.h \
    rm/net/state_manifest.c rm/net/state_manifest.h \
    rm/net/placed_files.c rm/net/placed_files.h \
    rm/net/clock.c rm/net/clock.h \
    rm/net/clock_record.c rm/net/clock_record.h \
    rm/net/conf_change.c \
    rm/net/conf_edit.c rm/net/conf_edit.h \
    rm/net/conf_page.c rm/net/conf_page.h \
    rm/net/conf_report.c rm/net/conf_report.h \
    rm/net/daemon.c rm/net/daemon.h \
    rm/net/free_space.c rm/net/free_space.h \
    rm/net/health.c rm/net/health.h \
    rm/net/identity.c \
    rm/net/history_server.c rm/net/history_server.h rm/net/history_why.c rm/net/history_why.h \
    rm/net/history_rows.c rm/net/history_rows.h rm/net/history_writer.c rm/net/history_writer.h \
    rm/net/joined_file.c rm/net/joined_file.h \
    rm/net/joined_keys.c rm/net/joined_keys.h \
    rm/net/metrics.c rm/net/metrics.h \
    rm/net/notifier.c rm/net/notifier.h \
    rm/net/notify_command.c rm/net/notify_command.h \
    rm/net/notify_jobs.c rm/net/notify_jobs.h \
    rm/net/notify_queue.c rm/net/notify_queue.h \
    rm/net/notify_settings.c rm/net/notify_settings.h \
    rm/net/outcome.c \
    rm/net/pending.c rm/net/pending.h \
    rm/net/queries.c rm/net/queries.h \
    rm/net/request_queue.c rm/net/request_queue.h \
    rm/net/quota.c rm/net/quota.h \
    rm/net/reload.c \
    rm/net/reload_access.c \
    rm/net/reload_hosts.c \
    rm/net/report.c rm/net/report.h \
    rm/net/scheduler_conf.c rm/net/scheduler_conf.h \
    rm/net/sign_in.c rm/net/sign_in.h \
    rm/net/signed_in.c rm/net/signed_in.h \
    rm/net/signed_in_file.c rm/net/signed_in_file.h \
    rm/net/signing_keys.c rm/net/signing_keys.h \
    rm/net/server.c \
    rm/net/settings.c rm/net/settings.h \
    rm/net/state_dir.c rm/net/state_dir.h \
    rm/net/tasks.c \
    rm/net/user_requests.c rm/net/user_requests.h \
    rm/net/user_groups.c rm/net/user_groups.h \
    rm/net/worker.c rm/net/worker.h \
    rm/net/writer.c rm/net/writer.h

sbin_PROGRAMS += creel-rm
creel_rm_SOURCES = rm/net/main.c
creel_rm_LDADD = libcreelprogram.a libcreelrm.a libcreelmaster.a libcreelstore.a libcreelschedconf.a $(SCHED_LIBS) \
    $(CREDENTIAL_LIBS) $(IO_SERVER_LIBS) $(SQLITE_LIBS) $(EXPAT_LIBS)

noinst_PROGRAMS += bench/submit-rate bench/many-agents bench/list-load
bench_submit_rate_SOURCES = bench/submit-rate.c
bench_submit_rate_LDADD = $(IO_LIBS)
bench_many_agents_SOURCES = bench/many-agents.c
bench_many_agents_LDADD = $(IO_LIBS)
bench_list_load_SOURCES = bench/list-load.c
bench_list_load_LDADD = $(IO_LIBS)
