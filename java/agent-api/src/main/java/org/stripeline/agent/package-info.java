// SPDX-License-Identifier: Apache-2.0
/**
 * The protocol of the encode agent: what it is asked and answers, as values and as bytes, and the
 * client that asks it.
 */
package org.stripeline.agent;
