// SPDX-License-Identifier: Apache-2.0
/**
 * Algorithms that place the replicas and the parity blocks of a stripe. They use plain data and do
 * not depend on Hadoop.
 *
 * <p>Terms, after Li, Hu and Lee, "Enabling Efficient and Reliable Transition from Replication to
 * Erasure Coding for Clustered File Systems" (DSN 2015): the <em>core rack</em> of a stripe holds
 * one replica of each of its blocks, so that the stripe can be encoded there; <em>target racks</em>
 * are the racks that may hold blocks of the stripe after encoding, at most <em>c</em> in each rack
 * and one on each node. A replica is <em>retained</em> if it becomes an internal block.
 *
 * <p>Entry points: {@link org.stripeline.placement.Topology} describes the cluster, {@link
 * org.stripeline.placement.RackRule} the required layout, and {@link
 * org.stripeline.placement.ClusterFit} checks whether the cluster can satisfy it. {@link
 * org.stripeline.placement.ear.PendingStripes} places blocks that are being written, {@link
 * org.stripeline.placement.group.GroupPlanner} plans the encoding of a group, and {@link
 * org.stripeline.placement.StripeAudit} checks the layout of a stripe.
 */
package org.stripeline.placement;
