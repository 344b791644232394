// SPDX-License-Identifier: Apache-2.0
/**
 * Encoding-aware replication: assembles stripes from blocks that are being written and places their
 * replicas.
 */
package org.stripeline.placement.ear;
