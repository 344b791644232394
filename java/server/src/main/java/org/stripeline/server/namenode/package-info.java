// SPDX-License-Identifier: Apache-2.0
/**
 * The settings of encoding-aware replication in the NameNode. The placement policy itself is in a
 * package of Hadoop's, since it overrides package-private members. {@link org.stripeline.placement}
 * selects the DataNodes.
 */
package org.stripeline.server.namenode;
