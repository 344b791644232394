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
 */
package org.stripeline.placement;
