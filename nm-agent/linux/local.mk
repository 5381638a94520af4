# SPDX-License-Identifier: Apache-2.0
# nm-agent/linux: runs containers with control groups, files and processes (runtime.h); and the shim.
noinst_LIBRARIES += libcreellinux.a
libcreellinux_a_SOURCES = \
    nm-agent/linux/logs/aggregation.c nm-agent/linux/logs/aggregation_problem.c nm-agent/linux/logs/aggregation.h nm-agent/linux/logs/aggregation_state.h \
    nm-agent/linux/disks/cache.c nm-agent/linux/disks/cache.h \
    nm-agent/linux/cgroup/cgroup.c nm-agent/linux/cgroup/cgroup.h nm-agent/linux/cgroup/cgroup_internal.h \
    nm-agent/linux/cgroup/cgroup_backend.h nm-agent/linux/cgroup/cgroup_files.c \
    nm-agent/linux/cgroup/cgroup_sweep.c \
    nm-agent/linux/cgroup/cgroup_detect.c nm-agent/linux/cgroup/cgroup_detect.h \
    nm-agent/linux/cgroup/cgroup_leaf.c nm-agent/linux/cgroup/cgroup_leaf.h \
    nm-agent/linux/cgroup/cgroup_v1.c nm-agent/linux/cgroup/cgroup_v2.c \
    nm-agent/linux/runtime/cleanup.c nm-agent/linux/runtime/cleanup.h \
    nm-agent/linux/state/runtime_state.c nm-agent/linux/runtime_state.h \
    nm-agent/linux/disks/delayed_delete.c nm-agent/linux/disks/delayed_delete.h \
    nm-agent/linux/disks/directories.c nm-agent/linux/disks/directories.h \
    nm-agent/linux/disks/disk_health.c nm-agent/linux/disks/disk_health.h nm-agent/linux/state/disk_io.c nm-agent/linux/state/disk_io.h \
    nm-agent/linux/parts/environment.c nm-agent/linux/parts/environment.h \
    nm-agent/linux/runtime/exec.c nm-agent/linux/runtime/exec.h nm-agent/linux/shim/exec_message.h \
    nm-agent/linux/parts/exit_record.c nm-agent/linux/parts/exit_record.h \
    nm-agent/linux/cgroup/group_use.c nm-agent/linux/cgroup/group_use.h \
    nm-agent/linux/disks/health.c nm-agent/linux/disks/health.h nm-agent/linux/disks/health_script.c \
    nm-agent/linux/runtime/orphans.c \
    nm-agent/linux/cgroup/keeper.c nm-agent/linux/cgroup/keeper.h \
    nm-agent/linux/runtime/find_shim.c nm-agent/linux/runtime/keep_records.c nm-agent/linux/runtime/kill.c \
    nm-agent/linux/parts/step_process.c nm-agent/linux/parts/step_process.h \
    nm-agent/linux/runtime/launch.c nm-agent/linux/runtime/launch.h \
    nm-agent/linux/cgroup/limits.c nm-agent/linux/cgroup/limits.h \
    nm-agent/linux/parts/machine.c nm-agent/linux/parts/machine.h \
    nm-agent/linux/parts/lock.c nm-agent/linux/parts/lock.h \
    nm-agent/linux/logs/logs.c \
    nm-agent/linux/parts/names.c nm-agent/linux/parts/names.h \
    nm-agent/linux/disks/orphan_dirs.c nm-agent/linux/disks/orphan_dirs.h \
    nm-agent/linux/parts/paths.c nm-agent/linux/parts/paths.h \
    nm-agent/linux/shim/plan.c nm-agent/linux/shim/plan.h \
    nm-agent/linux/parts/process.c nm-agent/linux/parts/process.h \
    nm-agent/linux/disks/quota.c nm-agent/linux/disks/quota.h \
    nm-agent/linux/parts/record.c nm-agent/linux/parts/record.h \
    nm-agent/linux/runtime/recover.c \
    nm-agent/linux/disks/removal.c nm-agent/linux/disks/removal.h \
    nm-agent/linux/state/retention.c nm-agent/linux/state/retention.h \
    nm-agent/linux/runtime/save.c \
    nm-agent/linux/runtime.c nm-agent/linux/runtime.h nm-agent/linux/state/runtime_queue.c \
    nm-agent/linux/parts/rss.c nm-agent/linux/parts/rss.h \
    nm-agent/linux/parts/tree.c nm-agent/linux/parts/tree.h \
    nm-agent/linux/disks/disks.c nm-agent/linux/state/usage.c nm-agent/linux/state/usage.h \
    nm-agent/linux/parts/users.c nm-agent/linux/parts/users.h \
    nm-agent/linux/runtime/shim_pool.c nm-agent/linux/runtime/shim_pool.h \
    nm-agent/linux/runtime/stuck.c \
    nm-agent/linux/parts/stop_order.c nm-agent/linux/parts/stop_order.h nm-agent/linux/runtime/stop.c \
    nm-agent/linux/cgroup/term_note.c nm-agent/linux/cgroup/term_note.h \
    nm-agent/linux/runtime/preempt_notice.c \
    nm-agent/linux/state/metrics.c \
    nm-agent/linux/state/node_use.c nm-agent/linux/state/node_use.h \
    nm-agent/linux/state/sampler.c \
    nm-agent/linux/disks/workdir.c nm-agent/linux/disks/workdir.h \
    nm-agent/linux/disks/workdir_pool.c nm-agent/linux/disks/workdir_pool.h
if LIBCGROUP
libcreellinux_a_SOURCES += nm-agent/linux/cgroup/cgroup_library.c
endif
libcreellinux_a_CFLAGS = $(AM_CFLAGS) $(CGROUP_CFLAGS) $(SODIUM_CFLAGS) $(BSD_CFLAGS) \
    -DPKGLIBEXECDIR=\"$(pkglibexecdir)\"

# A shim runs beside each container until it ends, so it must be small: it links only libc, allocates no
# heap memory after its start, and is built without sanitizers.
pkglibexec_PROGRAMS += creel-shim
creel_shim_SOURCES = \
    nm-agent/linux/shim/main.c nm-agent/linux/shim/shim.h \
    nm-agent/linux/shim/cutoff.c nm-agent/linux/shim/cutoff.h nm-agent/linux/shim/enter.c nm-agent/linux/shim/finish.c \
    nm-agent/linux/shim/grace.c nm-agent/linux/shim/grace.h \
    nm-agent/linux/shim/leftovers.c nm-agent/linux/shim/payload.c nm-agent/linux/shim/results.c nm-agent/linux/shim/soft_limits.c \
    nm-agent/linux/shim/state.c \
    nm-agent/linux/shim/unpack.c nm-agent/linux/shim/wait.c \
    nm-agent/linux/cgroup/cgroup_leaf.c nm-agent/linux/cgroup/cgroup_v1.c nm-agent/linux/cgroup/cgroup_v2.c \
    nm-agent/linux/parts/exit_record.c nm-agent/linux/shim/plan.c nm-agent/linux/parts/process.c nm-agent/linux/parts/stop_order.c \
    nm-agent/linux/cgroup/term_note.c common/base/job/soft_limits.c common/base/text_print.c
creel_shim_CFLAGS = $(CREEL_CFLAGS) $(WARNING_CFLAGS)
creel_shim_LDFLAGS = $(SHIM_LDFLAGS)

# Unpacks the archives of a job with the rights of its user: see unpack/main.c.
pkglibexec_PROGRAMS += creel-unpack
creel_unpack_SOURCES = nm-agent/linux/unpack/main.c
creel_unpack_LDADD = libcreelunpack.a libcreelbase.a $(ARCHIVE_LIBS)

# Packs the results of a task with the rights of its user: see pack/main.c.
noinst_LIBRARIES += libcreelpack.a
libcreelpack_a_SOURCES = nm-agent/linux/pack/pack.c nm-agent/linux/pack/pack.h
libcreelpack_a_CFLAGS = $(AM_CFLAGS) $(ARCHIVE_CFLAGS) $(SODIUM_CFLAGS)
pkglibexec_PROGRAMS += creel-pack
creel_pack_SOURCES = nm-agent/linux/pack/main.c
creel_pack_LDADD = libcreelpack.a libcreelbase.a $(ARCHIVE_LIBS) $(SODIUM_LIBS)

# Writes the logs of ended applications to shared storage, with the rights of their user: see aggregate/main.c.
noinst_LIBRARIES += libcreelaggregate.a
libcreelaggregate_a_SOURCES = \
    nm-agent/linux/aggregate/aggregate.h nm-agent/linux/aggregate/expire.c \
    nm-agent/linux/aggregate/identity.c nm-agent/linux/aggregate/identity.h \
    nm-agent/linux/aggregate/place.c nm-agent/linux/aggregate/place.h nm-agent/linux/aggregate/save.c \
    nm-agent/linux/aggregate/sweep.c nm-agent/linux/aggregate/sweep.h
libcreelaggregate_a_CFLAGS = $(AM_CFLAGS) $(ARCHIVE_CFLAGS)
pkglibexec_PROGRAMS += creel-aggregate
creel_aggregate_SOURCES = nm-agent/linux/aggregate/main.c nm-agent/linux/parts/paths.c nm-agent/linux/parts/users.c
creel_aggregate_LDADD = libcreelaggregate.a libcreelbase.a $(ARCHIVE_LIBS)

# Owns the delegated control groups under systemd: see keeper.h.
pkglibexec_PROGRAMS += creel-keeper
creel_keeper_SOURCES = nm-agent/linux/cgroup/keeper_main.c
creel_keeper_CFLAGS = $(AM_CFLAGS) $(SYSTEMD_CFLAGS)
creel_keeper_LDADD = libcreellinux.a libcreelbase.a $(SYSTEMD_LIBS)

# Measures the cost of a start: bench/launch creel-shim, as root.
noinst_PROGRAMS += bench/launch
bench_launch_SOURCES = bench/launch.c
bench_launch_CFLAGS = $(AM_CFLAGS) $(CGROUP_CFLAGS) $(SODIUM_CFLAGS)
bench_launch_LDADD = libcreellinux.a libcreelbase.a $(CGROUP_LIBS) $(SODIUM_LIBS) -lm
