#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies the documents, and what they link to, with the paths of the checkout, so that links and messages hold.
# usage: scripts/install-documents.sh DIRECTORY
set -euo pipefail
directory=$(realpath -m "$1")
cd "$(dirname "$0")/.."

git ls-files LICENSE NOTICE '*.md' licenses docs bench/record examples 'crates/*/include/*' | while read -r file; do
  install -D -m 644 "$file" "$directory/$file"
done
