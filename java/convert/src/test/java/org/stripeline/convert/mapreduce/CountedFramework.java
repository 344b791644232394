// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.LocalJobRunner;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;

/** The local MapReduce framework under another name, which counts its clients. */
public final class CountedFramework extends ClientProtocolProvider {
  static final String NAME = "counted";
  static final AtomicInteger OPENED = new AtomicInteger();
  static final AtomicInteger CLOSED = new AtomicInteger();

  @Override
  public ClientProtocol create(Configuration conf) throws IOException {
    if (!NAME.equals(conf.get(MRConfig.FRAMEWORK_NAME))) {
      return null;
    }
    OPENED.incrementAndGet();
    return new LocalJobRunner(conf);
  }

  @Override
  public ClientProtocol create(InetSocketAddress address, Configuration conf) {
    return null;
  }

  @Override
  public void close(ClientProtocol client) {
    CLOSED.incrementAndGet();
  }
}
