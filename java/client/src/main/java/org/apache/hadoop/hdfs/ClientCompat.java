// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks on first use that this Hadoop has the members that differ between releases; all others
 * exist from Hadoop 3.3.6 to 3.5. Each difference between Hadoop releases has an adapter class of
 * its own, which lists the members that it needs.
 */
final class ClientCompat {
  private static final Logger LOG = LoggerFactory.getLogger(ClientCompat.class);

  private ClientCompat() {}

  /**
   * Returns whether no required member is missing; logs the missing ones once per process at WARN.
   */
  static boolean isUsable() {
    return Holder.MISSING.isEmpty();
  }

  /** Returns the names of the missing members; the list is empty if there are none. */
  static List<String> missing() {
    return Holder.MISSING;
  }

  /**
   * Returns an empty list if {@code ours} overrides all methods of a name in {@code theirs}, and
   * there are any. It matters for methods whose parameters differ between releases, which cannot
   * have an {@code @Override} annotation: if Hadoop's code served positional reads, they could
   * return wrong bytes.
   */
  static List<String> notOverridden(Class<?> theirs, Class<?> ours, String name) {
    List<List<Class<?>>> methods = parameters(theirs, name);
    return !methods.isEmpty() && parameters(ours, name).containsAll(methods)
        ? Collections.emptyList()
        : Collections.singletonList(
            theirs.getSimpleName()
                + "."
                + name
                + " with the parameters of "
                + ours.getSimpleName());
  }

  private static List<List<Class<?>>> parameters(Class<?> type, String name) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> method.getName().equals(name))
        .map(method -> Arrays.asList(method.getParameterTypes()))
        .collect(Collectors.toList());
  }

  /** Runs the check on first use instead of when the outer class is loaded. */
  private static final class Holder {
    static final List<String> MISSING = check();

    private static List<String> check() {
      List<String> missing = new ArrayList<>();
      missing.addAll(ReadStatisticsCompat.missing());
      missing.addAll(WriteCompat.missing());
      missing.addAll(LeaseCompat.missing());
      missing.addAll(
          notOverridden(
              DFSStripedInputStream.class, StripelineInputStream.class, "fetchBlockByteRange"));
      if (!missing.isEmpty()) {
        LOG.warn(
            "Cannot use Stripeline's client pipelines with this Hadoop; the stock client serves"
                + " all files. Missing: {}",
            missing);
      }
      return Collections.unmodifiableList(missing);
    }
  }
}
