// SPDX-License-Identifier: Apache-2.0
/**
 * Decides which files can be erasure-coded and how much space they would take. Estimates ({@code
 * stripeline plan}) and conversions ({@code stripeline convert}) share these rules.
 */
package org.stripeline.convert.rules;
