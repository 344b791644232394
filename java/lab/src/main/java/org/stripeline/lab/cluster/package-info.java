// SPDX-License-Identifier: Apache-2.0
/**
 * An HDFS on one machine: its NameNode and DataNodes in a separate process, and DataNodes in
 * further processes.
 */
package org.stripeline.lab.cluster;
