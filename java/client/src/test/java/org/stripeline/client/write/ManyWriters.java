// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/** Concurrent writers whose stripes are acknowledged a moment after they were sent. */
public final class ManyWriters {
  private static final int STRIPES = 4;

  private ManyWriters() {}

  /** Returns the number of writers that have written everything. */
  public static int run(int writers, int cell) throws Exception {
    StripeLayout layout = new StripeLayout(6, 3, cell, 512, 4, true);
    WriteResources resources = WriteResources.shared(new Configuration(false));
    ScheduledExecutorService dataNodes = new ScheduledThreadPoolExecutor(1);
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                write(layout, resources, dataNodes);
                return null;
              });
      tasks.add(task);
      new Thread(task, "writer " + i).start();
    }
    int written = 0;
    for (FutureTask<Void> task : tasks) {
      try {
        task.get();
        written++;
      } catch (ExecutionException e) {
        System.out.println(e.getCause());
      }
    }
    dataNodes.shutdown();
    return written;
  }

  private static void write(
      StripeLayout layout, WriteResources resources, ScheduledExecutorService dataNodes)
      throws IOException {
    StripeSink sink =
        new StripeSink() {
          @Override
          public void openGroup() {}

          @Override
          public void send(Stripe stripe) {
            stripe.retain();
            dataNodes.schedule(stripe::release, 5, TimeUnit.MILLISECONDS);
          }
        };
    StripeEncoder encoder = new PaddingEncoder(layout);
    StripePipeline pipeline =
        new StripePipeline(
            "f", WriteSettings.of(new Configuration(false)), layout, resources, encoder, sink);
    byte[] bytes = new byte[layout.stripeSize() / 10];
    for (int i = 0; i < STRIPES; i++) {
      Stripe stripe = pipeline.acquire(i == 0);
      while (!stripe.isFull()) {
        stripe.reserve();
        stripe.put(bytes, 0, bytes.length);
      }
      pipeline.submit(stripe);
    }
    pipeline.finish();
  }
}
