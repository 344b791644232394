// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;

/** A client that does something before and after each of its calls to the NameNode. */
public final class WatchedFileSystem extends DistributedFileSystem {
  private final Consumer<String> before;
  private final Consumer<Object> after;

  /**
   * Creates a client.
   *
   * @param before receives the names of the methods of {@link ClientProtocol}
   */
  public WatchedFileSystem(Consumer<String> before) {
    this(before, answer -> {});
  }

  /**
   * Creates a client.
   *
   * @param before receives the names of the methods of {@link ClientProtocol}
   * @param after receives what they return
   */
  public WatchedFileSystem(Consumer<String> before, Consumer<Object> after) {
    this.before = before;
    this.after = after;
  }

  @Override
  public void initialize(URI uri, Configuration conf) throws IOException {
    super.initialize(uri, conf);
    DFSClient own = dfs;
    ClientProtocol namenode = own.getNamenode();
    ClientProtocol watched =
        (ClientProtocol)
            Proxy.newProxyInstance(
                ClientProtocol.class.getClassLoader(),
                new Class<?>[] {ClientProtocol.class, Closeable.class},
                (proxy, method, arguments) -> {
                  if (method.getDeclaringClass() == Closeable.class) {
                    own.close();
                    return null;
                  }
                  before.accept(method.getName());
                  try {
                    Object answer = method.invoke(namenode, arguments);
                    after.accept(answer);
                    return answer;
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    // With a NameNode, the constructor takes no address.
    dfs = new DFSClient(null, watched, conf, statistics);
  }
}
