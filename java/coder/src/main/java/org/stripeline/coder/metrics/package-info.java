// SPDX-License-Identifier: Apache-2.0
/** Metrics of the coders of a process; depends on no other package of this module. */
package org.stripeline.coder.metrics;
