// SPDX-License-Identifier: Apache-2.0
/** The protocol of the encode agent: its messages, their encoding, and the client. */
package org.stripeline.agent;
