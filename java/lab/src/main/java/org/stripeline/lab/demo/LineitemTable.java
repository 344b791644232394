// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.util.HadoopStreams;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

/**
 * A table like {@code lineitem} of TPC-H, written and queried by the Parquet library itself.
 *
 * <p>The only class of the demo that needs Parquet on the class path. Pages are not compressed:
 * the codecs would bring native libraries of their own, which a demo of a native library should
 * not trip over.
 */
final class LineitemTable {

  private static final String SCHEMA_TEXT =
      "message lineitem {"
          + "required int64 l_orderkey; required int64 l_partkey; required int64 l_suppkey;"
          + "required int32 l_linenumber; required int64 l_quantity (DECIMAL(15,2));"
          + "required int64 l_extendedprice (DECIMAL(15,2));"
          + "required int64 l_discount (DECIMAL(15,2)); required int64 l_tax (DECIMAL(15,2));"
          + "required binary l_returnflag (UTF8); required binary l_linestatus (UTF8);"
          + "required int32 l_shipdate (DATE); required int32 l_commitdate (DATE);"
          + "required int32 l_receiptdate (DATE); required binary l_shipinstruct (UTF8);"
          + "required binary l_shipmode (UTF8); required binary l_comment (UTF8); }";
  private static final String QUERY_SCHEMA_TEXT =
      "message lineitem {"
          + "required int64 l_quantity (DECIMAL(15,2));"
          + "required int64 l_extendedprice (DECIMAL(15,2));"
          + "required int64 l_discount (DECIMAL(15,2)); required int32 l_shipdate (DATE); }";
  private static final long SEED = 6;
  private static final int FIRST_SHIP_DAY = 8036; // 1992-01-02, days since 1970
  private static final int SHIP_DAYS = 2526; // up to 1998-12-01
  private static final int YEAR_1994_FIRST_DAY = 8766;
  private static final int YEAR_1995_FIRST_DAY = 9131;
  private static final long ROW_GROUP_BYTES = 16L << 20;
  private static final int ROWS_BETWEEN_SIZE_CHECKS = 1000;

  private LineitemTable() {}

  /** Row count and the answer of TPC-H query 6: what a reader must find again. */
  static final class Summary {
    private long rows;
    private long revenue;

    private void add(long quantity, long price, long discount, int shipDay) {
      rows++;
      if (shipDay >= YEAR_1994_FIRST_DAY
          && shipDay < YEAR_1995_FIRST_DAY
          && discount >= 5
          && discount <= 7
          && quantity < 2400) {
        revenue += price * discount;
      }
    }

    long rows() {
      return rows;
    }

    /** Sum of price times discount, in units of 0.0001. */
    long revenue() {
      return revenue;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Summary
          && rows == ((Summary) other).rows
          && revenue == ((Summary) other).revenue;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(31 * rows + revenue);
    }

    @Override
    public String toString() {
      return String.format("%,d rows, Q6 revenue %,.2f", rows, revenue / 10_000.0);
    }
  }

  /** Writes rows until the file is about {@code bytes} long. The same size gives the same file. */
  static Summary write(java.nio.file.Path file, long bytes, LongConsumer written)
      throws IOException {
    Summary summary = new Summary();
    RowMaker rows = new RowMaker();
    try (ParquetWriter<Row> writer =
        new RowWriterBuilder(new LocalOutputFile(file))
            .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
            .withRowGroupSize(ROW_GROUP_BYTES)
            .build()) {
      long before = 0;
      while (writer.getDataSize() < bytes) {
        for (int i = 0; i < ROWS_BETWEEN_SIZE_CHECKS; i++) {
          Row row = rows.next();
          writer.write(row);
          summary.add(row.quantity, row.price, row.discount, row.shipDay);
        }
        written.accept(Math.max(0, writer.getDataSize() - before));
        before = Math.max(before, writer.getDataSize());
      }
    }
    return summary;
  }

  /** Runs query 6 with the four columns that it needs: positioned reads, as engines do. */
  static Summary query(FileSystem fs, Path file) throws IOException {
    return query(new HdfsFile(fs, file));
  }

  private static Summary query(InputFile file) throws IOException {
    MessageType wanted = MessageTypeParser.parseMessageType(QUERY_SCHEMA_TEXT);
    Summary summary = new Summary();
    try (ParquetFileReader reader = ParquetFileReader.open(file)) {
      MessageType stored = reader.getFileMetaData().getSchema();
      reader.setRequestedSchema(wanted);
      MessageColumnIO columns = new ColumnIOFactory().getColumnIO(wanted, stored);
      for (PageReadStore pages = reader.readNextRowGroup();
          pages != null;
          pages = reader.readNextRowGroup()) {
        RecordReader<Group> records =
            columns.getRecordReader(pages, new GroupRecordConverter(wanted));
        for (long i = 0; i < pages.getRowCount(); i++) {
          Group row = records.read();
          summary.add(
              row.getLong(0, 0), row.getLong(1, 0), row.getLong(2, 0), row.getInteger(3, 0));
        }
      }
    }
    return summary;
  }

  /** A file of one given file system; Parquet's own class would open another one for it. */
  private static final class HdfsFile implements InputFile {
    private final FileSystem fs;
    private final Path path;

    HdfsFile(FileSystem fs, Path path) {
      this.fs = fs;
      this.path = path;
    }

    @Override
    public long getLength() throws IOException {
      return fs.getFileStatus(path).getLen();
    }

    @Override
    public SeekableInputStream newStream() throws IOException {
      return HadoopStreams.wrap(fs.open(path));
    }
  }

  /** One line item; amounts in hundredths, days since 1970. */
  private static final class Row {
    long order;
    long part;
    long supplier;
    int line;
    long quantity;
    long price;
    long discount;
    long tax;
    int shipDay;
    int commitDay;
    int receiptDay;
    Binary returnFlag;
    Binary status;
    Binary instruct;
    Binary mode;
    Binary comment;
  }

  private static final class RowMaker {
    private static final Binary[] FLAGS = texts("R", "A", "N");
    private static final Binary[] STATUS = texts("O", "F");
    private static final Binary[] INSTRUCT =
        texts("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN");
    private static final Binary[] MODES =
        texts("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB");

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final WordText words = new WordText(SEED);
    private final Row row = new Row();
    private int linesLeft;

    Row next() {
      if (linesLeft == 0) {
        linesLeft = 1 + random.nextInt(7);
        row.order += 1 + random.nextInt(4);
        row.line = 0;
      }
      linesLeft--;
      row.line++;
      row.part = 1 + random.nextInt(200_000);
      row.supplier = 1 + random.nextInt(10_000);
      int pieces = 1 + random.nextInt(50);
      row.quantity = pieces * 100L;
      row.price = pieces * (90_000 + row.part % 100_000);
      row.discount = random.nextInt(11);
      row.tax = random.nextInt(9);
      row.shipDay = FIRST_SHIP_DAY + random.nextInt(SHIP_DAYS);
      row.commitDay = row.shipDay - 30 + random.nextInt(90);
      row.receiptDay = row.shipDay + 1 + random.nextInt(30);
      row.returnFlag = FLAGS[random.nextInt(FLAGS.length)];
      row.status = STATUS[random.nextInt(STATUS.length)];
      row.instruct = INSTRUCT[random.nextInt(INSTRUCT.length)];
      row.mode = MODES[random.nextInt(MODES.length)];
      row.comment =
          Binary.fromConstantByteArray(
              words.phrase(10 + random.nextInt(27)).getBytes(StandardCharsets.US_ASCII));
      return row;
    }

    private static Binary[] texts(String... values) {
      Binary[] all = new Binary[values.length];
      for (int i = 0; i < values.length; i++) {
        all[i] = Binary.fromString(values[i]);
      }
      return all;
    }
  }

  private static final class RowWriterBuilder
      extends ParquetWriter.Builder<Row, RowWriterBuilder> {
    RowWriterBuilder(OutputFile file) {
      super(file);
    }

    @Override
    protected RowWriterBuilder self() {
      return this;
    }

    @Override
    @SuppressWarnings("deprecation") // abstract in the base class all the same
    protected WriteSupport<Row> getWriteSupport(Configuration conf) {
      return new RowWriteSupport();
    }
  }

  private static final class RowWriteSupport extends WriteSupport<Row> {
    private static final MessageType SCHEMA = MessageTypeParser.parseMessageType(SCHEMA_TEXT);
    private RecordConsumer out;
    private int column;

    @Override
    @SuppressWarnings("deprecation") // abstract in the base class all the same
    public WriteContext init(Configuration configuration) {
      return new WriteContext(SCHEMA, new HashMap<>());
    }

    @Override
    public void prepareForWrite(RecordConsumer recordConsumer) {
      out = recordConsumer;
    }

    @Override
    public void write(Row row) {
      column = 0;
      out.startMessage();
      add(row.order);
      add(row.part);
      add(row.supplier);
      add(row.line);
      add(row.quantity);
      add(row.price);
      add(row.discount);
      add(row.tax);
      add(row.returnFlag);
      add(row.status);
      add(row.shipDay);
      add(row.commitDay);
      add(row.receiptDay);
      add(row.instruct);
      add(row.mode);
      add(row.comment);
      out.endMessage();
    }

    private void add(long value) {
      String name = SCHEMA.getFieldName(column);
      out.startField(name, column);
      out.addLong(value);
      out.endField(name, column++);
    }

    private void add(int value) {
      String name = SCHEMA.getFieldName(column);
      out.startField(name, column);
      out.addInteger(value);
      out.endField(name, column++);
    }

    private void add(Binary value) {
      String name = SCHEMA.getFieldName(column);
      out.startField(name, column);
      out.addBinary(value);
      out.endField(name, column++);
    }
  }
}
