// SPDX-License-Identifier: Apache-2.0
/**
 * Fingerprints of replicas, and their quarantine. For a fingerprint, a replica is read at a limited
 * rate and without effect on the page cache, and its checksums are verified; if it changes during
 * the read, the result says so. The quarantine keeps wrong replicas for a limited time. Of the
 * agent's packages this one uses only {@link org.stripeline.server.datanode}.
 */
package org.stripeline.server.datanode.scrub;
