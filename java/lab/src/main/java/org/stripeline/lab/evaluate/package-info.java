// SPDX-License-Identifier: Apache-2.0
/**
 * {@code stripeline evaluate}: runs the experiments of published measurements as commands of their
 * own, and writes a report that shows the published figures beside those of this machine.
 */
package org.stripeline.lab.evaluate;
