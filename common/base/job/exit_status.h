/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit_status.h - exit statuses of containers, with YARN's numbers
 *
 * yarn-behaviour 13.5, YARN's ContainerExitStatus. A status from 0 to 255 is the exit code of the container's
 * command, or 128 plus the number of the signal that ended the command. The values below are statuses that
 * the command did not choose. They are part of the protocol, of the records on disk and of libcreel: no value
 * ever changes its meaning. This header includes no other header, because the shim includes it.
 */
#ifndef CREEL_EXIT_STATUS_H
#define CREEL_EXIT_STATUS_H

enum container_exit {
    CONTAINER_EXIT_NONE = -1000,     /* unknown, or the container has not ended; CREEL_EXIT_NONE in
                                        creel.h */
    CONTAINER_EXIT_DIRECTORY = -110, /* the working directory was too large; only creel has this status */
    CONTAINER_EXIT_LOGS = -109,      /* the container's logs were too large */
    CONTAINER_EXIT_EVICTED = -108,   /* evicted by the node's own scheduler; creel's agent never reports
                                        it */
    CONTAINER_EXIT_APP_OVER = -107,  /* stopped because the application ended */
    CONTAINER_EXIT_BY_RM = -106,     /* stopped by the resource manager; also at the end of an attempt
                                        that another follows */
    CONTAINER_EXIT_BY_AM = -105,     /* stopped or released by its application master */
    CONTAINER_EXIT_PHYSICAL = -104,  /* used more physical memory than the container's limit */
    CONTAINER_EXIT_VIRTUAL = -103,   /* used more virtual memory than the container's limit */
    CONTAINER_EXIT_PREEMPTED = -102,
    CONTAINER_EXIT_DISKS = -101,     /* the disks of the node failed */
    CONTAINER_EXIT_ABORTED = -100,   /* no fault of the container: node lost, allocation expired, never
                                        started */
    CONTAINER_EXIT_NOT_STARTED = -1, /* the agent could not start the container */
    CONTAINER_EXIT_LOST = 154,       /* lost across a restart of the agent; equals 128 + SIGVTALRM */
};

#endif
