// SPDX-License-Identifier: Apache-2.0
/**
 * The encode agent, a plug-in of the DataNode. It turns replicas into internal blocks of a block
 * group by hard links, computes and sends parity, and verifies both. This package holds the
 * settings, counters and metrics of an agent; it uses no other package of the agent. {@link
 * org.stripeline.server.datanode.replica} operates on replicas, {@link
 * org.stripeline.server.datanode.encode} encodes groups, {@link
 * org.stripeline.server.datanode.scrub} computes fingerprints, and {@link
 * org.stripeline.server.datanode.service} serves the calls.
 */
package org.stripeline.server.datanode;
