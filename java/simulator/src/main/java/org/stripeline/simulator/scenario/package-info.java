// SPDX-License-Identifier: Apache-2.0
/**
 * The input of a simulation: constants, each with its source, and variants that change a few of
 * them.
 */
package org.stripeline.simulator.scenario;
