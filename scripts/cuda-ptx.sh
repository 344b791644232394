#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the GPU kernel to PTX with NVIDIA's compilers from PyPI, compares it with the committed text, and
# assembles it for the GPUs that it is meant for. No GPU is needed. With --write it replaces the committed text.
set -euo pipefail
cd "$(dirname "$0")/.."

source=crates/rail/src/cuda/kernel.cu
committed=crates/rail/src/cuda/generated/kernel.ptx
# Pinned, because another compiler writes another text.
release=12.9.86
venv=build/cuda-venv
made=build/kernel.ptx
# sm_70 is the oldest that these compilers know; Volta, Turing, Ampere, Ada, Hopper.
targets=(sm_70 sm_75 sm_80 sm_86 sm_89 sm_90)

packages=("nvidia-cuda-nvrtc-cu12==$release" "nvidia-cuda-nvcc-cu12==$release")
if [[ ! -f $venv/release || $(<"$venv/release") != "$release" ]]; then
  python3 -m venv "$venv"
  if "$venv/bin/pip" install --quiet "${packages[@]}"; then
    echo "$release" >"$venv/release"
  else
    echo "skipped: NVIDIA's compilers cannot be installed from PyPI; the committed PTX was not checked" >&2
    exit 0
  fi
fi

"$venv/bin/python" scripts/cuda-ptx.py "$source" "$made"
ptxas=$(echo "$venv"/lib/python3*/site-packages/nvidia/cuda_nvcc/bin/ptxas)
for target in "${targets[@]}"; do
  report=$("$ptxas" --gpu-name="$target" --verbose "$made" --output-file=/dev/null 2>&1)
  if grep -qE '[1-9][0-9]* bytes (stack frame|spill)' <<<"$report"; then
    echo "Cannot accept $source: it spills registers on $target" >&2
    exit 1
  fi
  echo "$target: assembled, registers of 1 to 4 rows:" \
    "$(grep -oE 'Used [0-9]+' <<<"$report" | cut -d' ' -f2 | sort -n | tr '\n' ' ')"
done

if [[ ${1:-} == --write ]]; then
  mkdir -p "$(dirname "$committed")"
  cp "$made" "$committed"
elif ! diff -q "$made" "$committed"; then
  echo "Cannot accept $committed: it is not what $source compiles to; run $0 --write" >&2
  exit 1
fi
