// SPDX-License-Identifier: Apache-2.0
/**
 * Client pipelines for erasure-coded files in HDFS: the classes that do not use Hadoop's internals.
 * The classes that do are in Hadoop's own packages.
 */
package org.stripeline.client;
