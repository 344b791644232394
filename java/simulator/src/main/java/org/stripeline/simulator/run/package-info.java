// SPDX-License-Identifier: Apache-2.0
/** One run: what is there before it, what happens during it, and what came of it. */
package org.stripeline.simulator.run;
