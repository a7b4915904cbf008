"""Runs a program on a pseudo terminal of a given size.

Standard input is written to the terminal, and standard output is what the terminal shows. Input that
begins with a null character is a new size: columns and rows.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios

columns, rows = int(sys.argv[1]), int(sys.argv[2])


def set_size(descriptor, width, height):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))


child, terminal = pty.fork()
if child == 0:
    set_size(0, columns, rows)
    os.execvp(sys.argv[3], sys.argv[3:])

inputs = [0, terminal]
try:
    while True:
        readable, _, _ = select.select(inputs, [], [])
        if 0 in readable:
            typed = os.read(0, 65536)
            if not typed:
                inputs.remove(0)
            elif typed.startswith(b"\0"):
                width, height = typed[1:].split()
                set_size(terminal, int(width), int(height))
                os.kill(child, signal.SIGWINCH)
            else:
                os.write(terminal, typed)
        if terminal in readable:
            shown = os.read(terminal, 65536)
            if not shown:
                break
            os.write(1, shown)
except OSError:
    pass  # the program has closed the terminal
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
