// SPDX-License-Identifier: Apache-2.0
/**
 * Checks one block group, or one replicated block, without knowledge of files and of the command.
 *
 * <p>{@code GroupCheck} asks for fingerprints through {@code GroupAccess}, {@code WindowJudge}
 * concludes from those of one window, and {@code GroupResult} is what was found. The design is
 * docs/decisions/0016-scrub.md.
 */
package org.stripeline.scrub.check;
