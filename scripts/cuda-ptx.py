# SPDX-License-Identifier: Apache-2.0
"""Compiles a CUDA source to PTX with NVRTC, as a library: usage cuda-ptx.py SOURCE PTX."""

import ctypes
import glob
import re
import sys
import zlib

# The oldest virtual architecture that the compiler knows, so that drivers compile for any GPU from there on.
ARCHITECTURE = "compute_70"

# The compiler writes its own release's version, which only drivers as new take. The text needs no more than this
# one, of CUDA 11.0; the assembler proves it.
PTX_VERSION = "7.0"

# A hint that version does not know: which bytes of a vector are used.
HINT = r'^\t\.pragma "used_bytes_mask \d+";\n'

HEADER = """// SPDX-License-Identifier: Apache-2.0
// Made by scripts/cuda-ptx.sh from kernel.cu (CRC-32 {crc:08x}) with NVRTC {major}.{minor}. Do not edit.
"""


def compile_source(source):
    library = glob.glob(sys.prefix + "/lib/python3*/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12")
    nvrtc = ctypes.CDLL(library[0])
    program = ctypes.c_void_p()
    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernel.cu", 0, None, None))
    options = ["--gpu-architecture=" + ARCHITECTURE]
    arguments = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    status = nvrtc.nvrtcCompileProgram(program, len(options), arguments)
    log = text_of(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program)
    # That the architecture is old is known, and why it was chosen.
    lines = [line for line in log.splitlines() if line and "are deprecated" not in line]
    sys.stderr.write("".join(line + "\n" for line in lines))
    check(status)
    major, minor = ctypes.c_int(), ctypes.c_int()
    check(nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    ptx = text_of(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)
    return ptx, major.value, minor.value


def text_of(get_size, get_text, program):
    size = ctypes.c_size_t()
    check(get_size(program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    check(get_text(program, text))
    return text.value.decode()


def check(status):
    if status:
        sys.exit(f"Cannot compile the kernel: NVRTC's status {status}")


def main():
    with open(sys.argv[1], "rb") as file:
        source = file.read()
    ptx, major, minor = compile_source(source)
    ptx, versions = re.subn(r"^\.version .*$", ".version " + PTX_VERSION, ptx, flags=re.MULTILINE)
    assert versions == 1, "one version in a PTX text"
    ptx = re.sub(HINT, "", ptx, flags=re.MULTILINE)
    with open(sys.argv[2], "w", encoding="ascii") as file:
        file.write(HEADER.format(crc=zlib.crc32(source), major=major, minor=minor) + ptx)


main()
