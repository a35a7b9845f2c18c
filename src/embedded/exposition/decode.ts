import { isUtf8 } from 'node:buffer'
import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import { refusedLine } from './cursor.ts'

const newline = 10
const freeComment = /^[ \t]*#(?![ \t]+(?:HELP|TYPE)[ \t])/

/** Decodes bytes, which must be UTF-8, except in free comments if these are exempt. */
export function* decodingUtf8(
  bytes: Buffer,
  linesBefore: number,
  exempt: 'free comments' | 'nothing',
): CooperativeTask<string> {
  if (!isUtf8(bytes)) yield* refuseInvalidLines(bytes, linesBefore, exempt)
  return bytes.toString('utf8')
}

const linesPerBatch = 100

function* refuseInvalidLines(
  bytes: Buffer,
  linesBefore: number,
  exempt: 'free comments' | 'nothing',
): CooperativeTask<void> {
  let number = linesBefore
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(newline, start)
    const end = found < 0 ? bytes.length : found
    const line = bytes.subarray(start, end)
    number += 1
    if (!isUtf8(line) && (exempt === 'nothing' || !freeComment.test(line.toString('latin1')))) {
      throw refusedLine(number, 'valid UTF-8', 'other bytes')
    }
    start = end + 1
    if (number % linesPerBatch === 0) yield
  }
}
