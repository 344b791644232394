// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Syncable;

/**
 * Files in memory, whose writer can be killed before each step. Of bytes that were written and not
 * synced, any part may survive.
 */
final class FakeStore implements LedgerStore {
  final Map<String, byte[]> files = new HashMap<>();

  /** Steps that changed a file. */
  int steps;

  /** The number of the step before which the writer is killed; 0 for none. */
  int killedBefore;

  /** Called before a file is opened. */
  Opening opening = name -> {};

  boolean isReleased;

  private final Map<String, Long> ids = new HashMap<>();
  private final Random random;
  private long nextId = 1;

  /** The kill: an Error, which no clean-up code catches. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** Called before a file is opened. */
  interface Opening {
    void of(String name) throws IOException;
  }

  FakeStore(Random random) {
    this.random = random;
  }

  /** A file that is being written. */
  private final class Output extends OutputStream implements Syncable {
    private final ByteArrayOutputStream unsynced = new ByteArrayOutputStream();
    private final long id;
    private final String name;

    Output(String name) {
      this.name = name;
      id = ids.get(name);
    }

    @Override
    public void write(int one) {
      unsynced.write(one);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      unsynced.write(bytes, offset, length);
    }

    @Override
    public void hflush() {
      hsync();
    }

    @Override
    public void hsync() {
      step(() -> keep(random.nextInt(unsynced.size() + 1)));
      keep(unsynced.size());
    }

    private void keep(int length) {
      if (ids.getOrDefault(name, 0L) == id) {
        byte[] before = files.get(name);
        byte[] after = Arrays.copyOf(before, before.length + length);
        System.arraycopy(unsynced.toByteArray(), 0, after, before.length, length);
        files.put(name, after);
      }
      unsynced.reset();
    }

    @Override
    public void close() {
      step(() -> {});
      keep(unsynced.size());
    }
  }

  /** Counts a step, unless the writer is killed before it. */
  private void step(Runnable remains) {
    if (killedBefore != 0 && steps >= killedBefore) {
      throw new Killed();
    }
    steps++;
    if (steps == killedBefore) {
      remains.run();
      throw new Killed();
    }
  }

  @Override
  public long id(String name) {
    return ids.getOrDefault(name, 0L);
  }

  @Override
  public InputStream open(String name) throws IOException {
    opening.of(name);
    byte[] bytes = files.get(name);
    if (bytes == null) {
      throw new FileNotFoundException(name);
    }
    return new ByteArrayInputStream(bytes);
  }

  @Override
  public void recover(String name) {}

  @Override
  public FSDataOutputStream create(String name) throws IOException {
    step(() -> {});
    ids.put(name, nextId++);
    files.put(name, new byte[0]);
    return new FSDataOutputStream(new Output(name), null);
  }

  @Override
  public void rename(String from, String to) {
    step(() -> {});
    files.put(to, files.remove(from));
    ids.put(to, ids.remove(from));
  }

  @Override
  public String path(String name) {
    return "/ledgers/" + name;
  }

  @Override
  public void close() {
    isReleased = true;
  }
}
