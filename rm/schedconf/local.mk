# SPDX-License-Identifier: Apache-2.0
# The scheduler's configuration: reads files, so that the scheduler core need not.
noinst_LIBRARIES += libcreelschedconf.a

libcreelschedconf_a_SOURCES = \
    rm/schedconf/schedconf.c rm/schedconf/schedconf.h \
    rm/schedconf/schedconf_capacity.c \
    rm/schedconf/schedconf_fair.c \
    rm/schedconf/schedconf_private.h
