// SPDX-License-Identifier: Apache-2.0
/**
 * Serves the calls to an agent: adapts its protocol to Hadoop's IPC server, checks callers,
 * requests and targets, and passes the calls on. It uses {@link org.stripeline.server.datanode},
 * {@link org.stripeline.server.datanode.replica} and {@link org.stripeline.server.datanode.encode};
 * none of them uses this package.
 */
package org.stripeline.server.datanode.service;
