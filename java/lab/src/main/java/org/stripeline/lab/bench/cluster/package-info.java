// SPDX-License-Identifier: Apache-2.0
/** HDFS clusters for benchmarks, with or without links of limited rate between DataNodes. */
package org.stripeline.lab.bench.cluster;
