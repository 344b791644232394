# SPDX-License-Identifier: Apache-2.0
# `make` alone lists the targets. `make demo` and `make test` do everything on a fresh Debian machine with
# JDK 17, Maven, cargo and a C compiler; what else they need they fetch, or name in one line.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help need native build demo test test-full check fmt conformance bench bench-quick fuzz asan tsan soak dist install clean

DEMO_ARGUMENTS ?=
REPEATS ?= 0

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

need:
	@scripts/need.sh

native: need ## build the native libraries for every architecture into build/native
	scripts/build-native.sh

build: native ## build java/cli/target/stripeline-*.jar, which clusters load, and stripeline-cli-*.jar, the command
	scripts/build-java.sh

demo: build ## build, then compare both clients on a real HDFS in minutes (DEMO_ARGUMENTS="--quick")
	./stripeline demo $(DEMO_ARGUMENTS)

test: need ## build and run the tests for every change (15 minutes)
	scripts/test.sh fast $(REPEATS)

test-full: need ## run the tests that make test leaves out (40 minutes)
	scripts/test.sh full $(REPEATS)

check: need ## formatting, lints and size limits, without tests
	scripts/check.sh

fmt: need ## format the Rust and Java code
	cargo fmt --all
	scripts/format-java.sh

conformance: build ## Hadoop's own tests on every supported release, aarch64 under qemu, other JDKs (hours)
	scripts/conformance.sh

bench: need ## build the bench with every competitor, then: ./stripeline bench codec
	scripts/bench-build.sh

fuzz: need ## run every fuzz target for a minute against the reference
	scripts/fuzz.sh 60

asan: need ## run the Rust and C suites under the address sanitizer
	scripts/asan.sh

tsan: need ## run the engine's suite and its C interface under the thread sanitizer
	scripts/tsan.sh

soak: build ## fuzz for ten minutes a target, the client for an hour, and repeat the demo with 1 GiB
	scripts/fuzz.sh 600
	scripts/soak-client.sh 60
	./stripeline demo --size=1GiB --rounds=10

dist: native ## make build/stripeline-*.tar.gz, stripeline_*_all.deb and the list of their components
	scripts/build-java.sh -Pdist
	scripts/dist.sh

PREFIX ?= /usr/local
install: ## build the C library and install it in PREFIX (/usr/local); needs cargo and cc, no JDK
	scripts/install.sh $(PREFIX)

clean: ## remove everything that was built
	cargo clean
	mvn --batch-mode --quiet -f java/pom.xml clean
	rm -rf build
