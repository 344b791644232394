// SPDX-License-Identifier: Apache-2.0
/**
 * Collects, encodes and sends the stripes of a file that is being written: the part of the write
 * pipeline that does not depend on Hadoop's internals.
 */
package org.stripeline.client.write;
