# SPDX-License-Identifier: Apache-2.0
# States and order of the tasks of job arrays: pure, does not know applications or the scheduler.
libcreelmaster_a_SOURCES += \
    rm/jobs/array_queue.c rm/jobs/array_queue.h \
    rm/jobs/array_states.c rm/jobs/array_states.h
