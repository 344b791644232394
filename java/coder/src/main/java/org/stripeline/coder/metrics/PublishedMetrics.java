// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder.metrics;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.ObjectName;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;
import org.apache.hadoop.metrics2.util.MBeans;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of one part of Stripeline, published as a JMX bean and as a metrics2 source.
 *
 * <p>Each metric is an attribute of its own, a number or a text, because exporters of JMX skip maps
 * and composite values. The bean exists in every process; Hadoop's own beans of metrics2 sources
 * exist only in processes that start its metrics system, such as DataNodes.
 *
 * <p>All metrics must be added before the object is published.
 */
public final class PublishedMetrics implements DynamicMBean, MetricsSource, AutoCloseable {
  /** The end of the descriptions of metrics that count failures. */
  public static final String FAILURE_MARK = "; 0 without failures";

  private static final Logger LOG = LoggerFactory.getLogger(PublishedMetrics.class);
  private static final String SERVICE = "Stripeline";

  private final String name;
  private final String description;
  private final Map<String, Metric> metrics = new LinkedHashMap<>();
  private ObjectName bean;
  private String source;

  /**
   * Creates metrics that are not published yet.
   *
   * @param name the bean {@code Hadoop:service=Stripeline,name=<name>}; the records of metrics2 are
   *     named {@code Stripeline<name>}
   * @param description what is counted
   */
  public PublishedMetrics(String name, String description) {
    this.name = name;
    this.description = description;
  }

  /** Adds a count that only grows. */
  public PublishedMetrics counter(String metric, String meaning, LongSupplier value) {
    return add(Kind.COUNTER, Long.class, metric, meaning, value::getAsLong);
  }

  /** Adds a count that only grows, and stays 0 unless something fails. */
  public PublishedMetrics failures(String metric, String meaning, LongSupplier value) {
    return counter(metric, meaning + FAILURE_MARK, value);
  }

  /** Adds a number that can fall. */
  public PublishedMetrics gauge(String metric, String meaning, LongSupplier value) {
    return add(Kind.GAUGE, Long.class, metric, meaning, value::getAsLong);
  }

  /** Adds a state that is 1 after a failure, else 0. */
  public PublishedMetrics failureState(String metric, String meaning, Supplier<Boolean> hasFailed) {
    return gauge(metric, meaning + FAILURE_MARK, () -> hasFailed.get() ? 1 : 0);
  }

  /** Adds a fraction that can fall. */
  public PublishedMetrics fraction(String metric, String meaning, Supplier<Double> value) {
    return add(Kind.GAUGE, Double.class, metric, meaning, value);
  }

  /** Adds a text that is also a tag of the metrics2 records; it must take few values. */
  public PublishedMetrics tag(String metric, String meaning, Supplier<String> value) {
    return add(Kind.TAG, String.class, metric, meaning, value);
  }

  /** Adds a text that only the bean has. */
  public PublishedMetrics text(String metric, String meaning, Supplier<String> value) {
    return add(Kind.TEXT, String.class, metric, meaning, value);
  }

  private PublishedMetrics add(
      Kind kind, Class<?> type, String metric, String meaning, Supplier<?> value) {
    metrics.put(metric, new Metric(kind, type, Interns.info(metric, meaning), value));
    return this;
  }

  /** Publishes the bean and the source {@code Stripeline<name>}. */
  public PublishedMetrics publish() {
    return publish(Collections.emptyMap(), "");
  }

  /**
   * Publishes one of several beans and sources of a process. A failure is only logged, because
   * metrics must not stop reads and writes.
   *
   * @param properties further properties of the bean's name, without colons
   * @param suffix end of the source's name, which must be unique in the process; its colons are
   *     replaced, because Hadoop names a bean after the source
   */
  public synchronized PublishedMetrics publish(Map<String, String> properties, String suffix) {
    try {
      bean = MBeans.register(SERVICE, name, properties, this);
      String unique = record() + suffix.replace(':', '-');
      DefaultMetricsSystem.instance().register(unique, description, this);
      source = unique;
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Cannot publish metrics of {}; work continues without them", record(), e);
    }
    return this;
  }

  /** Withdraws the bean and the source. */
  @Override
  public synchronized void close() {
    if (bean != null) {
      MBeans.unregister(bean);
      bean = null;
    }
    if (source != null) {
      DefaultMetricsSystem.instance().unregisterSource(source);
      source = null;
    }
  }

  private String record() {
    return SERVICE + name;
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder record = collector.addRecord(record()).setContext("stripeline");
    metrics.values().forEach(metric -> metric.addTo(record));
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    Metric metric = metrics.get(attribute);
    if (metric == null) {
      throw new AttributeNotFoundException(record() + " has no attribute " + attribute);
    }
    return metric.value.get();
  }

  @Override
  public AttributeList getAttributes(String[] attributes) {
    AttributeList values = new AttributeList();
    for (String attribute : attributes) {
      Metric metric = metrics.get(attribute);
      if (metric != null) {
        values.add(new Attribute(attribute, metric.value.get()));
      }
    }
    return values;
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException(
        "Cannot set " + attribute.getName() + " of " + record() + ": metrics are read-only");
  }

  @Override
  public AttributeList setAttributes(AttributeList attributes) {
    return new AttributeList();
  }

  @Override
  public Object invoke(String action, Object[] parameters, String[] signature) {
    throw new UnsupportedOperationException(record() + " has no operation " + action);
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    List<MBeanAttributeInfo> attributes = new ArrayList<>();
    for (Metric metric : metrics.values()) {
      attributes.add(
          new MBeanAttributeInfo(
              metric.info.name(),
              metric.type.getName(),
              metric.info.description(),
              true,
              false,
              false));
    }
    return new MBeanInfo(
        PublishedMetrics.class.getName(),
        description,
        attributes.toArray(new MBeanAttributeInfo[0]),
        null,
        null,
        null);
  }

  private enum Kind {
    COUNTER,
    GAUGE,
    TAG,
    TEXT
  }

  private static final class Metric {
    final Kind kind;
    final Class<?> type;
    final MetricsInfo info;
    final Supplier<?> value;

    Metric(Kind kind, Class<?> type, MetricsInfo info, Supplier<?> value) {
      this.kind = kind;
      this.type = type;
      this.info = info;
      this.value = value;
    }

    void addTo(MetricsRecordBuilder record) {
      Object current = kind == Kind.TEXT ? null : value.get();
      if (kind == Kind.COUNTER) {
        record.addCounter(info, (Long) current);
      } else if (kind == Kind.GAUGE && type == Double.class) {
        record.addGauge(info, (Double) current);
      } else if (kind == Kind.GAUGE) {
        record.addGauge(info, (Long) current);
      } else if (kind == Kind.TAG) {
        record.tag(info, (String) current);
      }
    }
  }
}
