// SPDX-License-Identifier: Apache-2.0
/**
 * Simulates a cluster: clients write, other traffic loads the network, nodes fail, and replicated
 * blocks are converted to erasure coding, with placement and plans from the code of {@code
 * org.stripeline.placement} that clusters run. The simulation estimates the costs and gains of a
 * method of placement and encoding without a cluster, and compares them with the values of Li, Hu
 * and Lee (2015).
 *
 * <p>It does not model protocols, processors, memory, the NameNode, and the way that TCP shares a
 * link.
 */
package org.stripeline.simulator;
