import { snappyCompress } from 'hysnappy'

/** Labels of a series in the format of Prometheus remote write 0.1.0: see `encodeLabels`. */
export type EncodedLabels = Buffer

/** A sample at a time in milliseconds; `stale` is a staleness marker. */
export type RemoteSample = { labels: EncodedLabels; atMs: number; value: number | 'stale' }

/** Stores samples in a Prometheus by remote write. If it refuses one, throws with its error text. */
export async function remoteWrite(url: string, samples: RemoteSample[]): Promise<void> {
  const response = await fetch(`${url}/api/v1/write`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '0.1.0',
    },
    body: snappyLiteral(Buffer.concat(samples.map((sample) => field(1, timeSeries(sample))))),
  })
  if (!response.ok) throw new Error(`remote write: ${response.status} ${await response.text()}`)
}

/** A series of a request. `histograms`: number of native histograms. Version 2.0 alone has exemplars (their labels), and when it was created. */
export type WrittenSeries = {
  labels: Record<string, string> | [string, string][]
  samples?: [atMs: number, value: number | 'stale'][]
  histograms?: number
  metadata?: { type: number; help: string; unit: string }
  exemplars?: Record<string, string>[]
  createdMs?: number
}

/** Encodes labels, including `__name__`, sorted by name as Prometheus requires. */
export function encodeLabels(labels: Record<string, string>): EncodedLabels {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const pair = (texts: string[]) => Buffer.concat(texts.map((text, index) => field(index + 1, Buffer.from(text))))
  return Buffer.concat(sorted.map((texts) => field(1, pair(texts))))
}

const staleBits = 0x7ff0000000000002n // the NaN of a staleness marker

function timeSeries({ labels, atMs, value }: RemoteSample): Buffer {
  return Buffer.concat([labels, field(2, encodeSample(atMs, value))])
}

function encodeSample(atMs: number, value: number | 'stale'): Buffer {
  const double = Buffer.alloc(8)
  if (value === 'stale') double.writeBigUInt64LE(staleBits)
  else double.writeDoubleLE(value)
  return Buffer.concat([Buffer.from([(1 << 3) | 1]), double, Buffer.from([(2 << 3) | 0]), varint(atMs)])
}

/** A length-delimited protobuf field. */
export function field(number: number, payload: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(payload.length), payload])
}

export function varint(number: number): Buffer {
  const bytes: number[] = []
  let rest = number
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}

/** Snappy block format without compression: the length, then literals of up to 64 KiB. */
export function snappyLiteral(data: Buffer): Buffer {
  const parts = [varint(data.length)]
  for (let start = 0; start < data.length; start += 65_536) {
    const piece = data.subarray(start, start + 65_536)
    const header = Buffer.from([61 << 2, 0, 0]) // a literal; its length minus one is in the next two bytes
    header.writeUInt16LE(piece.length - 1, 1)
    parts.push(header, piece)
  }
  return Buffer.concat(parts)
}

/** A native histogram of one observation. */
const histogram = Buffer.concat([Buffer.from([8, 1, 25]), Buffer.alloc(8), Buffer.from([120, 1])])

/** Message of remote write 1.0, with labels in the order that is given. `metadata` of a series is that of its name. */
export function encodeVersion1(series: WrittenSeries[]): Buffer {
  const pair = ([name, value]: [string, string]) =>
    field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(value))]))
  const labelsOf = ({ labels }: WrittenSeries) => (Array.isArray(labels) ? labels : Object.entries(labels))
  return Buffer.concat(
    series.flatMap((one) => {
      const { samples = [], histograms = 0, metadata } = one
      const name = labelsOf(one).find(([label]) => label === '__name__')?.[1] ?? ''
      const parts = [
        ...labelsOf(one).map(pair),
        ...samples.map(([atMs, value]) => field(2, encodeSample(atMs, value))),
        ...Array.from({ length: histograms }, () => field(4, histogram)),
      ]
      const { type = 0, help = '', unit = '' } = metadata ?? {}
      const described = [
        Buffer.from([8, type]),
        ...[name, '', help, unit].map((text, at) => (at === 1 ? Buffer.alloc(0) : field(at + 2, Buffer.from(text)))),
      ]
      return [field(1, Buffer.concat(parts)), ...(metadata ? [field(3, Buffer.concat(described))] : [])]
    }),
  )
}

/** The value of an exemplar, 0, and its time. */
const exemplarOfZero = Buffer.concat([Buffer.from([17]), Buffer.alloc(8), Buffer.from([24]), varint(1)])

/** Message of remote write 2.0. */
export function encodeVersion2(series: WrittenSeries[]): Buffer {
  const symbols = new Map([['', 0]])
  const ref = (text: string) => symbols.getOrInsertComputed(text, () => symbols.size)
  const refsOf = (labels: WrittenSeries['labels']) =>
    field(
      1,
      Buffer.concat((Array.isArray(labels) ? labels : Object.entries(labels)).flat().map((text) => varint(ref(text)))),
    )
  const encoded = series.map(({ labels, samples = [], histograms = 0, metadata, exemplars = [], createdMs }) => {
    const { type, help, unit } = metadata ?? { type: 0, help: '', unit: '' }
    const described = [Buffer.from([8, type, 24]), varint(ref(help)), Buffer.from([32]), varint(ref(unit))]
    return field(
      5,
      Buffer.concat([
        refsOf(labels),
        ...samples.map(([atMs, value]) => field(2, encodeSample(atMs, value))),
        ...Array.from({ length: histograms }, () => field(3, histogram)),
        ...exemplars.map((of) => field(4, Buffer.concat([refsOf(of), exemplarOfZero]))),
        ...(createdMs === undefined ? [] : [Buffer.from([6 << 3]), varint(createdMs)]),
        ...(metadata ? [field(5, Buffer.concat(described))] : []),
      ]),
    )
  })
  return Buffer.concat([...symbols.keys()].map((text) => field(4, Buffer.from(text))).concat(encoded))
}

/** Headers of a request of remote write. */
export const writeHeaders = {
  1: {
    'content-type': 'application/x-protobuf',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '0.1.0',
  },
  2: {
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '2.0.0',
  },
} as const

/** Body of a request of remote write. */
export function writeBody(version: 1 | 2, series: WrittenSeries[]): Uint8Array {
  return snappyCompress(version === 1 ? encodeVersion1(series) : encodeVersion2(series))
}
