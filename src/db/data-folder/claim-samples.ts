import type { Connection } from '../sqlite.ts'

/** The `nines.db` that samples belong to: its instance, and the organizations it has. */
export type Owner = { instanceId: string; organizationIds: number[] }

/**
 * Ties a file of samples to the `nines.db` beside it; throws where it is tied to another one. Ids of organizations are small
 * numbers: an older `nines.db` would give again those that it does not know, so series of these are removed. Returns how many were.
 */
export function claimSamples(file: Connection, { instanceId, organizationIds }: Owner): number {
  return file.transaction(() => {
    file.exec('create table if not exists owner (instance_id text not null) strict')
    const found = file.prepare<[], string>('select instance_id from owner').pluck().get()
    if (found === undefined) file.prepare('insert into owner values (?)').run(instanceId)
    else if (found !== instanceId) {
      throw new Error(
        `it belongs to another nines.db (instance ${found}, not ${instanceId}): restore both from one backup, or move it away together with its -wal`,
      )
    }
    return removeUnknown(file, organizationIds)
  })()
}

function removeUnknown(file: Connection, organizationIds: number[]): number {
  const of = 'organization_id not in (select value from json_each(?))'
  const known = JSON.stringify(organizationIds)
  const isAny = file.prepare(`select 1 from series where ${of} limit 1`).get(known) !== undefined
  if (!isAny) return 0
  file.prepare(`delete from chunks where series_id in (select id from series where ${of})`).run(known)
  file.prepare(`delete from chunk_bytes where ${of}`).run(known)
  return file.prepare(`delete from series where ${of}`).run(known).changes
}
