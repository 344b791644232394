// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import java.util.Arrays;

/**
 * A minimum-cost flow through a small graph, by successive shortest paths (Bellman-Ford with a
 * queue, since residual edges have negative costs). After each path the flow is the cheapest one of
 * its size. Edges may be added between paths if they cost more than a flow without them can save,
 * because then no negative cycle passes through them.
 */
final class CostFlow {
  private static final long FAR = Long.MAX_VALUE / 2;

  private final int[] firstEdge;
  private final long[] distance;
  private final int[] arrivedBy;
  private final boolean[] isQueued;
  private final int[] queue;

  /** Edge e and its residual edge have the indexes e and e ^ 1. */
  private int[] to;

  private int[] next;
  private int[] capacity;
  private long[] cost;
  private int edges;

  CostFlow(int vertices, int edgesExpected) {
    firstEdge = new int[vertices];
    Arrays.fill(firstEdge, -1);
    distance = new long[vertices];
    arrivedBy = new int[vertices];
    isQueued = new boolean[vertices];
    queue = new int[vertices];
    int room = 2 * Math.max(1, edgesExpected);
    to = new int[room];
    next = new int[room];
    capacity = new int[room];
    cost = new long[room];
  }

  /** Adds an edge and returns its number. */
  int add(int from, int target, int edgeCapacity, long edgeCost) {
    if (edges == to.length) {
      to = Arrays.copyOf(to, 2 * edges);
      next = Arrays.copyOf(next, 2 * edges);
      capacity = Arrays.copyOf(capacity, 2 * edges);
      cost = Arrays.copyOf(cost, 2 * edges);
    }
    int edge = edges;
    link(from, target, edgeCapacity, edgeCost);
    link(target, from, 0, -edgeCost);
    return edge;
  }

  private void link(int from, int target, int edgeCapacity, long edgeCost) {
    to[edges] = target;
    capacity[edges] = edgeCapacity;
    cost[edges] = edgeCost;
    next[edges] = firstEdge[from];
    firstEdge[from] = edges++;
  }

  /** Returns the flow through an edge. */
  int flow(int edge) {
    return capacity[edge ^ 1];
  }

  /** Augments while there is a path; returns by how much the flow grew. */
  int grow(int source, int sink) {
    int grown = 0;
    while (findPath(source, sink)) {
      int amount = Integer.MAX_VALUE;
      for (int v = sink; v != source; v = to[arrivedBy[v] ^ 1]) {
        amount = Math.min(amount, capacity[arrivedBy[v]]);
      }
      for (int v = sink; v != source; v = to[arrivedBy[v] ^ 1]) {
        capacity[arrivedBy[v]] -= amount;
        capacity[arrivedBy[v] ^ 1] += amount;
      }
      grown += amount;
    }
    return grown;
  }

  private boolean findPath(int source, int sink) {
    Arrays.fill(distance, FAR);
    distance[source] = 0;
    int head = 0;
    int waiting = 1;
    queue[0] = source;
    while (waiting > 0) {
      int v = queue[head];
      head = head + 1 == queue.length ? 0 : head + 1;
      waiting--;
      isQueued[v] = false;
      long here = distance[v];
      for (int e = firstEdge[v]; e >= 0; e = next[e]) {
        int w = to[e];
        if (capacity[e] > 0 && here + cost[e] < distance[w]) {
          distance[w] = here + cost[e];
          arrivedBy[w] = e;
          if (!isQueued[w] && w != sink) {
            isQueued[w] = true;
            int tail = head + waiting;
            queue[tail >= queue.length ? tail - queue.length : tail] = w;
            waiting++;
          }
        }
      }
    }
    return distance[sink] < FAR;
  }
}
