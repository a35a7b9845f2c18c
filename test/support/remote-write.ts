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

/** Encodes labels, including `__name__`, sorted by name as Prometheus requires. */
export function encodeLabels(labels: Record<string, string>): EncodedLabels {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const pair = (texts: string[]) => Buffer.concat(texts.map((text, index) => field(index + 1, Buffer.from(text))))
  return Buffer.concat(sorted.map((texts) => field(1, pair(texts))))
}

const staleBits = 0x7ff0000000000002n // the NaN of a staleness marker

function timeSeries({ labels, atMs, value }: RemoteSample): Buffer {
  const double = Buffer.alloc(8)
  if (value === 'stale') double.writeBigUInt64LE(staleBits)
  else double.writeDoubleLE(value)
  const sample = Buffer.concat([Buffer.from([(1 << 3) | 1]), double, Buffer.from([(2 << 3) | 0]), varint(atMs)])
  return Buffer.concat([labels, field(2, sample)])
}

/** A length-delimited protobuf field. */
function field(number: number, payload: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(payload.length), payload])
}

function varint(number: number): Buffer {
  const bytes: number[] = []
  let rest = number
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}

/** Snappy block format without compression: the length, then literals of up to 64 KiB. */
function snappyLiteral(data: Buffer): Buffer {
  const parts = [varint(data.length)]
  for (let start = 0; start < data.length; start += 65_536) {
    const piece = data.subarray(start, start + 65_536)
    const header = Buffer.from([61 << 2, 0, 0]) // a literal; its length minus one is in the next two bytes
    header.writeUInt16LE(piece.length - 1, 1)
    parts.push(header, piece)
  }
  return Buffer.concat(parts)
}
