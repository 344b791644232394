// SPDX-License-Identifier: Apache-2.0
/** The settings that the NameNodes of a cluster run with, asked from each of them over HTTP. */
package org.stripeline.convert.namenode;
