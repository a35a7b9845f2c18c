import { JsonBoundsError, parseJson } from '../../../http/bodies/json.ts'
import { lengthType } from '../protobuf.ts'
import { tagOf } from '../write-batch.ts'
import { wireTypes } from './decode.ts'
import { type Field, fieldsOf, type MessageName, type Scalar } from './schema.ts'

/** Problem of a request in JSON: it is too large, or a field of it is not valid. */
export class OtlpJsonError extends Error {
  readonly isTooLarge: boolean
  constructor(message: string, isTooLarge = false) {
    super(message)
    this.isTooLarge = isTooLarge
  }
}

const maxValues = 1_000_000
const lengthBytes = 5 // reserved for the length of a message, which is known only at its end

/**
 * Converts a request in JSON to protobuf of at most `limitBytes`. Fields that are not known are left out. Throws an `OtlpJsonError`
 * for what is no request in the JSON of OTLP.
 */
export function encodeJson(body: Uint8Array, limitBytes: number): Uint8Array {
  let bytes = Buffer.alloc(Math.min(limitBytes, Math.max(1024, body.length)))
  let at = 0

  function reserve(count: number): void {
    if (at + count > limitBytes) throw new OtlpJsonError(`must be at most ${limitBytes} bytes as protobuf`, true)
    if (at + count <= bytes.length) return
    const larger = Buffer.alloc(Math.max(at + count, Math.min(limitBytes, 2 * bytes.length)))
    bytes.copy(larger)
    bytes = larger
  }

  function putVarint(value: bigint | number): void {
    reserve(10)
    let rest = BigInt.asUintN(64, BigInt(value))
    for (; rest >= 128n; rest >>= 7n) bytes[at++] = Number(rest & 127n) | 128
    bytes[at++] = Number(rest)
  }

  function putMessage(message: MessageName, value: unknown, path: string): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, 'an object')
    const fields = value as Record<string, unknown>
    for (const field of fieldsOf.get(message) ?? []) {
      const content = fields[field.name]
      if (content === undefined || content === null) continue
      const fieldPath = path === '' ? field.name : `${path}.${field.name}`
      if (!field.isRepeated) putField(field, content, fieldPath)
      else if (Array.isArray(content)) content.forEach((one, index) => putField(field, one, `${fieldPath}[${index}]`))
      else throw wrong(fieldPath, 'an array')
    }
  }

  function putField({ number, scalar, message }: Field, value: unknown, path: string): void {
    putVarint(tagOf(number, scalar === null ? lengthType : wireTypes[scalar]))
    if (scalar !== null) return putScalar(scalar, value, path)
    reserve(lengthBytes)
    const lengthPosition = at
    at += lengthBytes
    putMessage(message, value, path)
    let length = at - lengthPosition - lengthBytes
    for (let index = 0; index < lengthBytes; index += 1, length = Math.floor(length / 128)) {
      bytes[lengthPosition + index] = (length % 128) | (index < lengthBytes - 1 ? 128 : 0)
    }
  }

  function putScalar(scalar: Scalar, value: unknown, path: string): void {
    if (scalar === 'string' || scalar === 'bytes') {
      if (typeof value !== 'string') throw wrong(path, 'a text')
      const encoded = Buffer.from(value, scalar === 'bytes' ? 'base64' : 'utf8')
      putVarint(encoded.length)
      reserve(encoded.length)
      at += encoded.copy(bytes, at)
    } else if (scalar === 'bool') {
      if (typeof value !== 'boolean') throw wrong(path, 'true or false')
      putVarint(value ? 1 : 0)
    } else if (scalar === 'double') {
      reserve(8)
      at = bytes.writeDoubleLE(doubleOf(value, path), at)
    } else if (scalar === 'enum' || scalar === 'uint32') {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw wrong(path, 'a whole number')
      putVarint(value)
    } else {
      const whole = wholeOf(value, path)
      if (scalar === 'int64') return putVarint(whole)
      reserve(8)
      at = bytes.writeBigUInt64LE(BigInt.asUintN(64, whole), at)
    }
  }

  putMessage('Request', parse(body), '')
  return bytes.subarray(0, at)
}

function parse(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body), { maxValues })
  } catch (error) {
    throw new OtlpJsonError(error instanceof JsonBoundsError ? error.message : 'must be well-formed JSON in UTF-8')
  }
}

/** Integer of 64 bits, as a number or a text. */
function wholeOf(value: unknown, path: string): bigint {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value)
  throw wrong(path, 'a whole number, or a text of one')
}

function doubleOf(value: unknown, path: string): number {
  if (typeof value === 'number') return value
  if (value === 'NaN') return NaN
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN
  if (Number.isNaN(number)) throw wrong(path, 'a number')
  return number
}

function wrong(path: string, requirement: string): OtlpJsonError {
  return new OtlpJsonError(`${path === '' ? 'it' : path} must be ${requirement}`)
}
