import { createLane } from '../../lane.ts'
import { tooSlow } from '../promql/budget.ts'
import { answer, type Asked, type Problem } from './answer.ts'

/** Each may hold some 600 MB until it is read to its end, and whoever reads it may be slow. */
const answersAtOnce = 4

/**
 * Answers a few questions at once; the others wait until one of these answers has been read. Either may take `timeoutMs`.
 * What is short is read at once.
 */
export function createReadings(timeoutMs: number) {
  const lane = createLane(answersAtOnce)
  return (asked: Asked, work: () => Iterable<string> | Promise<Iterable<string>>): Promise<Response | Problem> => {
    const given = Promise.withResolvers<Response | Problem>()
    const read = Promise.withResolvers<void>()
    const task = async () => {
      await answer(asked, work, { timeoutMs, ended: read.resolve }).then(given.resolve, given.reject)
      await read.promise
    }
    const refuse = () => {
      throw tooSlow()
    }
    lane.run(task, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => given.resolve(answer(asked, refuse))) // it waited too long: a task does not throw
    return given.promise
  }
}
