// SPDX-License-Identifier: Apache-2.0
/**
 * Reads striped files: lanes fetch from internal blocks, segments combine the fetched spans and
 * decode the missing ones, a window keeps segments ahead of a sequential reader. This package does
 * not depend on Hadoop's internals; {@link org.stripeline.client.read.BlockGroup} is its interface
 * to them. What streams share is in {@link org.stripeline.client.read.shared}, which this package
 * uses.
 */
package org.stripeline.client.read;
