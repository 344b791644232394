// SPDX-License-Identifier: Apache-2.0
/** One run: its initial state, its events, and its results. */
package org.stripeline.simulator.run;
