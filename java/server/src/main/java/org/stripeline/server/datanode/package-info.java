// SPDX-License-Identifier: Apache-2.0
/**
 * The encode agent, a plug-in of the DataNode. It turns replicas into internal blocks of a block
 * group by hard links, computes and sends parity, and verifies both.
 */
package org.stripeline.server.datanode;
