import { snappyCompressor } from 'hysnappy'
import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import type { Label } from '../exposition/sample.ts'
import { wordsOf } from '../promql/reader.ts'
import type { OutgoingSamples } from '../store/outgoing.ts'
import type { StoredSeries } from '../store/series.ts'

/** Label that each series that is sent has: the id of its organization. */
export const organizationLabel = 'nines_organization'

/** Body of a remote write request, compressed. */
export type WriteBody = { body: Uint8Array<ArrayBuffer>; samples: number }

/** Bytes of a request before compression; a series with its samples is not divided. */
const maxBytes = 512 * 1024
const seriesPerYield = 50

let compressor: ReturnType<typeof snappyCompressor> | undefined

/**
 * Encodes the series that `isSent` chooses for remote write 1.0 (https://prometheus.io/docs/specs/prw/remote_write_spec/), as
 * one or more requests. The same samples give the same requests.
 */
export function* encodingWrites(
  { series, firstSamples, samples }: OutgoingSamples,
  isSent: (series: StoredSeries) => boolean,
): CooperativeTask<WriteBody[]> {
  const compress = (compressor ??= snappyCompressor())
  const words = wordsOf(samples.values)
  const request = new Writer()
  const message = new Writer()
  const bodies: WriteBody[] = []
  let count = 0
  const end = () => {
    if (count > 0) bodies.push({ body: new Uint8Array(compress(request.written())), samples: count })
    request.clear()
    count = 0
  }
  for (const [at, one] of series.entries()) {
    if (at % seriesPerYield === seriesPerYield - 1) yield
    if (!isSent(one)) continue
    message.clear()
    for (const label of labelsOf(one)) message.label(label)
    for (let index = firstSamples[at] ?? 0; index < (firstSamples[at + 1] ?? 0); index += 1) {
      message.sample(samples.timesMs[index] ?? 0, words[2 * index] ?? 0, words[2 * index + 1] ?? 0)
      count += 1
    }
    request.embed(seriesTag, message)
    if (request.length < maxBytes) continue
    end()
    yield
  }
  end()
  return bodies
}

/** Labels as they are sent, sorted by name. */
export function labelsOf({ labels, organizationId }: Pick<StoredSeries, 'labels' | 'organizationId'>): Label[] {
  const own = Object.entries(labels).filter(([name]) => name !== organizationLabel)
  return [...own, [organizationLabel, String(organizationId)] as Label].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Tags of fields: number and wire type. */
const [seriesTag, labelTag, samplesTag] = [0x0a, 0x0a, 0x12]
const [nameTag, valueTag] = [0x0a, 0x12]
const [doubleTag, timeTag] = [0x09, 0x10]

/** Protobuf messages of remote write. */
class Writer {
  #bytes = Buffer.allocUnsafe(64 * 1024)
  length = 0

  clear(): void {
    this.length = 0
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }

  label([name, value]: Label): void {
    const [nameBytes, valueBytes] = [Buffer.byteLength(name), Buffer.byteLength(value)]
    this.#reserve(nameBytes + valueBytes + 20)
    this.#byte(labelTag)
    this.#varint(2 + varintBytes(nameBytes) + nameBytes + varintBytes(valueBytes) + valueBytes)
    this.#text(nameTag, name, nameBytes)
    this.#text(valueTag, value, valueBytes)
  }

  /** `low`, `high`: words of the value, so that all its bits are sent. */
  sample(timeMs: number, low: number, high: number): void {
    this.#reserve(32)
    const timeBytes = timeMs < 0 ? 10 : varintBytes(timeMs)
    this.#byte(samplesTag)
    this.#byte(10 + timeBytes) // length: two tags, 8 bytes of the value, and the time
    this.#byte(doubleTag)
    this.length = this.#bytes.writeUInt32LE(low, this.length)
    this.length = this.#bytes.writeUInt32LE(high, this.length)
    this.#byte(timeTag)
    if (timeMs < 0) this.#negative(timeMs)
    else this.#varint(timeMs)
  }

  embed(tag: number, message: Writer): void {
    this.#reserve(message.length + 6)
    this.#byte(tag)
    this.#varint(message.length)
    this.#bytes.set(message.written(), this.length)
    this.length += message.length
  }

  #text(tag: number, text: string, bytes: number): void {
    this.#byte(tag)
    this.#varint(bytes)
    this.length += this.#bytes.write(text, this.length)
  }

  #byte(byte: number): void {
    this.#bytes[this.length] = byte
    this.length += 1
  }

  #varint(value: number): void {
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#byte((rest % 128) | 128)
    this.#byte(rest)
  }

  /** Two's complement of 64 bits, ten bytes long. */
  #negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value))
    for (; rest >= 128n; rest >>= 7n) this.#byte(Number(rest & 127n) | 128)
    this.#byte(Number(rest))
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.length + more))
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }
}

function varintBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes += 1
  return bytes
}
