// SPDX-License-Identifier: Apache-2.0
/**
 * Serves the calls to an agent: adapts its protocol to Hadoop's IPC server, checks callers,
 * requests and targets, and passes the calls on. It uses {@link org.stripeline.server.datanode} and
 * its packages {@code replica}, {@code encode} and {@code scrub}; none of them uses this package.
 */
package org.stripeline.server.datanode.service;
