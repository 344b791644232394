// SPDX-License-Identifier: Apache-2.0
/**
 * A cluster in simulated time: clients write, others load the network, nodes fail, and replicated
 * blocks become erasure-coded ones, placed and planned by the code of {@code
 * org.stripeline.placement} that clusters run. It shows what a way of placing and encoding costs
 * and gains where no cluster is at hand, and stands beside the figures of Li, Hu and Lee (2015).
 *
 * <p>It says nothing about what it leaves out: protocols, processors, memory, the NameNode, and the
 * way that TCP shares a link.
 */
package org.stripeline.simulator;
