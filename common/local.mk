# SPDX-License-Identifier: Apache-2.0
# common/base: pure helpers without dependencies. common/proto: the schema.
noinst_LIBRARIES += libcreelbase.a libcreelproto.a

libcreelbase_a_SOURCES = \
    common/base/job/am_state.h \
    common/base/arena.c common/base/arena.h \
    common/base/job/archive_limits.h \
    common/base/job/array_spec.c common/base/job/array_spec.h \
    common/base/job/depends.c common/base/job/depends.h \
    common/base/directory_probe.c common/base/directory_probe.h \
    common/base/err.c common/base/err.h common/base/job/exit_status.h \
    common/base/escaped_text.c common/base/escaped_text.h \
    common/base/file.c common/base/file.h \
    common/base/histogram.c common/base/histogram.h \
    common/base/host_range.c common/base/host_range.h \
    common/base/id.c common/base/id.h \
    common/base/job/job_check.c common/base/job/job_check.h \
    common/base/job/job_field.c common/base/job/job_field.h common/base/job/job_field_table.h \
    common/base/json_writer.c common/base/json_writer.h \
    common/base/job/kill_reason.c common/base/job/kill_reason.h \
    common/base/job/mail.c common/base/job/mail.h \
    common/base/mem.c common/base/mem.h \
    common/base/monotonic.h common/base/monotonic_wait.h \
    common/base/protocol_range.c common/base/protocol_range.h \
    common/base/own_process.c common/base/own_process.h \
    common/base/resource.c common/base/resource.h \
    common/base/resource_types.c common/base/resource_types.h \
    common/base/job/results.c common/base/job/results.h \
    common/base/rng.h \
    common/base/shared_directory.c common/base/shared_directory.h \
    common/base/shares.c common/base/shares.h \
    common/base/spawn.c common/base/spawn.h \
    common/base/job/soft_limits.c common/base/job/soft_limits.h \
    common/base/job/task_results.c common/base/job/task_results.h \
    common/base/job/task_retry.c common/base/job/task_retry.h \
    common/base/text.c common/base/text.h \
    common/base/certificate_time.h \
    common/base/text_builder.c common/base/text_builder.h \
    common/base/text_list.c common/base/text_list.h \
    common/base/text_print.c common/base/text_print.h \
    common/base/utf8.c common/base/utf8.h \
    common/base/worker.c common/base/worker.h \
    common/base/xml_position.h

# Descriptions of the values that creel reports.
EXTRA_DIST += common/record/app_fields.h common/record/cluster_fields.h common/record/container_fields.h common/record/container_totals.h \
    common/record/history_sum.h common/record/node_fields.h common/record/queue_fields.h common/record/queue_user_fields.h

# Generated code is compiled without the project's warning flags, and included as a system
# header (AM_CPPFLAGS: -isystem of the build folder).
nodist_libcreelproto_a_SOURCES = common/proto/creel.pb-c.c
libcreelproto_a_CFLAGS = $(CREEL_CFLAGS) $(SANITIZER_CFLAGS) $(FUZZER_CFLAGS) $(PROTOBUF_C_CFLAGS) -w
CLEANFILES += common/proto/creel.pb-c.c common/proto/creel.pb-c.h
EXTRA_DIST += common/proto/creel.proto common/proto/event_copy.h common/proto/event_kind.h common/proto/histogram_message.h common/proto/launch_texts.h common/proto/log_access.h common/proto/task_counts.h common/proto/value_name.h

common/proto/creel.pb-c.h: common/proto/creel.proto
	$(AM_V_GEN)$(MKDIR_P) common/proto && \
	$(PROTOC_C) --proto_path=$(top_srcdir)/common/proto --c_out=common/proto \
	    $(top_srcdir)/common/proto/creel.proto
common/proto/creel.pb-c.c: common/proto/creel.pb-c.h
	@test -f $@ || { rm -f common/proto/creel.pb-c.h; $(MAKE) common/proto/creel.pb-c.h; }

include common/archive/local.mk
include common/conf/local.mk
include common/io/local.mk
include common/gateway/local.mk
include common/daemon/local.mk
include common/upstream/local.mk
