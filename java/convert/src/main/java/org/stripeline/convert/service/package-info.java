// SPDX-License-Identifier: Apache-2.0
/**
 * What a service needs that converts by rules: its lease, its status and the windows of the day.
 */
package org.stripeline.convert.service;
