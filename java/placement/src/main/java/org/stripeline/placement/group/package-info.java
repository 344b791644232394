// SPDX-License-Identifier: Apache-2.0
/**
 * Plans the encoding of blocks that have been written: which blocks form a group, and where each
 * one is placed.
 */
package org.stripeline.placement.group;
