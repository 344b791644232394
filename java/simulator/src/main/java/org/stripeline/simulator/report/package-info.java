// SPDX-License-Identifier: Apache-2.0
/** Scenarios run through, and what came of them beside the paper's figures. */
package org.stripeline.simulator.report;
