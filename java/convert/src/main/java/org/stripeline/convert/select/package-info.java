// SPDX-License-Identifier: Apache-2.0
/**
 * Selects the files to convert: walks the tree, and judges each file by the settings and the state
 * of the cluster.
 */
package org.stripeline.convert.select;
