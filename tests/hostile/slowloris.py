#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hold half HTTP requests open: slowloris.py PORT ADDRESSES CONNECTIONS

Opens CONNECTIONS connections to PORT of this host from each of ADDRESSES source addresses, 127.0.1.1 and so on, and
sends half a request on each. Prints "ready", and holds them until standard input ends.
"""
import socket
import sys

port, addresses, connections = (int(word) for word in sys.argv[1:])
held = []
for number in range(connections):
    for address in range(1, addresses + 1):
        peer = socket.socket()
        peer.settimeout(5)
        peer.bind((f"127.0.1.{address}", 0))
        try:
            peer.connect(("127.0.0.1", port))
            peer.sendall(b"GET / HTTP/1.1\r\nHost: h\r\nX-Slow: ")
        except OSError:
            peer.close()
            continue
        held.append(peer)
print("ready", flush=True)
sys.stdin.read()
