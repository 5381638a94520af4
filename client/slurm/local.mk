# SPDX-License-Identifier: Apache-2.0
# creel-slurm is srun in the jobs of Slurm scripts: by a link in the directory that the agent puts first in their PATH. It connects to no daemon. libcreelslurm.a: its parts, which the unit test uses.
noinst_LIBRARIES += libcreelslurm.a
libcreelslurm_a_SOURCES = \
    client/cli/run/input_pipes.c client/cli/run/input_pipes.h \
    client/cli/logs/line_buffer.c client/cli/logs/line_buffer.h \
    client/slurm/login_environment.c client/slurm/login_environment.h \
    client/slurm/srun.c client/slurm/srun.h \
    client/slurm/srun_options.c client/slurm/srun_options.h \
    client/slurm/step_environment.c client/slurm/step_environment.h \
    client/slurm/step_files.c client/slurm/step_files.h \
    client/slurm/step_room.c client/slurm/step_room.h \
    client/slurm/step_sender.c client/slurm/step_sender.h \
    client/slurm/step_tasks.c client/slurm/step_tasks.h
libcreelslurm_a_CFLAGS = $(AM_CFLAGS)

pkglibexec_PROGRAMS += creel-slurm
creel_slurm_SOURCES = client/slurm/main.c
creel_slurm_LDADD = libcreelslurm.a libcreelscript.a libcreelbase.a

slurm_links = slurm/srun
noinst_DATA += $(slurm_links)
CLEANFILES += $(slurm_links)
$(slurm_links):
	$(AM_V_GEN)$(MKDIR_P) $(@D) && rm -f $@ && $(LN_S) ../creel-slurm$(EXEEXT) $@

install-exec-local:
	$(MKDIR_P) $(DESTDIR)$(pkglibexecdir)/slurm
	cd $(DESTDIR)$(pkglibexecdir) && for link in $(slurm_links); do \
	    rm -f $$link && $(LN_S) ../creel-slurm$(EXEEXT) $$link || exit 1; \
	done
	cd $(DESTDIR)$(pkglibexecdir) && for link in $(slurm_client_links); do \
	    rm -f $$link && $(LN_S) ../creel-slurm-client$(EXEEXT) $$link || exit 1; \
	done
