import { dayMs } from '../../clock.ts'

/** Numbers of days, ISO weeks and months whose last backup is kept. */
export type KeepRule = { daily: number; weekly: number; monthly: number }

const namePattern = /^nines-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar(?:\.zst)?$/

/** Name of the file of a scheduled backup: `nines-20261129T021500Z.tar.zst`, in UTC. */
export function backupName(atMs: number): string {
  return `nines-${new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.tar.zst`
}

/** Time of a scheduled backup by the name of its file, in ms; null: another file. */
export function timeOfBackup(name: string): number | null {
  const [, year, month, day, hour, minute, second] = namePattern.exec(name)?.map(Number) ?? []
  if (year === undefined || month === undefined) return null
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/**
 * Names of the backups that a rule does not keep: all but the newest one and the last one of each of the most recent days, weeks
 * and months that have any, in UTC. Names of other files are left out.
 */
export function backupsToDelete(names: readonly string[], { daily, weekly, monthly }: KeepRule): string[] {
  const newestFirst = names
    .flatMap((name) => {
      const atMs = timeOfBackup(name)
      return atMs === null ? [] : [{ name, atMs }]
    })
    .toSorted((a, b) => b.atMs - a.atMs)
  const lastOfEach = (count: number, periodOf: (atMs: number) => string | number) => {
    const lastByPeriod = new Map<string | number, string>()
    for (const { name, atMs } of newestFirst) lastByPeriod.getOrInsert(periodOf(atMs), name)
    return [...lastByPeriod.values()].slice(0, count)
  }
  const kept = new Set([
    ...newestFirst.slice(0, 1).map(({ name }) => name),
    ...lastOfEach(daily, (atMs) => Math.floor(atMs / dayMs)),
    ...lastOfEach(weekly, (atMs) => Math.floor((atMs / dayMs + 3) / 7)), // 1970-01-01 was a Thursday
    ...lastOfEach(monthly, (atMs) => new Date(atMs).toISOString().slice(0, 7)),
  ])
  return newestFirst.map(({ name }) => name).filter((name) => !kept.has(name))
}
