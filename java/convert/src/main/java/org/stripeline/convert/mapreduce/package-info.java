// SPDX-License-Identifier: Apache-2.0
/** Runs the copies of a conversion as map tasks. */
package org.stripeline.convert.mapreduce;
