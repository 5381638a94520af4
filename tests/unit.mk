# SPDX-License-Identifier: Apache-2.0
# The names used in tests/programs.list, and helper programs of the unit tests.
EXTRA_DIST += tests/README.md tests/programs.list tests/make-programs tests/configs tests/scripts
IO_TEST_CFLAGS = $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS) $(SODIUM_CFLAGS) $(CMOCKA_CFLAGS)
# Programs that serve ports start a gateway; it is in another folder than they are.
GATEWAY_TEST_CPPFLAGS = -DGATEWAY_PATH=\"$(abs_top_builddir)/creel-gateway\"
PAM_TEST_CPPFLAGS = -DPAM_PATH=\"$(abs_top_builddir)/creel-pam\"
RM_TEST_LIBS = libcreelrm.a libcreelmaster.a libcreelschedconf.a $(SCHED_LIBS) libcreelstore.a $(CREDENTIAL_LIBS) $(IO_LIBS) \
    $(SQLITE_LIBS) $(EXPAT_LIBS)

case_sources = sim/cases/case.h sim/cases/case_expect.c sim/cases/case_json.c sim/cases/case_json.h sim/cases/case_names.c sim/cases/case_read.c \
    sim/cases/case_steps.c rm/sched/queue_name.c rm/sched/queue_name.h
storm_sources = sim/storm/storm.h sim/storm/storm_config.c sim/storm/storm_look.c sim/storm/storm_lull.c \
    sim/storm/storm_queues.c sim/storm/storm_run.c sim/storm/storm_silence.c sim/storm/storm_world.c sim/storm/storm_world.h

# Slow and simple reference implementations of the capacity and the fair scheduler, and the programs that compare the
# core with them.
reference_sources = \
    tests/reference/assign.c \
    tests/reference/calculator.c \
    tests/reference/dynamic.c \
    tests/reference/managed.c \
    tests/reference/model.c \
    tests/reference/offer.h \
    tests/reference/parallel.c \
    tests/reference/place.c \
    tests/reference/queues.c \
    tests/reference/reference.h \
    tests/reference/users.c \
    tests/reference/vectors.c
fair_reference_sources = \
    tests/reference/fair.h \
    tests/reference/fair_assign.c \
    tests/reference/fair_model.c \
    tests/reference/fair_starvation.c \
    tests/reference/fair_tree.c
reference_script_sources = \
    tests/reference/fair_script.c tests/reference/fair_script.h \
    tests/reference/fair_script_expect.c \
    tests/reference/script.c tests/reference/script.h \
    tests/reference/script_common.c tests/reference/script_common.h \
    tests/reference/script_config.c \
    tests/reference/script_expect.c
preempt_model_sources = \
    tests/reference/preempt_model.c tests/reference/preempt_model.h \
    tests/unit/sched/preempt_fixture.c tests/unit/sched/preempt_fixture.h
duel_sources = $(preempt_model_sources) \
    tests/reference/duel.c tests/reference/duel.h \
    tests/reference/duel_apps.c \
    tests/reference/duel_decisions.c \
    tests/reference/duel_figures.c tests/reference/duel_figures.h \
    tests/reference/duel_preempt.c \
    tests/reference/scenario.c tests/reference/scenario.h \
    tests/reference/scenario_conf.c \
    tests/reference/scenario_vectors.c

# Programs that end before their Nth system call: the linker wraps the calls with crash_calls.c.
crash_wrap = -Wl,--wrap=mkdir -Wl,--wrap=mkdirat -Wl,--wrap=rmdir -Wl,--wrap=unlinkat \
    -Wl,--wrap=renameat -Wl,--wrap=linkat -Wl,--wrap=fsync -Wl,--wrap=fchown -Wl,--wrap=fchmod \
    -Wl,--wrap=fallocate -Wl,--wrap=write -Wl,--wrap=pwrite -Wl,--wrap=fork -Wl,--wrap=waitpid \
    -Wl,--wrap=flock -Wl,--wrap=posix_spawn -Wl,--wrap=openat -Wl,--wrap=sendmsg \
    -Wl,--wrap=recvmsg -Wl,--wrap=send -Wl,--wrap=unlink -Wl,--wrap=close
check_PROGRAMS += tests/unit/linux/crash-shim
tests_unit_linux_crash_shim_SOURCES = $(creel_shim_SOURCES) tests/unit/linux/crash_calls.c tests/unit/linux/crash_calls.h
tests_unit_linux_crash_shim_CPPFLAGS = $(AM_CPPFLAGS) -DCRASH_BY_FILE
tests_unit_linux_crash_shim_CFLAGS = $(creel_shim_CFLAGS)
tests_unit_linux_crash_shim_LDFLAGS = $(crash_wrap)
CLEANFILES += tests/unit/linux/crash-shim.count

# A fake resource manager with scripted replies, for client_library and client_schema.py.
check_PROGRAMS += tests/unit/client/client_fake_rm
tests_unit_client_client_fake_rm_SOURCES = tests/unit/client/client_fake_pages.c tests/unit/client/client_fake_queues.c \
    tests/unit/client/client_fake_rm.c tests/unit/client/client_fake_rm.h
tests_unit_client_client_fake_rm_CPPFLAGS = $(AM_CPPFLAGS) $(GATEWAY_TEST_CPPFLAGS)
tests_unit_client_client_fake_rm_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_unit_client_client_fake_rm_LDADD = $(CREEL_CLIENT_LIBS)
EXTRA_tests_unit_client_client_fake_rm_DEPENDENCIES = creel-gateway$(EXEEXT)

# Tests that are scripts.
script_tests = tests/unit/client/client_complete.sh tests/unit/client/client_conf_check.sh tests/unit/client/client_manual.sh tests/unit/client/client_schema.py tests/unit/client/client_setup.sh \
    tests/unit/client/client_usage.py tests/unit/client/client_yarn.py tests/unit/sim/sim_bench.sh tests/unit/sim/sim_chaos.sh
dist_check_SCRIPTS += $(script_tests)
EXTRA_DIST += tests/unit/client/tap.py
TESTS += $(script_tests)

# Conformance cases: events with the decisions that YARN makes. `make check` and scripts/test run the folders
# in which all cases pass; a new folder is added when all of its cases pass.
EXTRA_DIST += tests/conformance
dist_check_SCRIPTS += tests/conformance.sh
TESTS += tests/conformance.sh

page_world_sources = tests/unit/page/page_world.c tests/unit/page/page_world.h tests/unit/page/page_replies.c \
    tests/unit/page/page_replies.h

# Serves the pages of an invented cluster, for tests/web/pages.py, which scripts/test web runs.
EXTRA_DIST += tests/web/browsing.py tests/web/pages.py
check_PROGRAMS += tests/web/page_server
tests_web_page_server_SOURCES = tests/web/page_server.c $(page_world_sources)
tests_web_page_server_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_web_page_server_LDADD = $(WEB_LIBS) $(IO_LIBS)

# The same with the REST interface, to try out clients.
check_PROGRAMS += tests/web/rest_server
tests_web_rest_server_SOURCES = tests/web/rest_server.c $(page_world_sources) \
    tests/unit/rest/rest_world.c tests/unit/rest/rest_world.h
tests_web_rest_server_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_web_rest_server_LDADD = $(WEB_LIBS) $(IO_LIBS)

# Repeats recorded requests to YARN, and compares the structure of the replies.
check_PROGRAMS += tests/rest/cluster
tests_rest_cluster_SOURCES = tests/rest/cluster.c tests/unit/master/master_agents.c tests/unit/master/master_harness.c \
    tests/unit/master/master_harness.h
tests_rest_cluster_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_rest_cluster_LDADD = libcreelrest.a libcreelwebtext.a libcreelmodel.a libcreelyarnview.a $(HTTP_LIBS) libcreelmaster.a \
    $(SCHED_LIBS) $(IO_LIBS) $(CMOCKA_LIBS)
dist_check_SCRIPTS += tests/rest.sh tests/rest-metrics.sh
TESTS += tests/rest.sh tests/rest-metrics.sh
EXTRA_DIST += tests/rest/replay.py tests/rest/metrics.py tests/rest/shapes.json \
    contrib/prometheus/creel.rules.yml contrib/prometheus/creel-agents.rules.yml \
    contrib/grafana/creel-cluster.json contrib/grafana/creel-agents.json
