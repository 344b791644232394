// SPDX-License-Identifier: Apache-2.0
/**
 * Encodes block groups: the tasks of an agent, and the streams that read sources, send parity and
 * compare replicas. Of the agent's packages it uses {@link org.stripeline.server.datanode} and
 * {@link org.stripeline.server.datanode.replica}.
 */
package org.stripeline.server.datanode.encode;
