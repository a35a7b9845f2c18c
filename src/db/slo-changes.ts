import type { Connection } from './sqlite.ts'

/** Tracks SLOs of which the writing connection may have changed something: SLOs, states, evaluations and buckets. */
export type SloChanges = {
  /** Argument for `since`; take it before reading anything. */
  position(): number
  /** Ids of the SLOs that were written to since `position`, also if that was rolled back; null: any may have changed. */
  since(position: number): ReadonlySet<number> | null
}

/** Tables whose changes are tracked, with the column that has the id of the SLO. */
export const trackedTables = { slos: 'id', slo_states: 'slo_id', evaluations: 'slo_id', buckets: 'slo_id' }

const maxNoted = 100_000

/** Notes the SLO of each row that the writing connection changes, by triggers of that connection, so that no path avoids it. */
export function trackSloChanges(connection: Connection): SloChanges {
  const dataVersion = connection.prepare<[], number>('pragma data_version').pluck()
  let versionOfOthers = dataVersion.get()
  let changedIds: number[] = []
  let first = 0 // position of the first noted id
  let committed = 0 // ids from this position on may not be committed yet

  function noteAny(): void {
    first += changedIds.length + 1 // invalidates all earlier positions
    changedIds = []
  }

  connection.function('slo_changed', (id: unknown) => {
    if (changedIds.at(-1) === id && committed < first + changedIds.length) return null // noted, and no later position was taken
    if (changedIds.length >= maxNoted) noteAny()
    changedIds.push(Number(id))
    return null
  })
  const triggers = Object.entries(trackedTables).flatMap(([table, column]) =>
    Object.entries({ insert: 'new', update: 'new', delete: 'old' }).map(
      ([event, row]) => `create temp trigger ${table}_${event} after ${event} on main.${table}
        begin select slo_changed(${row}.${column}); end;`,
    ),
  )
  connection.exec(`begin; ${triggers.join('\n')} commit`) // as one transaction, which takes less time

  return {
    position() {
      if (!connection.inTransaction) committed = first + changedIds.length
      return committed
    },
    since(position) {
      if (connection.inTransaction) return null // the transaction may not see yet what another process has committed
      const version = dataVersion.get()
      if (version !== versionOfOthers) noteAny()
      versionOfOthers = version
      return position < first ? null : new Set(changedIds.slice(position - first))
    },
  }
}
