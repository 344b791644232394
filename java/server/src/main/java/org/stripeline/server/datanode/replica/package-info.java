// SPDX-License-Identifier: Apache-2.0
/**
 * The operations of an agent on replicas of its own DataNode: links, removals, checksums and reads.
 * Of the agent's packages it uses only {@link org.stripeline.server.datanode}.
 */
package org.stripeline.server.datanode.replica;
