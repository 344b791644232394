// SPDX-License-Identifier: Apache-2.0
/**
 * Which files erasure coding suits and how many bytes they take then: the one set of rules for
 * estimates ({@code stripeline plan}) and for conversion ({@code stripeline convert}).
 */
package org.stripeline.convert.rules;
