import type { SqliteStatement } from 'kysely'
import type { Connection } from '../sqlite.ts'

/** Tracks SLOs of which the writing connection may have changed something: SLOs, states, evaluations and buckets. */
export type SloChanges = {
  /** Argument for `since`; take it before reading anything. */
  position(): number
  /** Ids of the SLOs that were written to since then, also if that was rolled back; null: any may have changed. */
  since(position: number): ReadonlySet<number> | null
}

type Values = readonly unknown[]
/** Notes the SLOs that a statement with these values is about to write to. */
type Noter = (values: Values) => void

const maxNoted = 100_000
const ofRows = /^\/\* slo_id is the first of each (\d+) values \*\//
const ofOne = /^update "slos" set [^()]* where "organization_id" = \? and "id" = \?(?: returning \*)?$/
const ofNew = /^insert into "slos" \([^()]*\) values \([?, ]*\)(?: returning \*)?$/
const verb = String.raw`\b(?:insert(?:\s+or\s+\w+)?\s+into|replace\s+into|update(?:\s+or\s+\w+)?|delete\s+from)\s+`
const ofAny = new RegExp(`${verb}"?(?:slos|slo_states|evaluations|buckets)\\b`, 'i')
const ofOrganization = /\bdelete\s+from\s+"?organizations\b/i // deletes its SLOs too

/** Prefix of a statement over rows whose first value is the id of the SLO written to; it must not write to another SLO. */
export function sloWritePrefix(values: string): string {
  const each = values.slice(0, values.indexOf(')')).split('?').length - 1
  return `/* slo_id is the first of each ${each} values */`
}

/**
 * Notes which SLOs the statements of the writing connection change, derived from their text: a statement that does not show the
 * SLOs of its rows may have changed any. `watched` returns a statement that notes, or the given one if it changes none.
 */
export function watchSlos(connection: Connection): SloChanges & {
  watched(sql: string, statement: SqliteStatement): SqliteStatement
} {
  const ofOthers = connection.prepare<[], number>('pragma data_version').pluck()
  let versionOfOthers = ofOthers.get()
  let noted: number[] = []
  let first = 0 // position of the first noted id
  let committed = 0 // ids from this position on may not be committed yet

  function noteAny(): void {
    first += noted.length + 1 // invalidates all earlier positions
    noted = []
  }

  function note(id: number): void {
    if (noted.at(-1) === id && committed < first + noted.length) return // rows of an SLO are adjacent
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
    if (ofNew.test(sql)) return () => note(0) // nobody has read the new SLO yet
    return ofAny.test(sql) || ofOrganization.test(sql) ? noteAny : null
  }

  return {
    position() {
      if (!connection.inTransaction) committed = first + noted.length
      return committed
    },
    since(position) {
      if (connection.inTransaction) return null // the transaction may not see yet what another process has committed
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
