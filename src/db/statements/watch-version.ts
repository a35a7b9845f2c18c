import type { Connection } from '../sqlite.ts'

/**
 * `now` is another number than before once any connection has committed something: what `reader` reads may be another. SQLite is
 * asked once in a turn of the event loop, so that commits of other processes show in the next one, and again after `forget`,
 * which is to be called after each use of the connection that writes. `uses`: how often it was.
 */
export function watchVersion(reader: Connection): { now(): number; uses(): number; forget(): void } {
  const statement = reader.prepare<[], number>('pragma data_version').pluck()
  let known: number | undefined
  let uses = 0
  const forget = () => {
    uses += 1
    known = undefined
  }
  return {
    now() {
      if (known !== undefined) return known
      setImmediate(() => (known = undefined))
      return (known = statement.get() ?? 0)
    },
    uses: () => uses,
    forget,
  }
}
