// SPDX-License-Identifier: Apache-2.0
/**
 * Simulated time and transfers: a clock, ports that serve one request at a time, and three models
 * of how a transfer uses the ports of its route. A circuit holds all ports; a segment holds only
 * its current one.
 */
package org.stripeline.simulator.network;
