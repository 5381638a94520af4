# SPDX-License-Identifier: Apache-2.0
# nm-agent/linux: linux_parts anywhere, the others as root on this machine's own cgroups.
LINUX_TESTS = tests/unit/linux_parts tests/unit/linux_launch tests/unit/linux_kill \
    tests/unit/linux_recover tests/unit/linux_disk tests/unit/linux_shim tests/unit/linux_trust \
    tests/unit/linux_scale tests/unit/linux_keeper tests/unit/linux_limits tests/unit/linux_health \
    tests/unit/linux_memory tests/unit/linux_trouble tests/unit/linux_ghosts \
    tests/unit/linux_cutoff tests/unit/linux_usage tests/unit/linux_quota
check_PROGRAMS += $(LINUX_TESTS)
TESTS += $(LINUX_TESTS)
LINUX_TEST_CPPFLAGS = $(AM_CPPFLAGS) -DSHIM_PATH=\"$(abs_top_builddir)/creel-shim\"
LINUX_TEST_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CGROUP_CFLAGS) $(SODIUM_CFLAGS)
LINUX_TEST_LIBS = libcreellinux.a libcreelbase.a $(CGROUP_LIBS) $(SODIUM_LIBS) $(CMOCKA_LIBS) -lm
LINUX_FIXTURE = tests/unit/linux_fixture.c tests/unit/linux_fixture.h

tests_unit_linux_parts_SOURCES = tests/unit/linux_parts.c
tests_unit_linux_parts_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_parts_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_launch_SOURCES = tests/unit/linux_launch.c $(LINUX_FIXTURE)
tests_unit_linux_launch_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_launch_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_launch_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_kill_SOURCES = tests/unit/linux_kill.c $(LINUX_FIXTURE)
tests_unit_linux_kill_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_kill_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_kill_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_recover_SOURCES = tests/unit/linux_recover.c $(LINUX_FIXTURE)
tests_unit_linux_recover_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_recover_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_recover_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_disk_SOURCES = tests/unit/linux_disk.c $(LINUX_FIXTURE)
tests_unit_linux_disk_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_disk_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_disk_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_shim_SOURCES = tests/unit/linux_shim.c
tests_unit_linux_shim_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_shim_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_shim_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_trust_SOURCES = tests/unit/linux_trust.c $(LINUX_FIXTURE)
tests_unit_linux_trust_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_trust_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_trust_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_health_SOURCES = tests/unit/linux_health.c $(LINUX_FIXTURE)
tests_unit_linux_health_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_health_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_health_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_limits_SOURCES = tests/unit/linux_limits.c $(LINUX_FIXTURE)
tests_unit_linux_limits_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_limits_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_limits_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_memory_SOURCES = tests/unit/linux_memory.c tests/unit/held_bytes.h $(LINUX_FIXTURE)
tests_unit_linux_memory_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_memory_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_memory_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_trouble_SOURCES = tests/unit/linux_trouble.c $(LINUX_FIXTURE)
tests_unit_linux_trouble_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_trouble_CFLAGS = $(LINUX_TEST_CFLAGS) $(SECCOMP_CFLAGS)
tests_unit_linux_trouble_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=openat -Wl,--wrap=access
tests_unit_linux_trouble_LDADD = $(LINUX_TEST_LIBS) $(SECCOMP_LIBS)

tests_unit_linux_quota_SOURCES = tests/unit/linux_quota.c $(LINUX_FIXTURE)
tests_unit_linux_quota_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_quota_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_quota_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=syscall -Wl,--wrap=ioctl
tests_unit_linux_quota_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_scale_SOURCES = tests/unit/linux_scale.c $(LINUX_FIXTURE)
tests_unit_linux_scale_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_scale_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_scale_LDADD = $(LINUX_TEST_LIBS)

tests_unit_linux_keeper_SOURCES = tests/unit/linux_keeper.c $(LINUX_FIXTURE)
tests_unit_linux_keeper_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_keeper_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_keeper_LDADD = $(LINUX_TEST_LIBS)

# Programs that die before their Nth call: the linker puts crash_calls.c in between.
crash_wrap = -Wl,--wrap=mkdir -Wl,--wrap=mkdirat -Wl,--wrap=rmdir -Wl,--wrap=unlinkat \
    -Wl,--wrap=renameat -Wl,--wrap=linkat -Wl,--wrap=fsync -Wl,--wrap=fchown -Wl,--wrap=fchmod \
    -Wl,--wrap=fallocate -Wl,--wrap=write -Wl,--wrap=pwrite -Wl,--wrap=fork -Wl,--wrap=waitpid \
    -Wl,--wrap=flock -Wl,--wrap=posix_spawn -Wl,--wrap=openat -Wl,--wrap=sendmsg \
    -Wl,--wrap=recvmsg -Wl,--wrap=send -Wl,--wrap=unlink -Wl,--wrap=close
check_PROGRAMS += tests/unit/linux_crash tests/unit/crash-shim
TESTS += tests/unit/linux_crash
tests_unit_linux_crash_SOURCES = tests/unit/linux_crash.c tests/unit/crash_calls.c \
    tests/unit/crash_calls.h $(LINUX_FIXTURE)
tests_unit_linux_crash_CPPFLAGS = $(LINUX_TEST_CPPFLAGS) \
    -DCRASH_SHIM_PATH=\"$(abs_top_builddir)/tests/unit/crash-shim\"
tests_unit_linux_crash_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_crash_LDFLAGS = $(AM_LDFLAGS) $(crash_wrap)
tests_unit_linux_crash_LDADD = $(LINUX_TEST_LIBS)
tests_unit_crash_shim_SOURCES = $(creel_shim_SOURCES) tests/unit/crash_calls.c \
    tests/unit/crash_calls.h
tests_unit_crash_shim_CPPFLAGS = $(AM_CPPFLAGS) -DCRASH_BY_FILE
tests_unit_crash_shim_CFLAGS = $(creel_shim_CFLAGS)
tests_unit_crash_shim_LDFLAGS = $(crash_wrap)
CLEANFILES += tests/unit/crash-shim.count

# What a start costs: bench/launch creel-shim, as root.
noinst_PROGRAMS += bench/launch
bench_launch_SOURCES = bench/launch.c
bench_launch_CFLAGS = $(AM_CFLAGS) $(CGROUP_CFLAGS) $(SODIUM_CFLAGS)
bench_launch_LDADD = libcreellinux.a libcreelbase.a $(CGROUP_LIBS) $(SODIUM_LIBS) -lm

if FUZZERS
noinst_PROGRAMS += tests/fuzz/linux_texts
endif
tests_fuzz_linux_texts_SOURCES = tests/fuzz/linux_texts.c
tests_fuzz_linux_texts_LDADD = libcreellinux.a libcreelbase.a $(CGROUP_LIBS) $(SODIUM_LIBS) -lm
tests_fuzz_linux_texts_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
EXTRA_DIST += tests/fuzz/corpus/linux_texts/mounts tests/fuzz/corpus/linux_texts/exit \
    tests/fuzz/corpus/linux_texts/process tests/fuzz/corpus/linux_texts/plan

tests_unit_linux_ghosts_SOURCES = tests/unit/linux_ghosts.c $(LINUX_FIXTURE)
tests_unit_linux_ghosts_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_ghosts_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_ghosts_LDADD = $(LINUX_TEST_LIBS)
tests_unit_linux_cutoff_SOURCES = tests/unit/linux_cutoff.c $(LINUX_FIXTURE)
tests_unit_linux_cutoff_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_cutoff_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_cutoff_LDADD = $(LINUX_TEST_LIBS)
tests_unit_linux_usage_SOURCES = tests/unit/linux_usage.c $(LINUX_FIXTURE)
tests_unit_linux_usage_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_usage_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_usage_LDADD = $(LINUX_TEST_LIBS)
