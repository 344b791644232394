// SPDX-License-Identifier: Apache-2.0
/** The settings of a conversion: the code, the layout, and the filter for files. */
package org.stripeline.convert.settings;
