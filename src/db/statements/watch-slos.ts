import type { SqliteStatement } from 'kysely'
import type { Connection } from '../sqlite.ts'

/** Which SLOs the connection that writes may have changed something of: themselves, their states, evaluations and buckets. */
export type SloChanges = {
  /** For `since`; to be taken before anything is read. */
  position(): number
  /** The ids of the SLOs that were written to since then, even where that was rolled back; null: any may have changed. */
  since(position: number): ReadonlySet<number> | null
}

type Values = readonly unknown[]
/** Notes what a statement with these values is about to write. */
type Noter = (values: Values) => void

const maxNoted = 100_000
const ofRows = /^\/\* slo_id is the first of each (\d+) values \*\//
const ofOne = /^update "slos" set [^()]* where "organization_id" = \? and "id" = \?(?: returning \*)?$/
const ofNew = /^insert into "slos" \([^()]*\) values \([?, ]*\)(?: returning \*)?$/
const verb = String.raw`\b(?:insert(?:\s+or\s+\w+)?\s+into|replace\s+into|update(?:\s+or\s+\w+)?|delete\s+from)\s+`
const ofAny = new RegExp(`${verb}"?(?:slos|slo_states|evaluations|buckets)\\b`, 'i')
const ofOrganization = /\bdelete\s+from\s+"?organizations\b/i // its SLOs go with it

/** Begins a statement over rows whose first value is the id of the SLO that is written to: nothing of another one is. */
export function ofSlos(values: string): string {
  const each = values.slice(0, values.indexOf(')')).split('?').length - 1
  return `/* slo_id is the first of each ${each} values */`
}

/**
 * Notes what statements of the connection that writes change, which is read off their text: one that does not say of which SLOs
 * its rows are may have changed any. `watched` gives a statement that notes, or the one it was given.
 */
export function watchSlos(connection: Connection): SloChanges & {
  watched(sql: string, statement: SqliteStatement): SqliteStatement
} {
  const ofOthers = connection.prepare<[], number>('pragma data_version').pluck()
  let versionOfOthers = ofOthers.get()
  let noted: number[] = []
  let first = 0 // the position of the first that is noted
  let committed = 0 // what is noted from there on may not be committed yet

  function noteAny(): void {
    first += noted.length + 1 // no position from before is known
    noted = []
  }

  function note(id: number): void {
    if (noted.at(-1) === id && committed < first + noted.length) return // rows of one SLO come together
    if (noted.length >= maxNoted) noteAny()
    noted.push(id)
  }

  function noterOf(sql: string): Noter | null {
    const each = Number(ofRows.exec(sql)?.[1] ?? 0)
    if (each > 0) {
      return (values) => {
        for (let at = 0; at < values.length; at += each) note(Number(values[at]))
      }
    }
    if (ofOne.test(sql)) return (values) => note(Number(values.at(-1)))
    if (ofNew.test(sql)) return () => note(0) // nobody has read of it
    return ofAny.test(sql) || ofOrganization.test(sql) ? noteAny : null
  }

  return {
    position() {
      if (!connection.inTransaction) committed = first + noted.length
      return committed
    },
    since(position) {
      if (connection.inTransaction) return null // it may not see yet what another process has committed
      const version = ofOthers.get()
      if (version !== versionOfOthers) noteAny()
      versionOfOthers = version
      return position < first ? null : new Set(noted.slice(position - first))
    },
    watched(sql, statement) {
      const noter = noterOf(sql)
      if (!noter) return statement
      const noting =
        <T>(use: (values: Values) => T) =>
        (values: Values): T => {
          noter(values)
          return use(values)
        }
      return {
        reader: statement.reader,
        run: noting((values) => statement.run(values)),
        all: noting((values) => statement.all(values)),
        iterate: noting((values) => statement.iterate(values)),
      }
    },
  }
}
