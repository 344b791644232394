// SPDX-License-Identifier: Apache-2.0
/** {@code stripeline bench scrub}: {@code stripeline scrub} beside Hadoop's verifyEC. */
package org.stripeline.lab.bench.scrub;
