// SPDX-License-Identifier: Apache-2.0
/**
 * {@code stripeline bench convert}: compares methods of conversion to erasure coding on a real
 * HDFS.
 */
package org.stripeline.lab.bench.convert;
