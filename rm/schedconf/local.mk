# SPDX-License-Identifier: Apache-2.0
# Reads the configuration files of the scheduler, since the scheduler core is pure.
noinst_LIBRARIES += libcreelschedconf.a

libcreelschedconf_a_SOURCES = \
    rm/schedconf/fair_to_capacity.c rm/schedconf/fair_to_capacity.h \
    rm/schedconf/schedconf.c rm/schedconf/schedconf.h \
    rm/schedconf/schedconf_capacity.c \
    rm/schedconf/schedconf_fair.c \
    rm/schedconf/schedconf_limits.c \
    rm/schedconf/schedconf_private.h

# The manuals of the queue files are generated from the tables that the readers use.
noinst_PROGRAMS += rm/schedconf/schedconf-man
rm_schedconf_schedconf_man_SOURCES = rm/schedconf/manual.c rm/schedconf/manual.h \
    rm/schedconf/manual_capacity.c rm/schedconf/manual_fair.c
rm_schedconf_schedconf_man_LDADD = $(SCHED_LIBS) libcreelbase.a

scheduler_pages = docs/man/capacity-scheduler.xml.5 docs/man/fair-scheduler.xml.5
man_MANS += $(scheduler_pages)
CLEANFILES += $(scheduler_pages) docs/man/capacity-scheduler.xml.5.scd docs/man/fair-scheduler.xml.5.scd
$(scheduler_pages): rm/schedconf/schedconf-man$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) docs/man && \
	rm/schedconf/schedconf-man$(EXEEXT) $$(basename $@ -scheduler.xml.5) > $@.scd && \
	$(SCDOC) < $@.scd > $@.tmp && mv $@.tmp $@
