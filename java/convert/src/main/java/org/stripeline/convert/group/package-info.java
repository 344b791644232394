// SPDX-License-Identifier: Apache-2.0
/**
 * Makes a temporary file of replicas where they are: plans the block groups of a file and has the
 * encode agents link the replicas and compute parity.
 */
package org.stripeline.convert.group;
