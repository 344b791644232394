// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.junit.jupiter.api.Test;

/** Tests which groups a map copies, and where it prefers to run. */
class GroupSplitTest {
  private static GroupOrder order(int group, String rack, String... hosts) {
    GroupOrder order = new GroupOrder("/d", group, rack, Arrays.asList(hosts));
    order.copy = new GroupOrder.Copy();
    order.copy.length = 10;
    return order;
  }

  private static List<GroupOrder> orders(int count, int racks) {
    List<GroupOrder> orders = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      orders.add(order(i, "/r" + i % racks));
    }
    return orders;
  }

  private static List<List<GroupOrder>> byMap(List<GroupOrder> orders, int maps) {
    List<List<GroupOrder>> found = new ArrayList<>();
    for (int map = 0; map < maps; map++) {
      int number = map;
      found.add(orders.stream().filter(order -> order.map == number).collect(Collectors.toList()));
    }
    return found;
  }

  @Test
  void aMapTakesSeveralGroupsOfOneCoreRack() {
    List<GroupOrder> orders = orders(20, 3);
    int maps = MapWaves.assign(orders, 5);
    List<List<GroupOrder>> byMap = byMap(orders, maps);
    // Four groups a map: racks of 7, 7 and 6 groups take two maps each.
    assertThat(byMap).extracting(List::size).containsExactly(4, 3, 4, 3, 4, 2);
    for (List<GroupOrder> ofMap : byMap) {
      assertThat(ofMap).extracting(order -> order.rack).containsOnly(ofMap.get(0).rack);
    }
    assertThat(orders).extracting(order -> order.group).doesNotHaveDuplicates().hasSize(20);
  }

  @Test
  void mapsThatCanRunAtATimeAreNotJoinedIntoFewer() {
    List<GroupOrder> orders = orders(9, 1);
    assertThat(MapWaves.assign(orders, 9)).isEqualTo(9);
    assertThat(MapWaves.assign(orders, 5)).isEqualTo(9);
    assertThat(MapWaves.assign(orders, 4)).isEqualTo(5);
  }

  @Test
  void aMapTakesABoundedNumberOfGroups() {
    assertThat(MapWaves.assign(orders(100, 1), 1))
        .isEqualTo((100 + MapWaves.ORDERS_OF_A_MAP_MAX - 1) / MapWaves.ORDERS_OF_A_MAP_MAX);
  }

  @Test
  void anOrderThatFailedWithOthersHasAMapOfItsOwn() {
    List<GroupOrder> orders = orders(5, 1);
    orders.get(1).isAlone = true;
    orders.get(1).isShared = true;
    List<List<GroupOrder>> byMap = byMap(orders, MapWaves.assign(orders, 2));
    assertThat(byMap).extracting(List::size).containsExactly(1, 2, 2);
    assertThat(byMap.get(0).get(0).group).isEqualTo(1);
    assertThat(byMap.get(0).get(0).isShared).isFalse();
    assertThat(byMap.get(2)).allMatch(order -> order.isShared);
    assertThat(GroupOrder.parse(byMap.get(2).get(0).toJson()).isShared).isTrue();
  }

  @Test
  void itsHostsAreThoseOfMostOfItsGroups() throws Exception {
    GroupSplit split =
        new GroupSplit(
            Arrays.asList(order(0, "/r", "a", "b"), order(1, "/r", "c", "b"), order(2, "/r", "b")));
    assertThat(split.getLocations()).containsExactly("b", "a", "c");
    assertThat(split.getLength()).isEqualTo(30);

    DataOutputBuffer out = new DataOutputBuffer();
    split.write(out);
    DataInputBuffer in = new DataInputBuffer();
    in.reset(out.getData(), out.getLength());
    GroupSplit back = new GroupSplit();
    back.readFields(in);
    assertThat(back.orders()).isEqualTo(split.orders()).hasSize(3);
  }
}
