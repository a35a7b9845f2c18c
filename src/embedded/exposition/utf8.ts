import { isUtf8 } from 'node:buffer'
import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import { lineEnd, syntaxErrorIn } from './cursor.ts'

/** Comment that is ignored: neither `HELP` nor `TYPE`. */
const freeComment = /^[ \t]*#(?![ \t]+(?:HELP|TYPE)[ \t])/
const linesPerBatch = 100

/**
 * Throws `invalid` for a line that is not UTF-8, except for free comments if these are exempt. `linesBefore`: number of lines before
 * `bytes`, for the line number in the error.
 */
export function* assertUtf8(
  bytes: Buffer,
  linesBefore: number,
  exempt: 'free comments' | 'nothing',
): CooperativeTask<void> {
  if (isUtf8(bytes)) return
  let number = linesBefore
  for (let start = 0; start < bytes.length;) {
    const end = lineEnd(bytes, start)
    const line = bytes.subarray(start, end)
    number += 1
    if (!isUtf8(line) && (exempt === 'nothing' || !freeComment.test(line.toString('latin1')))) {
      throw syntaxErrorIn(number, 'valid UTF-8', 'other bytes')
    }
    start = end
    if (number % linesPerBatch === 0) yield
  }
}
