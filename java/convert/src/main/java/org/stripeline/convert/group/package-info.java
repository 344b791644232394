// SPDX-License-Identifier: Apache-2.0
/**
 * Creates a temporary file from existing replicas: plans the block groups of a file, and requests
 * the encode agents to link the replicas and to compute parity.
 */
package org.stripeline.convert.group;
