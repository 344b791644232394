// SPDX-License-Identifier: Apache-2.0
/** What is simulated: constants, each with its source, and variants that change a few of them. */
package org.stripeline.simulator.scenario;
