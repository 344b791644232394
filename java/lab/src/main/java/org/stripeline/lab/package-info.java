// SPDX-License-Identifier: Apache-2.0
/** The commands that work on clusters of one machine: demo, bench, cluster. */
package org.stripeline.lab;
