// SPDX-License-Identifier: Apache-2.0
/**
 * The files of a tree as a plan sees them, streamed from a NameNode or from an image of one.
 *
 * <p>A {@code FileSource} streams {@code PlannedFile}s: {@code NameNodeSource} those of a live
 * cluster, which {@code ClusterView} and {@code SnapshotTimes} describe, and {@code ImageFile}
 * those of what {@code hdfs oiv} wrote.
 */
package org.stripeline.plan.source;
