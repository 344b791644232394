// SPDX-License-Identifier: Apache-2.0
/**
 * Reading a striped file: lanes fetch from internal blocks, segments put the fetched spans together
 * and decode what is missing, a window keeps segments ahead of a sequential reader. Nothing here
 * knows Hadoop's internals; {@link org.stripeline.client.read.BlockGroup} is what it asks of them.
 */
package org.stripeline.client.read;
