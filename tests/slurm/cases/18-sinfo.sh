# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# sinfo: partitions and nodes, without their states.
. "$CASE"
sinfo -h -o '%P %a %l %D'
sinfo -h -o '%R'
sinfo -h -o '%c %m %N'
sinfo -h -N -o '%N %P'
sinfo -o '%P|%a|%D' | head -n 1
sinfo -h -p nosuch; echo "status $?"
sinfo -h -t down; echo "status $?"
sinfo --nothing; echo "status $?"
sinfo -h -O 'partitionname:12,nodes:6,cpus:5'
sinfo -h -s -o '%P %D'
