# SPDX-License-Identifier: Apache-2.0
# End-to-end tests run the real programs; scripts/test runs them, BUILD=build tests/e2e/NAME by hand.
EXTRA_DIST += \
    tests/e2e/01-one-job.sh \
    tests/e2e/02-kill-nine.sh \
    tests/e2e/03-bad-input.sh \
    tests/e2e/04-lost-node.sh \
    tests/e2e/05-limits-and-users.sh \
    tests/e2e/06-dev-clusters.sh \
    tests/e2e/07-strangers-and-disks.sh \
    tests/e2e/08-hostile-peers.sh \
    tests/e2e/09-ctrl-c.sh \
    tests/e2e/10-following.sh \
    tests/e2e/11-before-the-rm.sh \
    tests/e2e/12-full-disk.sh \
    tests/e2e/13-json.sh \
    tests/e2e/14-queues.sh \
    tests/e2e/15-preemption.sh \
    tests/e2e/16-yarn-files.sh \
    tests/e2e/17-fair.sh \
    tests/e2e/18-resource-types.sh \
    tests/e2e/19-drain.sh \
    tests/e2e/20-node-labels.sh \
    tests/e2e/21-limits.sh \
    tests/e2e/22-exec-and-signal.sh \
    tests/e2e/23-agent-restart.sh \
    tests/e2e/24-many-agents.sh \
    tests/e2e/25-state.sh \
    tests/e2e/26-gateways.sh \
    tests/e2e/27-agent-directories.sh \
    tests/e2e/28-clocks.sh \
    tests/e2e/29-cut-off.sh \
    tests/e2e/30-many-lists.sh \
    tests/e2e/33-agent-rest.sh \
    tests/e2e/71-agent-metrics.sh \
    tests/e2e/74-small-queue.sh \
    tests/e2e/31-web.sh \
    tests/e2e/32-web-sign-in.sh \
    tests/e2e/31-completion.sh \
    tests/e2e/38-grace.sh \
    tests/e2e/40-scripts.sh \
    tests/e2e/41-place-and-output.sh \
    tests/e2e/42-input.sh \
    tests/e2e/43-run-on-a-terminal.sh \
    tests/e2e/45-history.sh \
    tests/e2e/45-history-crashes.sh \
    tests/e2e/46-events.sh \
    tests/e2e/44-time-limits.sh \
    tests/e2e/47-health.sh \
    tests/e2e/48-join.sh \
    tests/e2e/79-joined-state.sh \
    tests/e2e/80-host-gone.sh \
    tests/e2e/81-backups.sh \
    tests/e2e/49-retries.sh \
    tests/e2e/50-avoided-node.sh \
    tests/e2e/51-top.sh \
    tests/e2e/52-results-of-tasks.sh \
    tests/e2e/53-notify.sh \
    tests/e2e/54-archives.sh \
    tests/e2e/58-configuration.sh \
    tests/e2e/59-scheduler-conf.sh \
    tests/e2e/60-yarn-command.sh \
    tests/e2e/63-fetch.sh \
    tests/e2e/62-log-aggregation.sh \
    tests/e2e/67-log-level.sh \
    tests/e2e/64-agent-https.sh \
    tests/e2e/65-web-events.sh \
    tests/e2e/61-alloc.sh \
    tests/e2e/66-munge.sh \
    tests/e2e/72-metrics.sh \
    tests/e2e/76-one-node.sh \
    tests/e2e/73-resize.sh \
    tests/e2e/77-silent-nodes.sh \
    tests/e2e/78-stalled-rm.sh \
    tests/e2e/82-user-limits.sh \
    tests/e2e/83-symptoms.sh \
    tests/e2e/85-frozen-state-directory.sh \
    tests/e2e/86-hung-gateways.sh \
    tests/e2e/87-damaged-archives.sh \
    tests/e2e/88-silent-directories.sh \
    tests/e2e/89-hung-local-directories.sh \
    tests/e2e/90-hung-log-storage.sh \
    tests/e2e/91-benchmarks.sh \
    tests/e2e/92-inside-jobs.sh \
    tests/e2e/93-slurm-scripts.sh \
    tests/e2e/94-rerun.sh \
    tests/e2e/95-same-report.sh \
    tests/e2e/96-srun.sh \
    tests/e2e/97-sbatch.sh \
    tests/e2e/98-no-files.sh \
    tests/e2e/98-slurm-commands.sh \
    tests/e2e/99-slurm-cluster.sh tests/e2e/99-slurm-queues.sh \
    tests/e2e/99-hadoop.sh \
    tests/e2e/99-slurm-cluster.sh \
    tests/e2e/69-refresh-access.sh \
    tests/e2e/68-basic-sign-in.sh \
    tests/e2e/70-am-blacklist.sh \
    tests/e2e/agent-memory.sh \
    tests/e2e/34-rest-simple.sh \
    tests/e2e/35-holds-and-dates.sh \
    tests/e2e/36-dependencies.sh \
    tests/e2e/37-arrays.sh \
    tests/e2e/hung.sh \
    tests/e2e/lib.sh \
    tests/e2e/on-a-terminal.py \
    tests/e2e/hadoop-answers.txt tests/e2e/hadoop-client.py tests/e2e/valid-json.py tests/hostile/slowloris.py

noinst_PROGRAMS += tests/e2e/hostile-peer
tests_e2e_hostile_peer_SOURCES = tests/e2e/hostile-peer.c
tests_e2e_hostile_peer_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_e2e_hostile_peer_LDADD = $(IO_LIBS)

noinst_PROGRAMS += tests/e2e/flood-peer
tests_e2e_flood_peer_SOURCES = tests/e2e/flood-peer.c
tests_e2e_flood_peer_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_e2e_flood_peer_LDADD = $(IO_LIBS)

noinst_PROGRAMS += tests/e2e/killed-peer
tests_e2e_killed_peer_SOURCES = tests/e2e/killed-peer.c
tests_e2e_killed_peer_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_e2e_killed_peer_LDADD = $(IO_LIBS)

noinst_PROGRAMS += tests/e2e/rogue-agent
tests_e2e_rogue_agent_SOURCES = tests/e2e/rogue-agent.c
tests_e2e_rogue_agent_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_e2e_rogue_agent_LDADD = $(IO_LIBS)

noinst_PROGRAMS += tests/e2e/munge-peer
tests_e2e_munge_peer_SOURCES = tests/e2e/munge-peer.c
tests_e2e_munge_peer_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_e2e_munge_peer_LDADD = $(CREDENTIAL_LIBS) $(IO_LIBS)

noinst_PROGRAMS += tests/hostile/raw-peer
tests_hostile_raw_peer_SOURCES = tests/hostile/raw-peer.c tests/hostile/raw_peer.c tests/hostile/raw_peer.h
tests_hostile_raw_peer_CFLAGS = $(AM_CFLAGS) $(SODIUM_CFLAGS) $(PROTOBUF_C_CFLAGS)
tests_hostile_raw_peer_LDADD = $(IO_SERVER_LIBS)

noinst_PROGRAMS += tests/e2e/notice-master
tests_e2e_notice_master_SOURCES = tests/e2e/notice-master.c
tests_e2e_notice_master_LDADD = libcreeljob.a libcreeltask.a $(CREEL_CLIENT_LIBS)

# The same scripts under Slurm and creel; scripts/test slurm runs them.
EXTRA_DIST += \
    tests/slurm/compare.sh tests/slurm/cluster.sh tests/slurm/case.sh tests/slurm/normalise tests/slurm/differences \
    tests/slurm/cases/01-output.sh \
    tests/slurm/cases/02-exit-status.sh \
    tests/slurm/cases/03-array.sh \
    tests/slurm/cases/04-dependencies.sh \
    tests/slurm/cases/05-wrap.sh \
    tests/slurm/cases/06-export.sh \
    tests/slurm/cases/07-environment.sh \
    tests/slurm/cases/08-srun.sh \
    tests/slurm/cases/09-srun-streams.sh \
    tests/slurm/cases/10-time-limit.sh \
    tests/slurm/cases/11-requeue.sh \
    tests/slurm/cases/12-umask-limits.sh \
    tests/slurm/cases/13-directories.sh \
    tests/slurm/cases/14-messages.sh \
    tests/slurm/cases/15-squeue.sh \
    tests/slurm/cases/16-scancel.sh \
    tests/slurm/cases/17-scontrol.sh \
    tests/slurm/cases/18-sinfo.sh \
    tests/slurm/cases/19-driver.sh \
    tests/slurm/cases/20-processes.sh \
    tests/slurm/cases/21-shared.sh \
    tests/slurm/cases/22-signals-of-pipes.sh \
    tests/slurm/cases/23-chains.sh \
    tests/slurm/cases/24-dates.sh \
    tests/slurm/cases/25-array-repeats.sh \
    tests/slurm/cases/26-requeue-exits.sh \
    tests/slurm/cases/27-change-tasks.sh tests/slurm/cases/28-cancelled.sh

# Programs that others wrote; scripts/test outside runs these.
EXTRA_DIST += \
    tests/outside/01-yarn-clients.sh \
    tests/outside/02-prometheus.sh \
    tests/outside/03-slurm-tools.sh \
    tests/outside/04-hadoop-yarn.sh \
    tests/outside/hadoop-pom.xml \
    tests/outside/fetch \
    tests/outside/requirements.txt tests/outside/requirements-slurm.txt \
    tests/outside/rules-test.yml tests/outside/rules-test-agents.yml \
    tests/outside/slurm_submitit.py tests/outside/slurm_dask.py tests/outside/slurm_psij.py tests/outside/slurm_parsl.py \
    tests/outside/slurm_snakefile \
    tests/outside/yarn_clients.py

# Tests on clusters of hosts and in a virtual machine; as root, after scripts/dependencies --hosts --vm.
EXTRA_DIST += \
    tests/upgrade/build-last-release \
    tests/upgrade/upgrade.sh \
    tests/hosts/01-services.sh \
    tests/hosts/02-restart.sh \
    tests/hosts/03-watchdog.sh \
    tests/hosts/04-network.sh \
    tests/hosts/05-crash.sh \
    tests/hosts/06-drain.sh \
    tests/hosts/07-cut-off.sh \
    tests/hosts/08-packages.sh \
    tests/hosts/09-setup.sh \
    tests/hosts/10-passwords.sh \
    tests/hosts/11-silent-and-full.sh \
    tests/hosts/12-lost-host.sh \
    tests/hosts/directory \
    tests/hosts/image \
    tests/hosts/install \
    tests/hosts/lib.sh \
    tests/hosts/newer \
    tests/hosts/packages \
    tests/hosts/run \
    tests/vm/guest.sh \
    tests/vm/machine \
    tests/vm/run

check-hosts: all
	BUILD=$(abs_top_builddir) $(top_srcdir)/tests/hosts/run
check-vm: all
	BUILD=$(abs_top_builddir) $(top_srcdir)/tests/vm/run
.PHONY: check-hosts check-vm
