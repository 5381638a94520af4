/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit_status.h - exit statuses of containers, as YARN numbers them
 *
 * yarn-behaviour 13.5, YARN's ContainerExitStatus. From 0 to 255 a status is the command's own exit code, or
 * 128 and the number of the signal that ended it. The values below are statuses that the command did not
 * choose. They are part of the protocol, of the records on disk and of libcreel: no value ever changes its
 * meaning. This header needs nothing, since the shim includes it.
 */
#ifndef CREEL_EXIT_STATUS_H
#define CREEL_EXIT_STATUS_H

enum container_exit {
    CONTAINER_EXIT_NONE = -1000,        /* not known, or not ended yet; CREEL_EXIT_NONE in creel.h */
    CONTAINER_EXIT_DIRECTORY = -110,    /* its working directory was too large; creel only */
    CONTAINER_EXIT_LOGS = -109,         /* its logs were too large */
    CONTAINER_EXIT_EVICTED = -108,      /* by the node's own scheduler; creel's agent never reports it */
    CONTAINER_EXIT_APP_OVER = -107,     /* stopped since its application ended */
    CONTAINER_EXIT_BY_RM = -106,        /* stopped by the resource manager */
    CONTAINER_EXIT_BY_AM = -105,        /* stopped or released by its application master */
    CONTAINER_EXIT_PHYSICAL = -104,     /* more physical memory than its limit */
    CONTAINER_EXIT_VIRTUAL = -103,      /* more virtual memory than its limit */
    CONTAINER_EXIT_PREEMPTED = -102,
    CONTAINER_EXIT_DISKS = -101,        /* the disks of its node failed */
    CONTAINER_EXIT_ABORTED = -100,      /* not by its own fault: node lost, grant expired, never started */
    CONTAINER_EXIT_NOT_STARTED = -1,    /* the agent could not start it */
    CONTAINER_EXIT_LOST = 154,          /* lost across a restart of its agent; SIGVTALRM gives the same */
};

#endif
