// SPDX-License-Identifier: Apache-2.0
/**
 * Where the replicas and the parity of a stripe go, as plain algorithms on plain data, without
 * Hadoop.
 *
 * <p>Words, after Li, Hu and Lee, "Enabling Efficient and Reliable Transition from Replication to
 * Erasure Coding for Clustered File Systems" (DSN 2015): the <em>core rack</em> of a stripe holds
 * one replica of each of its blocks, so that it can be encoded there; <em>target racks</em> are
 * those that may hold blocks of the stripe once it is encoded, each at most <em>c</em> of them and
 * each node at most one. A replica is <em>retained</em> if it becomes an internal block.
 *
 * <p>Where to begin: {@link org.stripeline.placement.Topology} is the cluster, {@link
 * org.stripeline.placement.RackRule} what is wanted of it, {@link
 * org.stripeline.placement.ClusterFit} whether it can be had. {@link
 * org.stripeline.placement.ear.PendingStripes} place blocks that are being written, {@link
 * org.stripeline.placement.group.PosthocGrouping} finds stripes among those that have been, {@link
 * org.stripeline.placement.group.GroupPlanner} plans how a group is encoded, and {@link
 * org.stripeline.placement.LayoutAudit} says how stripes lie.
 */
package org.stripeline.placement;
