// SPDX-License-Identifier: Apache-2.0
/** What all commands of a terminal share: options, exit statuses, tables and sizes. */
package org.stripeline.terminal;
