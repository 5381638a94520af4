/* SPDX-License-Identifier: Apache-2.0 */
/* loop_process.c - configures czmq for this process: signal handling and number of sockets */
#include <czmq.h>
#include <pthread.h>

#include "common/io/loop/loop_socket.h"

static void prepare_once(void)
{
    zsys_handler_set(NULL);
    zsys_init();
    zsys_set_max_sockets(0);
}

void loop_socket_prepare_process(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, prepare_once);
}

void loop_socket_limit(unsigned count)
{
    loop_socket_prepare_process();
    zsys_set_max_sockets(count);
}
