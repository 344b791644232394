// SPDX-License-Identifier: Apache-2.0
/**
 * Plans for encoding blocks that are written: which blocks form a group, and where each one goes.
 */
package org.stripeline.placement.group;
