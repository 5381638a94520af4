# SPDX-License-Identifier: Apache-2.0
# nm-agent/linux: runs containers with control groups, files and processes (runtime.h); and the shim.
noinst_LIBRARIES += libcreellinux.a
libcreellinux_a_SOURCES = \
    nm-agent/linux/aggregation.c nm-agent/linux/aggregation.h nm-agent/linux/aggregation_state.h \
    nm-agent/linux/cache.c nm-agent/linux/cache.h \
    nm-agent/linux/cgroup.c nm-agent/linux/cgroup.h nm-agent/linux/cgroup_internal.h \
    nm-agent/linux/cgroup_backend.h nm-agent/linux/cgroup_files.c \
    nm-agent/linux/cgroup_sweep.c \
    nm-agent/linux/cgroup_detect.c nm-agent/linux/cgroup_detect.h \
    nm-agent/linux/cgroup_leaf.c nm-agent/linux/cgroup_leaf.h \
    nm-agent/linux/cgroup_v1.c nm-agent/linux/cgroup_v2.c \
    nm-agent/linux/child.c nm-agent/linux/child.h \
    nm-agent/linux/cleanup.c nm-agent/linux/cleanup.h \
    nm-agent/linux/runtime_state.c nm-agent/linux/runtime_state.h \
    nm-agent/linux/delayed_delete.c nm-agent/linux/delayed_delete.h \
    nm-agent/linux/directories.c nm-agent/linux/directories.h \
    nm-agent/linux/disk_health.c nm-agent/linux/disk_health.h \
    nm-agent/linux/environment.c nm-agent/linux/environment.h \
    nm-agent/linux/exec.c nm-agent/linux/exec.h nm-agent/linux/exec_message.h \
    nm-agent/linux/exit_record.c nm-agent/linux/exit_record.h \
    nm-agent/linux/group_use.c nm-agent/linux/group_use.h \
    nm-agent/linux/health.c nm-agent/linux/health.h nm-agent/linux/health_script.c \
    nm-agent/linux/orphans.c \
    nm-agent/linux/keeper.c nm-agent/linux/keeper.h \
    nm-agent/linux/kill.c \
    nm-agent/linux/launch.c nm-agent/linux/launch.h \
    nm-agent/linux/limits.c nm-agent/linux/limits.h \
    nm-agent/linux/machine.c nm-agent/linux/machine.h \
    nm-agent/linux/lock.c nm-agent/linux/lock.h \
    nm-agent/linux/logs.c \
    nm-agent/linux/paths.c nm-agent/linux/paths.h \
    nm-agent/linux/plan.c nm-agent/linux/plan.h \
    nm-agent/linux/process.c nm-agent/linux/process.h \
    nm-agent/linux/quota.c nm-agent/linux/quota.h \
    nm-agent/linux/record.c nm-agent/linux/record.h \
    nm-agent/linux/recover.c \
    nm-agent/linux/removal.c nm-agent/linux/removal.h \
    nm-agent/linux/retention.c nm-agent/linux/retention.h \
    nm-agent/linux/save.c \
    nm-agent/linux/runtime.c nm-agent/linux/runtime.h nm-agent/linux/runtime_queue.c \
    nm-agent/linux/rss.c nm-agent/linux/rss.h \
    nm-agent/linux/tree.c nm-agent/linux/tree.h \
    nm-agent/linux/disks.c nm-agent/linux/usage.c nm-agent/linux/usage.h \
    nm-agent/linux/users.c nm-agent/linux/users.h \
    nm-agent/linux/shim_pool.c nm-agent/linux/shim_pool.h \
    nm-agent/linux/stop_order.c nm-agent/linux/stop_order.h nm-agent/linux/stop.c \
    nm-agent/linux/preempt_notice.c \
    nm-agent/linux/metrics.c \
    nm-agent/linux/node_use.c nm-agent/linux/node_use.h \
    nm-agent/linux/sampler.c \
    nm-agent/linux/workdir.c nm-agent/linux/workdir.h \
    nm-agent/linux/workdir_pool.c nm-agent/linux/workdir_pool.h
if LIBCGROUP
libcreellinux_a_SOURCES += nm-agent/linux/cgroup_library.c
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
    nm-agent/linux/shim/leftovers.c nm-agent/linux/shim/payload.c nm-agent/linux/shim/results.c nm-agent/linux/shim/state.c \
    nm-agent/linux/shim/unpack.c nm-agent/linux/shim/wait.c \
    nm-agent/linux/cgroup_leaf.c nm-agent/linux/cgroup_v1.c nm-agent/linux/cgroup_v2.c \
    nm-agent/linux/exit_record.c nm-agent/linux/plan.c nm-agent/linux/process.c nm-agent/linux/stop_order.c
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
creel_aggregate_SOURCES = nm-agent/linux/aggregate/main.c nm-agent/linux/paths.c nm-agent/linux/users.c
creel_aggregate_LDADD = libcreelaggregate.a libcreelbase.a $(ARCHIVE_LIBS)

# Owns the delegated control groups under systemd: see keeper.h.
pkglibexec_PROGRAMS += creel-keeper
creel_keeper_SOURCES = nm-agent/linux/keeper_main.c
creel_keeper_CFLAGS = $(AM_CFLAGS) $(SYSTEMD_CFLAGS)
creel_keeper_LDADD = libcreellinux.a libcreelbase.a $(SYSTEMD_LIBS)

# Measures the cost of a start: bench/launch creel-shim, as root.
noinst_PROGRAMS += bench/launch
bench_launch_SOURCES = bench/launch.c
bench_launch_CFLAGS = $(AM_CFLAGS) $(CGROUP_CFLAGS) $(SODIUM_CFLAGS)
bench_launch_LDADD = libcreellinux.a libcreelbase.a $(CGROUP_LIBS) $(SODIUM_LIBS) -lm
