/** Types of scalar fields that are read. `enum` and `uint32` are varints. */
export type Scalar = 'string' | 'bytes' | 'double' | 'fixed64' | 'sfixed64' | 'int64' | 'uint32' | 'bool' | 'enum'

/** Field of a message. `message`: name of the message that it holds, for `scalar: null`. */
export type Field = {
  name: string
  number: number
  isRepeated: boolean
  scalar: Scalar | null
  message: MessageName
}

/**
 * Messages of OTLP metrics, as far as nines reads them: number and type of each field by its name in JSON; `*`: repeated. Everything
 * else is ignored, exemplars among it. https://github.com/open-telemetry/opentelemetry-proto, version 1
 */
const definitions = {
  Request: { resourceMetrics: '1 ResourceMetrics*' },
  ResourceMetrics: { resource: '1 Resource', scopeMetrics: '2 ScopeMetrics*' },
  Resource: { attributes: '1 KeyValue*' },
  ScopeMetrics: { metrics: '2 Metric*' },
  Metric: {
    name: '1 string',
    description: '2 string',
    unit: '3 string',
    gauge: '5 Numbers',
    sum: '7 Numbers',
    histogram: '9 Histograms',
    exponentialHistogram: '10 Exponentials',
    summary: '11 Summaries',
  },
  Numbers: { dataPoints: '1 NumberPoint*', aggregationTemporality: '2 enum', isMonotonic: '3 bool' },
  Histograms: { dataPoints: '1 HistogramPoint*', aggregationTemporality: '2 enum' },
  Exponentials: { dataPoints: '1 ExponentialPoint*' },
  Summaries: { dataPoints: '1 SummaryPoint*' },
  NumberPoint: {
    attributes: '7 KeyValue*',
    startTimeUnixNano: '2 fixed64',
    timeUnixNano: '3 fixed64',
    asDouble: '4 double',
    asInt: '6 sfixed64',
    flags: '8 uint32',
  },
  HistogramPoint: {
    attributes: '9 KeyValue*',
    startTimeUnixNano: '2 fixed64',
    timeUnixNano: '3 fixed64',
    count: '4 fixed64',
    sum: '5 double',
    bucketCounts: '6 fixed64*',
    explicitBounds: '7 double*',
    flags: '10 uint32',
  },
  ExponentialPoint: { attributes: '1 KeyValue*' },
  SummaryPoint: {
    attributes: '7 KeyValue*',
    startTimeUnixNano: '2 fixed64',
    timeUnixNano: '3 fixed64',
    count: '4 fixed64',
    sum: '5 double',
    quantileValues: '6 Quantile*',
    flags: '8 uint32',
  },
  Quantile: { quantile: '1 double', value: '2 double' },
  KeyValue: { key: '1 string', value: '2 AnyValue' },
  AnyValue: {
    stringValue: '1 string',
    boolValue: '2 bool',
    intValue: '3 int64',
    doubleValue: '4 double',
    arrayValue: '5 ArrayValue',
    kvlistValue: '6 KeyValueList',
    bytesValue: '7 bytes',
  },
  ArrayValue: { values: '1 AnyValue*' },
  KeyValueList: { values: '1 KeyValue*' },
} as const

export type MessageName = keyof typeof definitions

/** Fields of each message, in the order in which they are written. */
export const fieldsOf = new Map(
  Object.entries(definitions).map(([message, fields]) => [message as MessageName, Object.entries(fields).map(fieldOf)]),
)

/** Fields of each message by their numbers. */
export const fieldsByNumber = new Map(
  [...fieldsOf].map(([message, fields]) => [message, new Map(fields.map((field) => [field.number, field]))]),
)

function fieldOf([name, text]: [string, string]): Field {
  const [number = '', type = ''] = text.split(' ')
  const typeName = type.replace('*', '')
  const isMessage = Object.hasOwn(definitions, typeName)
  return {
    name,
    number: Number(number),
    isRepeated: type.endsWith('*'),
    scalar: isMessage ? null : (typeName as Scalar),
    message: typeName as MessageName,
  }
}

/** Fields that all points have. Times are nanoseconds since 1970; absent: 0. */
type Point = { attributes?: KeyValue[]; startTimeUnixNano?: number; timeUnixNano?: number; flags?: number }
export type NumberPoint = Point & { asDouble?: number; asInt?: number }
export type HistogramPoint = Point & {
  count?: number
  sum?: number
  bucketCounts?: number[]
  explicitBounds?: number[]
}
export type SummaryPoint = Point & {
  count?: number
  sum?: number
  quantileValues?: { quantile?: number; value?: number }[]
}
export type AnyPoint = NumberPoint & HistogramPoint & SummaryPoint
export type KeyValue = { key?: string; value?: AnyValue }
export type AnyValue = {
  stringValue?: string
  boolValue?: boolean
  intValue?: number
  doubleValue?: number
  arrayValue?: { values?: AnyValue[] }
  kvlistValue?: { values?: KeyValue[] }
  bytesValue?: Uint8Array
}
