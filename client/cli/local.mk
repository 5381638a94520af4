# SPDX-License-Identifier: Apache-2.0
# The creel program. libcreelcli.a has the common parts of all commands, and depends on no command.
noinst_LIBRARIES += libcreelcli.a
libcreelcli_a_SOURCES = \
    client/cli/frame/amounts.c client/cli/frame/amounts.h \
    client/cli/frame/archive_program.c client/cli/frame/archive_program.h \
    client/cli/show/app_filter.c client/cli/show/app_filter.h \
    client/cli/frame/cli.c client/cli/frame/cli.h \
    client/cli/conf/conf_edits.c client/cli/conf/conf_edits.h \
    client/cli/dev/dev.c client/cli/dev/dev.h \
    client/cli/dev/dev_conf.c \
    client/cli/dev/dev_daemon.c \
    client/cli/dev/dev_ports.c client/cli/dev/dev_ports_renew.c \
    client/cli/dev/dev_remove.c \
    client/cli/dev/dev_watch.c \
    client/cli/show/event_list.c client/cli/show/event_list.h \
    client/cli/run/exec_here.c client/cli/run/exec_here.h \
    client/cli/results/fetch_container.c client/cli/results/fetch_container.h \
    client/cli/results/fetch_results.c client/cli/results/fetch_results.h \
    client/cli/help/help_texts.c client/cli/help/help_texts.h \
    client/cli/history/history_fields.c client/cli/history/history_fields.h \
    client/cli/frame/host_arguments.c client/cli/frame/host_arguments.h \
    client/cli/admin/key_bundle.c client/cli/admin/key_bundle.h \
    client/cli/frame/listing.c client/cli/frame/listing.h \
    client/cli/logs/log_archive.c client/cli/logs/log_archive.h \
    client/cli/logs/log_copy.c client/cli/logs/log_copy.h \
    client/cli/results/place_tree.c client/cli/results/place_tree.h \
    client/cli/logs/log_nodes.c client/cli/logs/log_nodes.h \
    client/cli/logs/storage_child.c client/cli/logs/storage_child.h client/cli/logs/stored_logs.c client/cli/logs/stored_logs.h \
    client/cli/frame/moment.c client/cli/frame/moment.h \
    client/cli/frame/options.c client/cli/frame/options.h \
    client/cli/show/container_lookup.c client/cli/show/container_lookup.h \
    client/cli/show/queue_labels.c \
    client/cli/show/queue_rows.c client/cli/show/queue_rows.h \
    client/cli/frame/record_json.h \
    client/cli/show/queue_tree.c client/cli/show/queue_tree.h \
    client/cli/frame/signal_name.c client/cli/frame/signal_name.h \
    client/cli/show/show_app.c client/cli/show/show_app.h \
    client/cli/show/show_container.c \
    client/cli/show/show_history.c \
    client/cli/admin/node_change.h \
    client/cli/show/show_node.c client/cli/show/show_node.h \
    client/cli/show/show_node_states.c \
    client/cli/show/show_queue.h \
    client/cli/show/show_users.c client/cli/show/show_lists.h \
    client/cli/show/slurm_state.c client/cli/show/slurm_state.h \
    client/cli/submit/submit_hints.c client/cli/submit/submit_hints.h \
    client/cli/submit/submit_json.c \
    client/cli/submit/submit_options.c client/cli/submit/submit_options.h \
    client/cli/submit/submit_files.c client/cli/submit/submit_files.h \
    client/cli/submit/submit_environment.c client/cli/submit/submit_environment.h \
    client/cli/submit/submit_place.c client/cli/submit/submit_place.h \
    client/cli/submit/submit_written.c client/cli/submit/submit_written.h \
    client/cli/submit/submit_process.c client/cli/submit/submit_process.h \
    client/cli/submit/submit_queues.c client/cli/submit/submit_queues.h \
    client/cli/submit/submit_script.c client/cli/submit/submit_script.h \
    client/cli/submit/submit_trial.c client/cli/submit/submit_trial.h \
    client/cli/frame/suggest.c client/cli/frame/suggest.h \
    client/cli/frame/table.c client/cli/frame/table.h \
    client/cli/admin/wait_nodes.c client/cli/admin/wait_nodes.h
libcreelcli_a_CFLAGS = $(AM_CFLAGS) $(SMARTCOLS_CFLAGS) $(CZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS) $(SODIUM_CFLAGS)

# The commands, for the program and for tests that run them in their own process.
noinst_LIBRARIES += libcreelcommands.a
libcreelcommands_a_SOURCES = \
    client/cli/help/complete.c client/cli/help/complete.h \
    client/cli/help/complete_values.c client/cli/help/complete_values.h \
    client/cli/help/cmd_complete.c \
    client/cli/help/manual.c client/cli/help/manual.h \
    client/cli/frame/command_find.c \
    client/cli/commands.c client/cli/commands.h \
    client/cli/help/help.c \
    client/cli/conf/cmd_admin.c \
    client/cli/admin/cmd_admin_state.c \
    client/cli/admin/cmd_drain_all.c \
    client/cli/admin/cmd_log_level.c \
    client/cli/show/cmd_app.c \
    client/cli/run/cmd_app_change.c \
    client/cli/show/cmd_cluster.c \
    client/cli/conf/cmd_conf.c client/cli/conf/cmd_conf.h \
    client/cli/conf/cmd_conf_check.c \
    client/cli/conf/cmd_conf_convert.c \
    client/cli/conf/cmd_conf_diff.c \
    client/cli/conf/cmd_conf_set.c \
    client/cli/conf/cmd_conf_versions.c \
    client/cli/show/cmd_container.c \
    client/cli/admin/cmd_dev.c \
    client/cli/admin/cmd_dev_up.c \
    client/cli/run/cmd_exec.c client/cli/run/cmd_resize.c \
    client/cli/results/cmd_fetch.c \
    client/cli/help/cmd_help.c \
    client/cli/show/cmd_events.c \
    client/cli/history/cmd_history.c \
    client/cli/history/cmd_history_usage.c client/cli/history/cmd_history_efficiency.c \
    client/cli/show/history_filter.c client/cli/show/history_filter.h \
    client/cli/history/history_sums.c client/cli/history/history_sums.h \
    client/cli/run/cmd_hold.c \
    client/cli/admin/cmd_keygen.c \
    client/cli/admin/cmd_setup.c \
    client/cli/admin/setup_files.c client/cli/admin/setup_files.h \
    client/cli/admin/setup_join.c client/cli/admin/setup_join.h \
    client/cli/admin/cmd_label.c \
    client/cli/logs/cmd_logs.c \
    client/cli/admin/cmd_node.c \
    client/cli/show/cmd_queue.c \
    client/cli/show/cmd_queue_state.c \
    client/cli/show/cmd_queue_users.c \
    client/cli/run/cmd_submit.c \
    client/cli/show/cmd_health.c \
    client/cli/admin/cmd_token.c \
    client/cli/admin/cmd_token_join.c client/cli/admin/cmd_token_join.h \
    client/cli/show/cmd_top.c client/cli/show/top_screen.c client/cli/show/top_screen.h \
    client/cli/show/cmd_wait.c \
    client/cli/show/cmd_whoami.c \
    client/cli/show/cmd_why.c
libcreelcommands_a_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(SODIUM_CFLAGS)
CREEL_COMMAND_LIBS = libcreelcommands.a libcreelrun.a libcreelcli.a libcreelscript.a libcreeljob.a libcreeltask.a \
    libcreelschedconf.a libcreelsched.a $(CREEL_CLIENT_LIBS) $(SMARTCOLS_LIBS) $(JANSSON_LIBS)

# A real program, not a libtool wrapper: build/creel runs in place.
bin_PROGRAMS += creel
creel_SOURCES = client/cli/main.c
creel_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(SODIUM_CFLAGS)
creel_LDADD = $(CREEL_COMMAND_LIBS)

# JSON schemas of the output of --json, one for each kind, from docs/schema/lists.txt and common/record;
# tests/unit/client/client_schema.py checks the output against them. The plain fields of a job are generated into its schema and
# into the manual from common/base/job/job_field_table.h.
schemadir = $(pkgdatadir)/schema
list_schemas = \
    docs/schema/AppList.json \
    docs/schema/CertificateList.json \
    docs/schema/ClusterInfo.json \
    docs/schema/ConfConversionList.json \
    docs/schema/ConfDifferenceList.json \
    docs/schema/ConfList.json \
    docs/schema/ConfVersionList.json \
    docs/schema/ContainerList.json \
    docs/schema/DevProcessList.json \
    docs/schema/EfficiencyList.json \
    docs/schema/EventList.json \
    docs/schema/FindingList.json \
    docs/schema/HealthList.json \
    docs/schema/IdentityList.json \
    docs/schema/JoinList.json \
    docs/schema/LabelList.json \
    docs/schema/LogLevelList.json \
    docs/schema/NodeList.json \
    docs/schema/NodeStateList.json \
    docs/schema/QueueAccessList.json \
    docs/schema/QueueList.json \
    docs/schema/QueueUserList.json \
    docs/schema/RefreshList.json \
    docs/schema/ResultList.json \
    docs/schema/StateList.json \
    docs/schema/SubmissionList.json \
    docs/schema/SubmissionTestList.json \
    docs/schema/TokenList.json \
    docs/schema/UsageList.json \
    docs/schema/UserList.json \
    docs/schema/VersionList.json \
    docs/schema/WhyList.json
nodist_schema_DATA = docs/schema/JobList.json $(list_schemas)
record_fields = $(top_srcdir)/tools/record-fields
$(list_schemas): $(record_fields) $(top_srcdir)/docs/schema/lists.txt $(top_srcdir)/client/include/creel.h \
    $(top_srcdir)/client/include/creel-job.h $(top_srcdir)/client/include/creel-container.h $(top_srcdir)/client/include/creel-queue.h \
    $(top_srcdir)/common/record/app_fields.h $(top_srcdir)/common/record/cluster_fields.h \
    $(top_srcdir)/common/record/container_fields.h $(top_srcdir)/common/record/node_fields.h \
    $(top_srcdir)/common/record/queue_fields.h $(top_srcdir)/common/record/queue_user_fields.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(record_fields) schema $(@F:.json=) $(CC) -E >$@.new && mv $@.new $@
job_fields = $(top_srcdir)/tools/job-fields
job_field_table = $(top_srcdir)/common/base/job/job_field_table.h
EXTRA_DIST += tools/job-fields tools/record-fields docs/schema/lists.txt docs/schema/JobList.json.in docs/man/creel.1.scd.in
CLEANFILES += docs/schema/JobList.json $(list_schemas) docs/man/creel.1.scd docs/man/creel.1
man_MANS += docs/man/creel.1

docs/schema/JobList.json: docs/schema/JobList.json.in $(job_field_table) $(job_fields)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(job_fields) schema $(job_field_table) $(CC) -E <$(top_srcdir)/docs/schema/JobList.json.in >$@.new && mv $@.new $@
docs/man/creel.1.scd: docs/man/creel.1.scd.in $(job_field_table) $(job_fields) $(top_srcdir)/client/cli/local.mk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	pages=$$(printf '*%s*(1), ' $$(printf '%s\n' $(command_pages) | sed 's|.*/||; s|\.1$$||' | sort)) && \
	sed "s/@COMMAND_PAGES@/$$pages/" $(top_srcdir)/docs/man/creel.1.scd.in >$@.tmp && \
	$(job_fields) manual $(job_field_table) $(CC) -E <$@.tmp >$@.new && rm $@.tmp && mv $@.new $@
docs/man/creel.1: docs/man/creel.1.scd

# The manual pages of the commands, one for each first word (client/cli/help/manual.h). tests/unit/client/client_manual.sh checks that
# all are here.
command_pages = \
    docs/man/creel-submit.1 docs/man/creel-run.1 docs/man/creel-alloc.1 docs/man/creel-attach.1 \
    docs/man/creel-ps.1 docs/man/creel-status.1 docs/man/creel-why.1 docs/man/creel-logs.1 \
    docs/man/creel-fetch.1 docs/man/creel-wait.1 docs/man/creel-kill.1 \
    docs/man/creel-cancel.1 docs/man/creel-hold.1 docs/man/creel-release.1 docs/man/creel-events.1 docs/man/creel-top.1 \
    docs/man/creel-app.1 docs/man/creel-history.1 docs/man/creel-container.1 docs/man/creel-node.1 \
    docs/man/creel-label.1 docs/man/creel-token.1 docs/man/creel-queue.1 docs/man/creel-cluster.1 \
    docs/man/creel-admin.1 docs/man/creel-conf.1 docs/man/creel-setup.1 docs/man/creel-keygen.1 \
    docs/man/creel-dev.1 docs/man/creel-version.1 docs/man/creel-whoami.1 docs/man/creel-help.1
man_MANS += $(command_pages)
CLEANFILES += $(command_pages)
$(command_pages): creel$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && page=$(@F) && word=$${page#creel-} && \
	./creel$(EXEEXT) __man "$${word%.1}" >$@.tmp && $(SCDOC) <$@.tmp >$@.new && rm $@.tmp && mv $@.new $@

# Completion files, in the directories and with the names that each shell expects.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(zsh_completion_dir)
fishcompletiondir = $(datadir)/fish/vendor_completions.d
nodist_bashcompletion_DATA = client/completion/creel
dist_zshcompletion_DATA = client/completion/_creel
dist_fishcompletion_DATA = client/completion/creel.fish
EXTRA_DIST += client/completion/creel.bash
CLEANFILES += client/completion/creel
client/completion/creel: client/completion/creel.bash
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $(top_srcdir)/client/completion/creel.bash $@
