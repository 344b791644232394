// SPDX-License-Identifier: Apache-2.0
/**
 * Converts one file: holds its lease, makes and compares the temporary file, swaps both, and
 * recovers what an earlier driver left.
 */
package org.stripeline.convert.file;
