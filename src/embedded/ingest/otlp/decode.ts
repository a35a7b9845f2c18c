import { AppError } from '../../../errors.ts'
import { fixed64Type, lengthType, type ProtobufReader, textOf, varintType } from '../protobuf.ts'
import { tooMuch } from '../write-batch.ts'
import { type Field, fieldsByNumber, type MessageName, type Scalar } from './schema.ts'

/** Byte positions of a message in the body that is not read yet. */
export type Span = { from: number; to: number }

/** Fields of a message by their names in JSON; messages in it are spans, or read too (`deep`). */
type Shallow = Record<string, unknown>

const maxSpans = 500_000 // of a body
const maxParts = 10_000 // messages and packed values in one message that is read
const maxDepth = 32
const invalidWireType = 3 // a group: `skip` throws for it

/**
 * Creates the decoder of one body. `shallow` reads the fields of a message and leaves the messages in it unread, as spans. `deep`
 * reads these, too. Both throw `invalid` above the bounds, `too_large` for too many
 * spans.
 */
export function createDecoder(reader: ProtobufReader) {
  let spans = 0
  let parts = 0

  function readAll(message: MessageName, end: number, readMessage: (of: MessageName, end: number) => unknown): Shallow {
    const fields = fieldsByNumber.get(message)
    const found: Shallow = {}
    while (reader.at < end) {
      const tag = reader.varint(end)
      const [number, wireType] = [Math.floor(tag / 8), tag % 8]
      const field = fields?.get(number)
      if (field === undefined)
        reader.skip(number === 0 ? invalidWireType : wireType, end) // no field has the number 0
      else if (field.scalar === null) {
        if (wireType !== lengthType) throw reader.fail()
        put(found, field, readMessage(field.message, reader.lengthEnd(end)))
      } else if (field.isRepeated && wireType === lengthType) {
        for (const packedEnd = reader.lengthEnd(end); reader.at < packedEnd;) {
          count()
          put(found, field, readScalar(field.scalar, packedEnd))
        }
      } else {
        if (wireType !== wireTypes[field.scalar]) throw reader.fail()
        put(found, field, readScalar(field.scalar, end))
      }
    }
    return found
  }

  function readScalar(scalar: Scalar, end: number): unknown {
    if (scalar === 'double') return reader.double(end)
    if (scalar === 'fixed64' || scalar === 'sfixed64') {
      reader.double(end)
      const [low, high] = reader.lastWords()
      return (scalar === 'sfixed64' ? high | 0 : high) * 2 ** 32 + low
    }
    if (scalar === 'string' || scalar === 'bytes') {
      const textEnd = reader.lengthEnd(end)
      const from = reader.at
      reader.at = textEnd
      if (scalar === 'bytes') return reader.bytes.subarray(from, textEnd)
      const text = textOf(reader.bytes, from, textEnd)
      if (text === undefined) throw reader.fail()
      return text
    }
    if (scalar === 'int64') return reader.int64(end)
    const value = reader.varint(end)
    return scalar === 'bool' ? value !== 0 : value
  }

  function count(): void {
    parts += 1
    if (parts > maxParts) throw new AppError('invalid', `must have at most ${maxParts} attributes, buckets and values`)
  }

  function spanOf(_: MessageName, to: number): Span {
    const from = reader.at
    reader.at = to
    spans += 1
    if (spans > maxSpans) throw tooMuch(`${maxSpans} points`)
    return { from, to }
  }

  function nested(depth: number): (message: MessageName, end: number) => Shallow {
    return (message, end) => {
      count()
      if (depth > maxDepth) throw new AppError('invalid', `must have at most ${maxDepth} levels`)
      return readAll(message, end, nested(depth + 1))
    }
  }

  return {
    shallow(message: MessageName, { from, to }: Span): Shallow {
      reader.at = from
      parts = 0
      return readAll(message, to, spanOf)
    },
    deep<T>(message: MessageName, { from, to }: Span): T {
      reader.at = from
      parts = 0
      return readAll(message, to, nested(1)) as T
    },
  }
}

function put(into: Shallow, { name, isRepeated }: Field, value: unknown): void {
  if (!isRepeated) into[name] = value
  else if (Array.isArray(into[name])) into[name].push(value)
  else into[name] = [value]
}

/** Wire type of each scalar, as in https://protobuf.dev/programming-guides/encoding/ */
export const wireTypes: Record<Scalar, number> = {
  string: lengthType,
  bytes: lengthType,
  double: fixed64Type,
  fixed64: fixed64Type,
  sfixed64: fixed64Type,
  int64: varintType,
  uint32: varintType,
  bool: varintType,
  enum: varintType,
}
