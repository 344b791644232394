#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps freed memory of a virtual machine cheap to use again while a bench runs.

A guest with free page reporting hands freed memory back to its host as whole 2 MiB blocks, and the
first touch of a block that went back costs several times what copying into it does. A bench on a
file system in memory frees and touches gigabytes each round, so rounds would time the host.

This touches memory once through a file in /dev/shm and gives all of it back but one page of 4 KiB
in each 512 KiB. What is left is too scattered to become whole blocks, so the rest stays here.

    bench/hdfs/ballast.py 4 -- ./stripeline bench io --dir=/dev/shm/bench

runs the command with 4 GiB kept warm and removes the file afterwards.
"""

import ctypes
import os
import subprocess
import sys
import tempfile

GIB = 1 << 30
CHUNK_BYTES = 1 << 20
STRIDE_BYTES = 512 << 10
PAGE_BYTES = 4096
# <linux/falloc.h>: punch a hole and keep the length of the file.
FALLOC_FL_KEEP_SIZE = 1
FALLOC_FL_PUNCH_HOLE = 2


def keep_warm(file_descriptor, size_bytes):
    chunk = b"\1" * CHUNK_BYTES
    for _ in range(size_bytes // CHUNK_BYTES):
        os.write(file_descriptor, chunk)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    for offset in range(0, size_bytes, STRIDE_BYTES):
        status = libc.fallocate(
            file_descriptor,
            FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            offset + PAGE_BYTES,
            STRIDE_BYTES - PAGE_BYTES,
        )
        if status != 0:
            sys.exit(f"Cannot punch hole in /dev/shm: {os.strerror(ctypes.get_errno())}")


def main():
    if len(sys.argv) < 4 or sys.argv[2] != "--" or not sys.argv[1].isdigit():
        sys.exit("Usage: ballast.py GIB -- COMMAND...")
    # Nameless: the memory is free again when this process ends, however it ends.
    with tempfile.TemporaryFile(dir="/dev/shm") as ballast:
        keep_warm(ballast.fileno(), int(sys.argv[1]) * GIB)
        sys.exit(subprocess.run(sys.argv[3:], check=False).returncode)


if __name__ == "__main__":
    main()
