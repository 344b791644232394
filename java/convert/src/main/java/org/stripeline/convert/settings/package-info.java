// SPDX-License-Identifier: Apache-2.0
/** What a conversion is asked to do: its settings, the code, the rules that files must satisfy. */
package org.stripeline.convert.settings;
