// SPDX-License-Identifier: Apache-2.0
/**
 * Converts one file: holds its lease, creates and verifies the temporary file, swaps the two, and
 * recovers from the steps of an earlier driver.
 */
package org.stripeline.convert.file;
