// SPDX-License-Identifier: Apache-2.0
/** The commands that run clusters on one machine: demo, bench, cluster. */
package org.stripeline.lab;
