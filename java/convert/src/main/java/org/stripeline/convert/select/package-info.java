// SPDX-License-Identifier: Apache-2.0
/**
 * Chooses the files to convert: walks the tree, and judges each file by the settings and by the
 * state of the cluster.
 */
package org.stripeline.convert.select;
