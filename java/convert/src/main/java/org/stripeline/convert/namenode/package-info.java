// SPDX-License-Identifier: Apache-2.0
/** Connects to HDFS, and reads the settings of the NameNodes of a cluster from each over HTTP. */
package org.stripeline.convert.namenode;
