// SPDX-License-Identifier: Apache-2.0
// sender.mjs URL json|proto|grpc ROUNDS: sends ROUNDS requests each of metrics, spans and log lines with OpenTelemetry's exporters. An export that
// fails is repeated with the same data, as a Collector does. Prints "sent N" after each round.
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtoLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as GrpcMetrics } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtoMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { Resource } from '@opentelemetry/resources';
import { LoggerProvider } from '@opentelemetry/sdk-logs';
import { AggregationTemporality, ExponentialHistogramAggregation, MeterProvider, MetricReader, View } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';

const [url, encoding, rounds] = process.argv.slice(2);
const kinds = {
  json: [JsonMetrics, JsonTraces, JsonLogs],
  proto: [ProtoMetrics, ProtoTraces, ProtoLogs],
  grpc: [GrpcMetrics, GrpcTraces, GrpcLogs],
};
const [Metrics, Traces, Logs] = kinds[encoding];
const options = (path) => ({
  url: encoding === 'grpc' ? url : url + path,
  compression: encoding === 'json' ? 'none' : 'gzip',
  timeoutMillis: 5000,
});
const exporters = {
  metrics: new Metrics(options('/v1/metrics')),
  traces: new Traces(options('/v1/traces')),
  logs: new Logs(options('/v1/logs')),
};
const resource = new Resource({ 'service.name': 'exporters', 'host.name': 'node-1', 'runglass.run': 'otel', rank: 2 });

class Reader extends MetricReader {
  constructor(temporality) {
    super({ aggregationTemporalitySelector: () => temporality });
  }
  async onForceFlush() {}
  async onShutdown() {}
}
const readers = [new Reader(AggregationTemporality.DELTA), new Reader(AggregationTemporality.CUMULATIVE)];
const meters = readers.map((reader) => new MeterProvider({
  resource,
  readers: [reader],
  views: [new View({ instrumentName: 'exponential', aggregation: new ExponentialHistogramAggregation() })],
}));
const instruments = meters.map((provider, i) => {
  const meter = provider.getMeter('m');
  const name = i === 0 ? 'delta' : 'cumulative';
  return { counter: meter.createCounter(name), histogram: meter.createHistogram(i === 0 ? 'exponential' : 'explicit', { unit: 's' }) };
});

let spans = [], records = [];
const tracer = new BasicTracerProvider({
  resource,
  spanProcessors: [{ onStart() {}, onEnd: (span) => spans.push(span), async forceFlush() {}, async shutdown() {} }],
}).getTracer('t');
const logger = new LoggerProvider({ resource });
logger.addLogRecordProcessor({ onEmit: (record) => records.push(record), async forceFlush() {}, async shutdown() {} });

async function deliver(exporter, data) {
  for (;;) {
    const result = await new Promise((done) => exporter.export(data, done));
    if (result.code === 0) return;
    await new Promise((wait) => setTimeout(wait, 50));
  }
}

for (let i = 1; i <= Number(rounds); ++i) {
  for (const { counter, histogram } of instruments) counter.add(1), histogram.record(0.25 * (1 + (i % 4)));
  for (let n = 0; n < 5; ++n) tracer.startSpan(`${n % 2 === 0 ? 'rollout' : 'train'} ${i}.${n}`).end();
  logger.getLogger('l').emit({ severityNumber: 13, body: `line ${i}`, attributes: { round: i } });
  for (const reader of readers) await deliver(exporters.metrics, (await reader.collect()).resourceMetrics);
  await deliver(exporters.traces, spans.splice(0));
  await deliver(exporters.logs, records.splice(0));
  process.stdout.write(`sent ${i}\n`);
  await new Promise((wait) => setTimeout(wait, 2));
}
