// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The columns of TPC-H's tables that its queries 3 and 6 read, with pseudo-random values of the
 * same ranges. Values are whole or decimal numbers and dates, so that answers are exact.
 */
final class Tables {
  /** Rows are counted in this share of an order. */
  static final int SHARE = 10;

  static final Map<String, String[]> DEFINITIONS = new LinkedHashMap<>();
  static final Map<String, String> QUERIES = new LinkedHashMap<>();

  static {
    DEFINITIONS.put(
        "customer",
        new String[] {
          "id as c_custkey",
          "element_at(array('BUILDING', 'AUTOMOBILE', 'MACHINERY', 'HOUSEHOLD', 'FURNITURE'),"
              + " int(pmod(xxhash64(id, 1), 5)) + 1) as c_mktsegment"
        });
    DEFINITIONS.put(
        "orders",
        new String[] {
          "id as o_orderkey",
          "pmod(xxhash64(id, 2), greatest(1, id)) as o_custkey",
          "date_add(date'1992-01-01', int(pmod(xxhash64(id, 3), 2406))) as o_orderdate",
          "0 as o_shippriority"
        });
    DEFINITIONS.put(
        "lineitem",
        new String[] {
          "id div 4 as l_orderkey",
          "int(pmod(xxhash64(id, 4), 50)) + 1 as l_quantity",
          "cast(pmod(xxhash64(id, 5), 10000000) / 100 as decimal(12,2)) as l_extendedprice",
          "cast(pmod(xxhash64(id, 6), 11) / 100 as decimal(12,2)) as l_discount",
          "date_add(date'1992-01-02', int(pmod(xxhash64(id, 7), 2526))) as l_shipdate",
          "sha2(string(id), 256) as l_comment"
        });
    QUERIES.put("count", "select count(*) from lineitem");
    QUERIES.put(
        "Q3",
        "select l_orderkey, sum(l_extendedprice * (1 - l_discount)) as revenue, o_orderdate,"
            + " o_shippriority from customer, orders, lineitem where c_mktsegment = 'BUILDING'"
            + " and c_custkey = o_custkey and l_orderkey = o_orderkey"
            + " and o_orderdate < date '1995-03-15' and l_shipdate > date '1995-03-15'"
            + " group by l_orderkey, o_orderdate, o_shippriority"
            + " order by revenue desc, o_orderdate, l_orderkey limit 10");
    QUERIES.put(
        "Q6",
        "select sum(l_extendedprice * l_discount) as revenue from lineitem"
            + " where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'"
            + " and l_discount between 0.05 and 0.07 and l_quantity < 24");
  }

  private Tables() {}

  /** Returns a row of an answer as both engines print it. */
  static String row(List<?> values) {
    return values.stream()
        .map(
            value ->
                value instanceof BigDecimal
                    ? ((BigDecimal) value).stripTrailingZeros().toPlainString()
                    : String.valueOf(value))
        .collect(Collectors.joining("|"));
  }

  /** Returns the rows of a table in {@link #SHARE} parts of an order. */
  static int rowsPerOrder(String table) {
    return table.equals("lineitem") ? 40 : table.equals("orders") ? 10 : 1;
  }
}
