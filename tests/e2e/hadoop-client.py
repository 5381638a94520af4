#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A client of Hadoop's RPC for tests: hadoop-client.py PORT [-u USER] [-r REAL] METHOD [APPLICATION-ID | MESSAGE-HEX]

Prints the answer as JSON: a message is an object of lists by field number; a field of bytes is a text, an object if it
is a message, or {"hex": ...}. An exception is printed as "CLASS: text", with exit status 1; a closed connection is
exit status 2.
PORT --fields FILE APPLICATION-ID compares the answers with recorded ones (replay below).
"""
import json
import os
import pwd
import socket
import struct
import sys

PROTOCOL = b"org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"


def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def delimited(data):
    return varint(len(data)) + data


def parse(data):
    """Returns the fields of a message: {number: [values]}; None if DATA is no message."""
    fields, at = {}, 0
    try:
        while at < len(data):
            key, at = read_varint(data, at)
            number, kind = key >> 3, key & 7
            if number == 0 or number > 1000:
                return None
            if kind == 0:
                value, at = read_varint(data, at)
            elif kind == 2:
                size, at = read_varint(data, at)
                value = data[at : at + size]
                at += size
                if at > len(data):
                    return None
            elif kind in (1, 5):
                size = 8 if kind == 1 else 4
                value = struct.unpack("<d" if kind == 1 else "<f", data[at : at + size])[0]
                at += size
            else:
                return None
            fields.setdefault(number, []).append(value)
    except (IndexError, struct.error):
        return None
    return fields


def shown(value):
    if not isinstance(value, bytes):
        return value
    text = value.decode("utf-8", "replace")
    if text.isprintable() and "\ufffd" not in text:
        return text
    fields = parse(value)
    if fields is None:
        return {"hex": value.hex()}
    return {str(number): [shown(one) for one in values] for number, values in fields.items()}


class Client:
    def __init__(self, port, user, real=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        info = field(1, user.encode()) + (field(2, real.encode()) if real else b"")
        self.call_id = 0
        self.socket.sendall(b"hrpc\x09\x00\x00" + self.frame(5, -1, delimited(field(2, info) + field(3, PROTOCOL))))

    @staticmethod
    def frame(call_id, retry, body):
        header = field(1, 2) + field(2, 0) + field(3, call_id) + field(4, b"0123456789abcdef") + field(5, 0 if retry == 0 else 1)
        payload = delimited(header) + body
        return struct.pack(">I", len(payload)) + payload

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                sys.exit(2)
            data += more
        return data

    def call(self, method, message=b"", protocol=PROTOCOL):
        body = delimited(field(1, method.encode()) + field(2, protocol) + field(3, 1)) + delimited(message)
        self.socket.sendall(self.frame(2 * self.call_id, 0, body))
        self.call_id += 1
        frame = self.read(struct.unpack(">I", self.read(4))[0])
        size, at = read_varint(frame, 0)
        header = parse(frame[at : at + size])
        if header[2][0] != 0:
            return header[4][0].decode() + ": " + header[5][0].decode(), None
        at += size
        size, at = read_varint(frame, at)
        assert at + size == len(frame), "bytes are left behind the answer"
        return None, frame[at:]


def missing(recorded, answer, path=""):
    """Yields the fields of the recorded message that the answer does not have; of rows, those of the first one."""
    for number, values in (parse(recorded) or {}).items():
        theirs = (parse(answer) or {}).get(number)
        where = f"{path}.{number}" if path else str(number)
        if theirs is None:
            yield where
        elif isinstance(values[0], bytes) and not values[0].decode("utf-8", "replace").isprintable():
            yield from missing(values[0], theirs[0], where)


def app_message(app_id):
    """Returns the id of an application, "application_1795832107414_0001", as message."""
    _, cluster, number = app_id.split("_")
    return field(1, int(number)) + field(2, int(cluster))


def replay(port, user, file, app_id):
    """Sends each message of FILE (hadoop-answers.txt), and prints the fields that the recorded answer has and this one
    has not."""
    app = app_message(app_id)
    for line in open(file, encoding="ascii"):
        if line.startswith("#"):
            continue
        method, _, message, answer = line.split()
        if message == "APP":
            data = field(1, app)
        elif message == "ATTEMPT":
            data = field(1, field(1, app) + field(2, 1))
        else:
            data = bytes.fromhex(message.strip("-"))
        error, got = Client(port, user).call(method, data)
        print(method, error or " ".join(missing(bytes.fromhex(answer.strip("-")), got)))


def main(arguments):
    port, user, real = int(arguments.pop(0)), pwd.getpwuid(os.geteuid()).pw_name, None
    if arguments[0] == "--fields":
        return replay(port, user, arguments[1], arguments[2])
    while arguments[0] in ("-u", "-r"):
        if arguments[0] == "-u":
            user = arguments[1]
        else:
            real = arguments[1]
        del arguments[:2]
    message = b""
    if len(arguments) > 1:
        message = field(1, app_message(arguments[1])) if "_" in arguments[1] else bytes.fromhex(arguments[1])
    error, answer = Client(port, user, real).call(arguments[0], message)
    if error:
        print(error)
        return 1
    print(json.dumps({} if not answer else shown_message(answer)))
    return 0


def shown_message(data):
    return {str(number): [shown(one) for one in values] for number, values in (parse(data) or {}).items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
