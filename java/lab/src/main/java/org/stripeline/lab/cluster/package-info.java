// SPDX-License-Identifier: Apache-2.0
/** An HDFS on one machine: a NameNode in one process, each DataNode in one of its own. */
package org.stripeline.lab.cluster;
