// SPDX-License-Identifier: Apache-2.0
/**
 * {@code stripeline bench convert}: ways from replication to erasure coding side by side on a real
 * HDFS.
 */
package org.stripeline.lab.bench.convert;
