# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libcreelrm.a
libcreelrm_a_CFLAGS = $(AM_CFLAGS) $(SODIUM_CFLAGS) $(SYSTEMD_CFLAGS)
libcreelrm_a_SOURCES = \
    rm/net/apply.c \
    rm/net/keys/asked_keys.c rm/net/keys/asked_keys.h \
    rm/net/keys/derived_keys.c rm/net/keys/derived_keys.h \
    rm/net/requests/audit.c rm/net/requests/audit.h \
    rm/net/requests/audit_change.c rm/net/requests/audit_change.h \
    rm/net/files/blob_requests.c rm/net/files/blob_requests.h \
    rm/net/files/blob_server.c rm/net/files/blob_server.h \
    rm/net/rescue/backups.c rm/net/rescue/backups.h \
    rm/net/files/blob_claims.c rm/net/files/blob_claims.h \
    rm/net/files/blob_files.c rm/net/files/blobs.c rm/net/files/blobs.h rm/net/files/blobs_private.h rm/net/files/uploads.c \
    rm/net/rescue/state_actions.c rm/net/rescue/state_actions.h \
    rm/net/rescue/state_archive.c rm/net/rescue/state_archive.h \
    rm/net/rescue/state_contents.c rm/net/rescue/state_contents.h \
    rm/net/rescue/state_files.h \
    rm/net/parts/host_program.c rm/net/parts/host_program.h \
    rm/net/rescue/state_owners.c rm/net/rescue/state_owners.h \
    rm/net/rescue/state_manifest.c rm/net/rescue/state_manifest.h \
    rm/net/parts/placed_files.c rm/net/parts/placed_files.h \
    rm/net/parts/clock.c rm/net/parts/clock.h \
    rm/net/parts/clock_record.c rm/net/parts/clock_record.h \
    rm/net/conf_change.c \
    rm/net/conf/conf_files.c rm/net/conf/conf_files.h \
    rm/net/conf/conf_edit.c rm/net/conf/conf_edit.h \
    rm/net/conf/conf_page.c rm/net/conf/conf_page.h \
    rm/net/configuration.c rm/net/conf_report.c rm/net/conf_report.h \
    rm/net/daemon.c rm/net/daemon.h rm/net/daemon_master.c \
    rm/net/health/free_space.c rm/net/health/free_space.h \
    rm/net/health/health.c rm/net/health/health.h rm/net/health/health_parts.h rm/net/health/health_space.c \
    rm/net/identity.c rm/net/identity.h \
    rm/net/commits.h rm/net/port.h \
    rm/net/history/history_answer.c rm/net/history/history_answer.h rm/net/history/history_threads.c rm/net/history/history_threads.h \
    rm/net/history/history_server.c rm/net/history/history_server.h rm/net/history/history_why.c rm/net/history/history_why.h \
    rm/net/history/history_loss.c rm/net/history/history_loss.h \
    rm/net/history/history_rows.c rm/net/history/history_rows.h rm/net/history/history_writer.c rm/net/history/history_writer.h \
    rm/net/keys/joined_file.c rm/net/keys/joined_file.h \
    rm/net/keys/joined_keys.c rm/net/keys/joined_keys.h \
    rm/net/health/metrics.c rm/net/health/metrics.h \
    rm/net/notify/notifier.c rm/net/notify/notifier.h \
    rm/net/notify/notify_command.c rm/net/notify/notify_command.h \
    rm/net/notify/notify_jobs.c rm/net/notify/notify_jobs.h \
    rm/net/notify/notify_queue.c rm/net/notify/notify_queue.h \
    rm/net/notify/notify_settings.c rm/net/notify/notify_settings.h \
    rm/net/outcome.c \
    rm/net/requests/pending.c rm/net/requests/pending.h \
    rm/net/requests/queries.c rm/net/requests/queries.h \
    rm/net/parts/request_queue.c rm/net/parts/request_queue.h \
    rm/net/files/quota.c rm/net/files/quota.h \
    rm/net/reload.c rm/net/reload.h \
    rm/net/reload_access.c \
    rm/net/reload_hosts.c \
    rm/net/requests/report.c rm/net/requests/report.h \
    rm/net/conf/scheduler_conf.c rm/net/conf/scheduler_conf.h \
    rm/net/keys/sign_in.c rm/net/keys/sign_in.h \
    rm/net/keys/signed_in.c rm/net/keys/signed_in.h \
    rm/net/keys/signed_in_file.c rm/net/keys/signed_in_file.h \
    rm/net/keys/signing_keys.c rm/net/keys/signing_keys.h \
    rm/net/server.c rm/net/server.h rm/net/server_hosts.c rm/net/server_keys.c \
    rm/net/conf/settings.c rm/net/conf/settings.h \
    rm/net/rescue/state_dir.c rm/net/rescue/state_dir.h \
    rm/net/rescue/state_rescue.c rm/net/rescue/state_rescue.h \
    rm/net/tasks.c \
    rm/net/requests/user_requests.c rm/net/requests/user_requests.h \
    rm/net/keys/user_groups.c rm/net/keys/user_groups.h \
    rm/net/parts/worker.c rm/net/parts/worker.h \
    rm/net/files/writer.c rm/net/files/writer.h

sbin_PROGRAMS += creel-rm
creel_rm_SOURCES = rm/net/main.c
creel_rm_LDADD = libcreelprogram.a libcreelrm.a libcreelmaster.a libcreelstore.a libcreelschedconf.a $(SCHED_LIBS) \
    $(CREDENTIAL_LIBS) $(IO_SERVER_LIBS) $(SQLITE_LIBS) $(EXPAT_LIBS)

noinst_PROGRAMS += bench/submit-rate bench/many-agents bench/list-load bench/am-load
bench_submit_rate_SOURCES = bench/submit-rate.c
bench_submit_rate_LDADD = $(IO_LIBS)
bench_many_agents_SOURCES = bench/many-agents.c
bench_many_agents_LDADD = $(IO_LIBS)
bench_list_load_SOURCES = bench/list-load.c
bench_list_load_LDADD = $(IO_LIBS)
bench_am_load_SOURCES = bench/am-load.c
bench_am_load_LDADD = $(IO_LIBS)
