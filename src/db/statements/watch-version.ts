import type { Connection } from '../sqlite.ts'

/**
 * `now` changes once any connection has committed something: `reader` may then read something else. SQLite is queried once per
 * turn of the event loop, so that commits of other processes show in the next one, and again after `forget`, which must be
 * called after each use of the writing connection. `uses`: number of those calls.
 */
export function watchVersion(reader: Connection): { now(): number; uses(): number; forget(): void } {
  const statement = reader.prepare<[], number>('pragma data_version').pluck()
  let lastVersion: number | undefined
  let uses = 0
  const invalidate = () => {
    uses += 1
    lastVersion = undefined
  }
  return {
    now() {
      if (lastVersion !== undefined) return lastVersion
      setImmediate(() => (lastVersion = undefined))
      return (lastVersion = statement.get() ?? 0)
    },
    uses: () => uses,
    forget: invalidate,
  }
}
