#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Run a command on a terminal of its own: on-a-terminal.py STEP... -- COMMAND...

Steps, in this order, each within a minute:
  see=REGEX      wait until the output since the last "see" matches
  until=SHELL    wait until this shell command succeeds
  press=KEYS     type keys; \\x03 is Ctrl-C
Then it waits for the end of the command, prints its whole output, and exits with its status, or 128 plus the number
of the signal. Exit status 99: a step failed; the reason is on standard error.
"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

LIMIT_SECONDS = 60


class Terminal:
    def __init__(self, command):
        self.text, self.seen, self.open = "", 0, True
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            # a shell that runs the tests in the background ignores it for all below
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execvp(command[0], command)

    def read(self, seconds):
        """What there is, waiting so long for it."""
        if not self.open:
            time.sleep(seconds)
        elif select.select([self.master], [], [], seconds)[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:             # EIO: the command has ended
                data = b""
            self.open = bool(data)
            self.text += data.decode(errors="replace").replace("\r\n", "\n")

    def see(self, regex):
        found = re.compile(regex).search(self.text, self.seen)
        if found:
            self.seen = found.end()
        return found

    def ended(self):
        return not self.open


def wait(terminal, condition):
    deadline = time.monotonic() + LIMIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            return False
        terminal.read(0.05)
    return True


def take_step(terminal, step):
    verb, _, value = step.partition("=")
    if verb == "see":
        return wait(terminal, lambda: terminal.see(value))
    if verb == "until":
        return wait(terminal, lambda: subprocess.run(
            value, shell=True, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0)
    if verb == "press":
        os.write(terminal.master, value.encode().decode("unicode_escape").encode())
        return True
    sys.exit("unknown step: " + step)


def main():
    split = sys.argv.index("--")
    terminal = Terminal(sys.argv[split + 1:])
    status = None
    for step in sys.argv[1:split]:
        if not take_step(terminal, step):
            print("not reached: " + step, file=sys.stderr)
            status = 99
            break
    if status is None and not wait(terminal, terminal.ended):
        print("it does not end", file=sys.stderr)
        status = 99
    if status == 99:
        os.kill(terminal.pid, 9)
    ended = os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1])
    print(terminal.text)
    sys.exit(status or (ended if ended >= 0 else 128 - ended))


if __name__ == "__main__":
    main()
