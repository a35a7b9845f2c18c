import type { AppError } from '../../errors.ts'
import { malformed } from './malformed.ts'

/** Wire types of protobuf: https://protobuf.dev/programming-guides/encoding/ */
export const [varintType, fixed64Type, lengthType, fixed32Type] = [0, 1, 2, 5] as const

const maxVarintBytes = 10 // of 7 bits each; of the last byte only the lowest bit counts

/**
 * Reads protobuf from `at` on. `end`: end of the message that contains the value; all functions throw `invalid` for a value that goes
 * beyond it.
 */
export class ProtobufReader {
  readonly bytes: Buffer
  readonly #view: DataView
  /** Error for a body that cannot be read. */
  readonly fail: () => AppError
  at = 0

  constructor({ buffer, byteOffset, byteLength }: Uint8Array, fail = notProtobuf) {
    this.fail = fail
    this.bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
    this.#view = new DataView(buffer, byteOffset, byteLength)
  }

  /** Unsigned integer of up to 64 bits, exact up to 53. */
  varint(end: number): number {
    let value = 0
    for (let scale = 1, count = 0; count < maxVarintBytes; scale *= 128, count += 1) {
      if (this.at >= end) throw this.fail()
      const byte = this.bytes[this.at] ?? 0
      this.at += 1
      if (byte < 128) return value + byte * scale
      value += (byte & 127) * scale
    }
    throw this.fail()
  }

  /** Signed integer of 64 bits, exact up to 53. */
  int64(end: number): number {
    const from = this.at
    const value = this.varint(end)
    const last = maxVarintBytes - 1
    if (this.at - from < maxVarintBytes || ((this.bytes[from + last] ?? 0) & 1) === 0) return value
    // the complement is exact, while `value`, near 2 ** 64, has lost its lowest bits
    let complement = 0
    for (let at = 0; at <= last; at += 1)
      complement += (~(this.bytes[from + at] ?? 0) & (at < last ? 127 : 1)) * 128 ** at
    return -1 - complement
  }

  double(end: number): number {
    if (this.at + 8 > end) throw this.fail()
    this.at += 8
    return this.#view.getFloat64(this.at - 8, true)
  }

  /** Words of the double that was read last, the low word first. */
  lastWords(): [number, number] {
    return [this.#view.getUint32(this.at - 8, true), this.#view.getUint32(this.at - 4, true)]
  }

  /** Reads the length of a message or text, and gives its end. */
  lengthEnd(end: number): number {
    const length = this.varint(end)
    if (length > end - this.at) throw this.fail()
    return this.at + length
  }

  /** Skips the value of a field. */
  skip(wireType: number, end: number): void {
    if (wireType === varintType) this.varint(end)
    else if (wireType === lengthType) this.at = this.lengthEnd(end)
    else if (wireType === fixed64Type) this.at += 8
    else if (wireType === fixed32Type) this.at += 4
    else throw this.fail()
    if (this.at > end) throw this.fail()
  }
}

function notProtobuf() {
  return malformed('body: must be a protobuf message of the type that Content-Type names, sent whole')
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Text of bytes; undefined if they are not UTF-8. */
export function textOf(bytes: Buffer, from: number, to: number): string | undefined {
  try {
    return decoder.decode(bytes.subarray(from, to))
  } catch {
    return undefined
  }
}
