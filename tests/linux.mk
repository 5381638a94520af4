# SPDX-License-Identifier: Apache-2.0
# nm-agent/linux on this machine's own cgroups, as root.
LINUX_TESTS = tests/unit/linux_launch
check_PROGRAMS += $(LINUX_TESTS)
TESTS += $(LINUX_TESTS)
LINUX_TEST_CPPFLAGS = $(AM_CPPFLAGS) -DSHIM_PATH=\"$(abs_top_builddir)/creel-shim\"
LINUX_TEST_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(CGROUP_CFLAGS) $(SODIUM_CFLAGS)
LINUX_TEST_LIBS = libcreellinux.a libcreelbase.a $(CGROUP_LIBS) $(SODIUM_LIBS) $(CMOCKA_LIBS)

tests_unit_linux_launch_SOURCES = tests/unit/linux_launch.c \
    tests/unit/linux_fixture.c tests/unit/linux_fixture.h
tests_unit_linux_launch_CPPFLAGS = $(LINUX_TEST_CPPFLAGS)
tests_unit_linux_launch_CFLAGS = $(LINUX_TEST_CFLAGS)
tests_unit_linux_launch_LDADD = $(LINUX_TEST_LIBS)
