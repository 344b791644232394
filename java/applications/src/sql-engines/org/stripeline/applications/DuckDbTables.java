// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Prints the answers to all queries by DuckDB over the tables as Parquet files. */
public final class DuckDbTables {
  private DuckDbTables() {}

  /** Runs with: the local directory of the tables. Prints the name of each query, then its rows. */
  public static void main(String[] arguments) throws SQLException {
    try (Connection duckDb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckDb.createStatement()) {
      for (String table : Tables.DEFINITIONS.keySet()) {
        statement.execute(
            "create view "
                + table
                + " as select * from read_parquet('"
                + arguments[0]
                + "/"
                + table
                + "/*.parquet')");
      }
      for (Map.Entry<String, String> query : Tables.QUERIES.entrySet()) {
        System.out.println("query " + query.getKey());
        try (ResultSet answer = statement.executeQuery(query.getValue())) {
          while (answer.next()) {
            List<Object> values = new ArrayList<>();
            for (int column = 1; column <= answer.getMetaData().getColumnCount(); column++) {
              values.add(answer.getObject(column));
            }
            System.out.println("row " + Tables.row(values));
          }
        }
      }
    }
  }
}
