// SPDX-License-Identifier: Apache-2.0
/** Encoding-aware replication: the stripes of blocks that are being written, and their replicas. */
package org.stripeline.placement.ear;
