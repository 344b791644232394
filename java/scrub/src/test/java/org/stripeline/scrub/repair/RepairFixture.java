// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.stripeline.natives.codec.Code;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.FakeGroup;
import org.stripeline.scrub.check.GroupCheck;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.check.Layout;

/** A group, and a NameNode and DataNodes that do what tests want, for tests of its repair. */
abstract class RepairFixture {
  static final Layout LAYOUT = Layout.striped(Code.RS, 3, 2, 4096);
  static final long WAIT_MILLIS = 100_000;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  final List<String> steps = new ArrayList<>();
  FakeGroup group;
  Map<Copy, byte[]> right;
  Cluster cluster;

  @BeforeEach
  void write() throws IOException {
    group = FakeGroup.striped(LAYOUT, 3 * 4096);
    right = new LinkedHashMap<>(group.bytes);
    right.replaceAll((copy, bytes) -> bytes.clone());
    cluster = new Cluster();
  }

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  class Cluster extends FakeRepairAccess {
    Cluster() {
      super(steps);
    }

    @Override
    FakeGroup group() {
      return group;
    }

    @Override
    Map<Copy, byte[]> right() {
      return right;
    }

    @Override
    GroupResult checkGroup() throws IOException {
      return RepairFixture.this.check();
    }
  }

  GroupResult check() throws IOException {
    return new GroupCheck(group, FakeGroup.SETTINGS, threads).run();
  }

  RepairRecord repair(boolean executes, Set<Trust> trusts) throws IOException {
    return new GroupRepair(cluster, executes, trusts, WAIT_MILLIS).run(check()).record();
  }

  RepairRecord repair() throws IOException {
    return repair(true, Set.of());
  }
}
