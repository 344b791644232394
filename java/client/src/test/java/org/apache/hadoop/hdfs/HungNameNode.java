// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/**
 * A proxy between a client and the NameNode that can block requests for block locations, change
 * their answers, and let any call fail.
 */
final class HungNameNode implements AutoCloseable {
  private final DFSClient client;
  private final ClientProtocol nameNode;
  private final CountDownLatch released = new CountDownLatch(1);
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger interrupts = new AtomicInteger();
  private volatile boolean hangs;
  private volatile Calls faults = (method, isDone) -> {};
  private volatile UnaryOperator<LocatedBlocks> locations = blocks -> blocks;

  /** What happens to a call. */
  enum Fault {
    NOT_SENT,
    ANSWER_LOST,
    ALL_FROM_THEN_ON
  }

  /** Is told of each call before and after it was carried out, and lets it fail by throwing. */
  interface Calls {
    void called(String method, boolean isDone) throws IOException;
  }

  /** Replaces the NameNode proxy of a client. */
  HungNameNode(DistributedFileSystem fs) throws IOException {
    client = fs.getClient();
    nameNode = client.namenode;
    Object proxy =
        Proxy.newProxyInstance(
            ClientProtocol.class.getClassLoader(),
            new Class<?>[] {ClientProtocol.class},
            (self, method, arguments) -> {
              if (hangs && method.getName().equals("getBlockLocations")) {
                calls.incrementAndGet();
                awaitRelease();
              }
              faults.called(method.getName(), false);
              try {
                Object result = method.invoke(nameNode, arguments);
                if (result instanceof LocatedBlocks) {
                  result = locations.apply((LocatedBlocks) result);
                }
                faults.called(method.getName(), true);
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    put((ClientProtocol) proxy);
  }

  private void put(ClientProtocol other) throws IOException {
    try {
      Field field = DFSClient.class.getDeclaredField("namenode");
      field.setAccessible(true);
      field.set(client, other);
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
  }

  private void awaitRelease() throws InterruptedIOException {
    try {
      released.await();
    } catch (InterruptedException e) {
      interrupts.incrementAndGet();
      throw new InterruptedIOException("Interrupted while waiting for the NameNode");
    }
  }

  /** Blocks all further requests for block locations. */
  void hang() {
    hangs = true;
  }

  /**
   * Lets a further call fail.
   *
   * @param number number of the call, from 1 on
   * @param counts which methods are counted and can fail
   * @return the method of the call, or null until it has failed
   */
  AtomicReference<String> failAt(int number, Fault fault, Predicate<String> counts) {
    AtomicInteger begun = new AtomicInteger();
    ThreadLocal<Integer> now = new ThreadLocal<>();
    AtomicReference<String> failed = new AtomicReference<>();
    fail(
        (method, isDone) -> {
          if (!counts.test(method)) {
            return;
          }
          if (!isDone) {
            now.set(begun.incrementAndGet());
          }
          boolean isNow =
              fault == Fault.ALL_FROM_THEN_ON ? now.get() >= number : now.get() == number;
          if (isNow && isDone == (fault == Fault.ANSWER_LOST)) {
            failed.compareAndSet(null, method);
            throw new IOException("injected at " + method);
          }
        });
    return failed;
  }

  /** Changes the block locations that all further calls return. */
  void locate(UnaryOperator<LocatedBlocks> with) {
    locations = with;
  }

  /** Tells {@code with} of all further calls. */
  void fail(Calls with) {
    faults = with;
  }

  /** Returns the number of requests that were blocked. */
  int calls() {
    return calls.get();
  }

  /** Returns how many of these requests were interrupted. */
  int interrupts() {
    return interrupts.get();
  }

  /**
   * Returns the number of fetching threads that are opening a block, which wait for the NameNode or
   * for another thread's request.
   */
  long waiting() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> thread.getKey().getName().startsWith("stripeline-fetch-"))
        .flatMap(thread -> Arrays.stream(thread.getValue()))
        .filter(frame -> frame.getClassName().equals(StripelineBlockGroup.class.getName()))
        .filter(frame -> frame.getMethodName().equals("open"))
        .count();
  }

  @Override
  public void close() throws IOException {
    hangs = false;
    released.countDown();
    put(nameNode);
  }
}
