// SPDX-License-Identifier: Apache-2.0
/** Runs scenarios and compares the results with the values of the paper. */
package org.stripeline.simulator.report;
