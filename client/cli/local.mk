# SPDX-License-Identifier: Apache-2.0
# The creel program. libcreelcli.a has the common parts of all commands, and depends on no command.
noinst_LIBRARIES += libcreelcli.a
libcreelcli_a_SOURCES = \
    client/cli/amounts.c client/cli/amounts.h \
    client/cli/app_filter.c client/cli/app_filter.h \
    client/cli/cli.c client/cli/cli.h \
    client/cli/conf_edits.c client/cli/conf_edits.h \
    client/cli/dev.c client/cli/dev.h \
    client/cli/dev_conf.c \
    client/cli/dev_daemon.c \
    client/cli/dev_ports.c client/cli/dev_ports_renew.c \
    client/cli/dev_remove.c \
    client/cli/dev_watch.c \
    client/cli/event_list.c client/cli/event_list.h \
    client/cli/exec_here.c client/cli/exec_here.h \
    client/cli/fetch_container.c client/cli/fetch_container.h \
    client/cli/fetch_results.c client/cli/fetch_results.h \
    client/cli/help_texts.c client/cli/help_texts.h \
    client/cli/history_fields.c client/cli/history_fields.h \
    client/cli/host_arguments.c client/cli/host_arguments.h \
    client/cli/key_bundle.c client/cli/key_bundle.h \
    client/cli/listing.c client/cli/listing.h \
    client/cli/pack.c client/cli/pack.h \
    client/cli/log_archive.c client/cli/log_archive.h \
    client/cli/log_copy.c client/cli/log_copy.h \
    client/cli/place_tree.c client/cli/place_tree.h \
    client/cli/log_nodes.c client/cli/log_nodes.h \
    client/cli/stored_logs.c client/cli/stored_logs.h \
    client/cli/moment.c client/cli/moment.h \
    client/cli/options.c client/cli/options.h \
    client/cli/container_lookup.c client/cli/container_lookup.h \
    client/cli/queue_tree.c client/cli/queue_tree.h \
    client/cli/signal_name.c client/cli/signal_name.h \
    client/cli/show_app.c client/cli/show_app.h \
    client/cli/show_container.c \
    client/cli/show_history.c client/cli/show_history.h \
    client/cli/node_change.h \
    client/cli/show_node.c client/cli/show_node.h \
    client/cli/show_node_states.c client/cli/show_node_states.h \
    client/cli/show_queue.h \
    client/cli/show_users.c client/cli/show_users.h \
    client/cli/submit_hints.c client/cli/submit_hints.h \
    client/cli/submit_json.c client/cli/submit_json.h \
    client/cli/submit_options.c client/cli/submit_options.h \
    client/cli/submit_files.c client/cli/submit_files.h \
    client/cli/submit_environment.c client/cli/submit_environment.h \
    client/cli/submit_place.c client/cli/submit_place.h \
    client/cli/submit_script.c client/cli/submit_script.h \
    client/cli/submit_trial.c client/cli/submit_trial.h \
    client/cli/suggest.c client/cli/suggest.h \
    client/cli/table.c client/cli/table.h \
    client/cli/wait_nodes.c client/cli/wait_nodes.h
libcreelcli_a_CFLAGS = $(AM_CFLAGS) $(SMARTCOLS_CFLAGS) $(CZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS) $(ARCHIVE_CFLAGS) $(SODIUM_CFLAGS)

# The commands, for the program and for tests that run them in their own process.
noinst_LIBRARIES += libcreelcommands.a
libcreelcommands_a_SOURCES = \
    client/cli/complete.c client/cli/complete.h \
    client/cli/complete_values.c client/cli/complete_values.h \
    client/cli/cmd_complete.c \
    client/cli/manual.c client/cli/manual.h \
    client/cli/command_find.c \
    client/cli/commands.c client/cli/commands.h \
    client/cli/help.c \
    client/cli/cmd_admin.c \
    client/cli/cmd_admin_state.c \
    client/cli/cmd_drain_all.c \
    client/cli/cmd_log_level.c \
    client/cli/cmd_app.c \
    client/cli/cmd_app_change.c \
    client/cli/cmd_cluster.c \
    client/cli/cmd_conf.c client/cli/cmd_conf.h \
    client/cli/cmd_conf_check.c \
    client/cli/cmd_conf_convert.c \
    client/cli/cmd_conf_diff.c \
    client/cli/cmd_conf_set.c \
    client/cli/cmd_conf_versions.c \
    client/cli/cmd_container.c \
    client/cli/cmd_dev.c \
    client/cli/cmd_dev_up.c \
    client/cli/cmd_exec.c client/cli/cmd_resize.c \
    client/cli/cmd_fetch.c \
    client/cli/cmd_help.c \
    client/cli/cmd_events.c \
    client/cli/cmd_history.c \
    client/cli/cmd_history_usage.c client/cli/cmd_history_efficiency.c \
    client/cli/history_filter.c client/cli/history_filter.h \
    client/cli/history_sums.c client/cli/history_sums.h \
    client/cli/cmd_hold.c \
    client/cli/cmd_keygen.c \
    client/cli/cmd_setup.c \
    client/cli/setup_files.c client/cli/setup_files.h \
    client/cli/setup_join.c client/cli/setup_join.h \
    client/cli/cmd_label.c \
    client/cli/cmd_logs.c \
    client/cli/cmd_node.c \
    client/cli/cmd_queue.c \
    client/cli/cmd_queue_state.c \
    client/cli/cmd_queue_users.c \
    client/cli/cmd_submit.c \
    client/cli/cmd_health.c \
    client/cli/cmd_token.c \
    client/cli/cmd_token_join.c client/cli/cmd_token_join.h \
    client/cli/cmd_top.c client/cli/top_screen.c client/cli/top_screen.h \
    client/cli/cmd_wait.c \
    client/cli/cmd_whoami.c \
    client/cli/cmd_why.c
libcreelcommands_a_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(SODIUM_CFLAGS)
CREEL_COMMAND_LIBS = libcreelcommands.a libcreelrun.a libcreelcli.a libcreelscript.a libcreeljob.a libcreeltask.a \
    libcreelschedconf.a libcreelsched.a libcreelunpack.a $(CREEL_CLIENT_LIBS) $(SMARTCOLS_LIBS) $(JANSSON_LIBS) \
    $(ARCHIVE_LIBS)

# A real program, not a libtool wrapper: build/creel runs in place.
bin_PROGRAMS += creel
creel_SOURCES = client/cli/main.c
creel_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(SODIUM_CFLAGS)
creel_LDADD = $(CREEL_COMMAND_LIBS)

# JSON schemas of the output of --json, one for each kind; tests/unit/client_schema.py checks the output against them.
schemadir = $(pkgdatadir)/schema
dist_schema_DATA = \
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
    docs/schema/FindingList.json \
    docs/schema/NodeList.json \
    docs/schema/NodeStateList.json \
    docs/schema/QueueAccessList.json \
    docs/schema/QueueList.json \
    docs/schema/HealthList.json \
    docs/schema/JoinList.json \
    docs/schema/IdentityList.json \
    docs/schema/LabelList.json \
    docs/schema/LogLevelList.json \
    docs/schema/QueueUserList.json \
    docs/schema/RefreshList.json \
    docs/schema/ResultList.json \
    docs/schema/SubmissionList.json \
    docs/schema/StateList.json \
    docs/schema/SubmissionTestList.json \
    docs/schema/TokenList.json \
    docs/schema/UsageList.json \
    docs/schema/EventList.json \
    docs/schema/UserList.json \
    docs/schema/VersionList.json \
    docs/schema/WhyList.json

# The plain fields of a job are generated into the schema and the manual from common/base/job_field_table.h.
nodist_schema_DATA = docs/schema/JobList.json
job_fields = $(top_srcdir)/tools/job-fields
job_field_table = $(top_srcdir)/common/base/job_field_table.h
EXTRA_DIST += tools/job-fields docs/schema/JobList.json.in docs/man/creel.1.scd.in
CLEANFILES += docs/schema/JobList.json docs/man/creel.1.scd docs/man/creel.1
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

# The manual pages of the commands, one for each first word (client/cli/manual.h). tests/unit/client_manual.sh checks that
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
