// SPDX-License-Identifier: Apache-2.0
/**
 * Encoding-aware replication in the NameNode: what it is configured with. The placement policy
 * itself is in a package of Hadoop's, whose members it overrides; where blocks go is decided in
 * {@link org.stripeline.placement}.
 */
package org.stripeline.server.namenode;
