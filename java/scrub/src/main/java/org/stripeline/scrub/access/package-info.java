// SPDX-License-Identifier: Apache-2.0
/**
 * Access of a scrub to a cluster: locations from the NameNode, fingerprints from agents, and from
 * replicas that the client reads where there is no agent.
 */
package org.stripeline.scrub.access;
