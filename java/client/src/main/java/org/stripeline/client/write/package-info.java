// SPDX-License-Identifier: Apache-2.0
/**
 * Collecting, encoding and handing over the stripes of a file that is written: what of the write
 * pipeline needs nothing of Hadoop's internals.
 */
package org.stripeline.client.write;
