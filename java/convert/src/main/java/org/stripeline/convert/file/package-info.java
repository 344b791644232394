// SPDX-License-Identifier: Apache-2.0
/**
 * Converts one file: creates and verifies the temporary file, takes the lease, swaps the two, and
 * recovers from the steps of an earlier driver.
 */
package org.stripeline.convert.file;
