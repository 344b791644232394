// SPDX-License-Identifier: Apache-2.0
/**
 * {@code stripeline demo}: the main job of Stripeline, done and proven on a real HDFS.
 *
 * <p>A cluster of its own is started in a second JVM. Files are written through our coder and
 * through Hadoop's {@code rs_java}, DataNodes that hold data are killed, every byte is read back
 * and compared, the DataNodes come back with empty disks and rebuild what was lost, and the result
 * is proven: by the bytes on the disks, by {@code hdfs fsck} and by {@code hdfs debug verifyEC}.
 *
 * <p>Vocabulary: a <em>block group</em> holds {@code k} data and {@code m} parity <em>internal
 * blocks</em>; a <em>round</em> is one timed repetition of a step; a <em>contestant</em> is a coder
 * taking part in the comparison.
 *
 * <p>The figures come from client and servers sharing one machine: they compare coders with each
 * other and say nothing about what a cluster of many machines does.
 */
package org.stripeline.lab.demo;
