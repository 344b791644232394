// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.stripeline.lab.bench.cluster.ShapedNetwork;
import org.stripeline.lab.cluster.ChildJvm;
import org.stripeline.natives.Ticker;

/**
 * Datagrams between the DataNodes of each pair at a constant rate: experiment A.1 of the paper on
 * encoding-aware replication with injected traffic.
 */
final class InjectedTraffic implements AutoCloseable {
  private final List<Process> senders = new ArrayList<>();
  private final List<BufferedReader> said = new ArrayList<>();
  private final Path log;
  private final long start;

  /**
   * Starts one sender for each pair, and waits until each sends.
   *
   * @param mbit the rate of each, in Mbit/s; 0 for none
   * @param log receives what senders report
   */
  InjectedTraffic(ShapedNetwork network, int mbit, Path log) throws IOException {
    this.log = log;
    try {
      for (int i = 1; mbit > 0 && i < network.datanodes(); i += 2) {
        List<String> arguments = Arrays.asList(ShapedNetwork.address(i + 1), String.valueOf(mbit));
        List<String> small = Collections.singletonList("-Xmx32m");
        ProcessBuilder builder =
            ChildJvm.of(ShapedNetwork.prefix(i), small, Sender.class, arguments);
        builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        Process sender = builder.start();
        senders.add(sender);
        said.add(
            new BufferedReader(
                new InputStreamReader(sender.getInputStream(), StandardCharsets.UTF_8)));
      }
      for (BufferedReader sender : said) {
        line(sender);
      }
    } catch (IOException e) {
      close();
      throw e;
    }
    start = Ticker.SYSTEM.nanos();
  }

  private String line(BufferedReader sender) throws IOException {
    String line = sender.readLine();
    if (line == null) {
      List<String> reasons = Files.readAllLines(log);
      throw new IOException(
          "Cannot inject traffic: a sender has ended: "
              + String.join(" | ", reasons.subList(0, Math.min(3, reasons.size()))));
    }
    return line;
  }

  /** Ends the senders, and returns the mean rate of one in Mbit/s. */
  double end() throws IOException {
    double seconds = (Ticker.SYSTEM.nanos() - start) / 1e9;
    double bytes = 0;
    for (Process sender : senders) {
      sender.getOutputStream().close();
    }
    for (BufferedReader sender : said) {
      bytes += Double.parseDouble(line(sender));
    }
    return bytes / senders.size() * 8 / 1e6 / seconds;
  }

  @Override
  public void close() {
    senders.forEach(Process::destroyForcibly);
  }

  /** Sends until its input ends, and then prints the number of bytes. */
  static final class Sender {
    /** Fits into a frame of the network. */
    private static final int BYTES = 8000;

    /** The service that discards what it gets; nothing needs to listen. */
    private static final int DISCARD = 9;

    private static final long PAUSE_NANOS = 1_000_000;

    private static volatile boolean isOver;

    private Sender() {}

    /** Runs with the address and the rate in Mbit/s. */
    public static void main(String[] arguments) throws Exception {
      double bytesPerNano = Integer.parseInt(arguments[1]) / 8e3;
      DatagramPacket packet =
          new DatagramPacket(new byte[BYTES], BYTES, InetAddress.getByName(arguments[0]), DISCARD);
      Thread end = new Thread(Sender::awaitEnd, "await-end");
      end.setDaemon(true);
      end.start();
      long sent = 0;
      try (DatagramSocket socket = new DatagramSocket()) {
        socket.send(packet);
        System.out.println("sending");
        long start = Ticker.SYSTEM.nanos();
        while (!isOver) {
          double due = (Ticker.SYSTEM.nanos() - start) * bytesPerNano;
          for (; sent < due && !isOver; sent += BYTES) {
            socket.send(packet);
          }
          Ticker.SYSTEM.sleep(PAUSE_NANOS);
        }
      }
      System.out.println(sent);
    }

    private static void awaitEnd() {
      ChildJvm.awaitEndOfInput();
      isOver = true;
    }
  }
}
