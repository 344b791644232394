// SPDX-License-Identifier: Apache-2.0
/**
 * {@code stripeline demo}: Stripeline beside Hadoop's own client on one HDFS, in four acts, each of
 * which verifies its results and ends the demo when one of ours is wrong.
 *
 * <p>{@link org.stripeline.lab.demo.DemoRunner} starts the cluster in a second JVM and plays the
 * acts on a {@link org.stripeline.lab.demo.Stage}: a flipped bit, the pipelines, conversion in
 * place, rebuilding. Act 2 measures by the clients of {@code bench io}, act 3 by those of {@code
 * bench convert}. Both sides take turns in each round; figures are medians over the rounds.
 *
 * <p>Clients and servers share one machine: the figures compare clients with each other and say
 * nothing about what a cluster of many machines does.
 */
package org.stripeline.lab.demo;
