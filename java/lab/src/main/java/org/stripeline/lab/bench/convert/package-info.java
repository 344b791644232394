// SPDX-License-Identifier: Apache-2.0
/**
 * {@code stripeline bench convert}: methods of conversion to erasure coding side by side on a real
 * HDFS.
 */
package org.stripeline.lab.bench.convert;
