// SPDX-License-Identifier: Apache-2.0
/** Reads the settings of the NameNodes of a cluster from each of them over HTTP. */
package org.stripeline.convert.namenode;
