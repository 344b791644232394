// SPDX-License-Identifier: Apache-2.0
/**
 * {@code stripeline demo}: compares Stripeline with Hadoop's own client on one HDFS, in four acts,
 * each of which verifies its results and ends the demo if one of our results is wrong.
 *
 * <p>{@link org.stripeline.lab.demo.DemoRunner} starts the cluster in a second JVM and runs the
 * acts on a {@link org.stripeline.lab.demo.Stage}: a flipped bit, the pipelines, conversion in
 * place, reconstruction. Act 2 measures with the clients of {@code bench io}, act 3 with those of
 * {@code bench convert}. Both sides take turns in each round; values are medians over the rounds.
 *
 * <p>Clients and servers share one machine: the values compare clients with each other and do not
 * predict the performance of a cluster of many machines.
 */
package org.stripeline.lab.demo;
