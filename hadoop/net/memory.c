/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - the memory of all answers, of which each address has a share */
#include "hadoop/net/server_state.h"

bool server_hold(struct hadoop_server *server, const char *address, unsigned *held, size_t bytes)
{
    unsigned units = (unsigned)((bytes + HADOOP_MEMORY_UNIT - 1) / HADOOP_MEMORY_UNIT);

    if (units > *held) {
        if (shares_room_for(server->memory, address, units - *held) != SHARES_FREE)
            return false;
        shares_take(server->memory, address, units - *held);
    } else if (units < *held) {
        shares_give_back(server->memory, address, *held - units);
    }
    *held = units;
    return true;
}
