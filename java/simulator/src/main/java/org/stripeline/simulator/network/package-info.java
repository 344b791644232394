// SPDX-License-Identifier: Apache-2.0
/**
 * Time and the way of bytes in it: a clock, ports that serve one at a time, and three models of how
 * a transfer uses the ports of its route. A circuit holds them all; a segment only the one it is
 * at.
 */
package org.stripeline.simulator.network;
