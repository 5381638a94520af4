# SPDX-License-Identifier: Apache-2.0
# creel-slurm-client is sbatch, squeue, scancel, sacct, sinfo and scontrol, by links in the directory that the agent puts first in
# the PATH of jobs of Slurm scripts. libcreelslurmclient.a: its parts, which the unit test uses.
noinst_LIBRARIES += libcreelslurmclient.a
libcreelslurmclient_a_SOURCES = \
    client/slurm-client/duration.c client/slurm-client/duration.h \
    client/slurm-client/format.c client/slurm-client/format.h \
    client/slurm-client/job_fields.c client/slurm-client/job_fields.h \
    client/slurm-client/job_launch.c \
    client/slurm-client/job_ids.c client/slurm-client/job_ids.h \
    client/slurm-client/job_list.c client/slurm-client/job_list.h \
    client/slurm-client/job_times.c \
    client/slurm-client/job_users.c client/slurm-client/job_users.h \
    client/slurm-client/node_fields.c client/slurm-client/node_fields.h \
    client/slurm-client/sacct.c \
    client/slurm-client/sbatch.c \
    client/slurm-client/scancel.c \
    client/slurm-client/scontrol.c client/slurm-client/scontrol.h \
    client/slurm-client/scontrol_jobs.c \
    client/slurm-client/scontrol_show.c client/slurm-client/scontrol_update.c client/slurm-client/scontrol_write.c \
    client/slurm-client/show_hosts.c \
    client/slurm-client/sinfo.c \
    client/slurm-client/squeue.c \
    client/slurm-client/tool.c client/slurm-client/tool.h \
    client/slurm-client/waiting_tasks.c client/slurm-client/waiting_tasks.h
libcreelslurmclient_a_CFLAGS = $(AM_CFLAGS)
CREEL_SLURM_CLIENT_LIBS = libcreelslurmclient.a libcreelcli.a libcreelscript.a $(CREEL_CLIENT_LIBS) $(SMARTCOLS_LIBS) \
    $(JANSSON_LIBS) $(ARCHIVE_LIBS)

pkglibexec_PROGRAMS += creel-slurm-client
creel_slurm_client_SOURCES = client/slurm-client/main.c
creel_slurm_client_LDADD = $(CREEL_SLURM_CLIENT_LIBS)

slurm_client_links = slurm/sbatch slurm/squeue slurm/scancel slurm/sacct slurm/sinfo slurm/scontrol
noinst_DATA += $(slurm_client_links)
CLEANFILES += $(slurm_client_links)
$(slurm_client_links):
	$(AM_V_GEN)$(MKDIR_P) $(@D) && rm -f $@ && $(LN_S) ../creel-slurm-client$(EXEEXT) $@
