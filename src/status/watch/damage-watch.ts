import type { Damage, DatabaseFile } from '../../db/failures/damage.ts'
import type { Log } from '../../log.ts'
import type { Conditions } from './conditions.ts'

/** Maintains the condition `database_damaged` for each database file, until a check of the whole file finds nothing. */
export type DamageWatch = {
  /** Call it each time damage is met; logs the first time for each file. */
  seen(damage: Damage): void
  /** Starts a check of a file; the returned function takes its first finding (null: none). Damage met meanwhile stays. */
  checking(file: DatabaseFile): (finding: string | null) => void
}

export function createDamageWatch({ conditions, log }: { conditions: Conditions; log: Log }): DamageWatch {
  const found = new Map<DatabaseFile, string>()
  const times = new Map<DatabaseFile, number>()
  const timesOf = (file: DatabaseFile) => times.get(file) ?? 0

  function say(): void {
    const problems = [...found].map(([file, problem]) => `${file} is damaged: ${problem}`)
    conditions.set('database_damaged', problems.length === 0 ? null : problems.join('; '))
  }

  function note(file: DatabaseFile, problem: string): void {
    if (!found.has(file)) log.error('database damaged', { file, problem })
    found.set(file, problem)
    say()
  }

  return {
    seen({ file, problem }) {
      times.set(file, timesOf(file) + 1)
      if (!found.has(file)) note(file, problem)
    },
    checking(file) {
      const before = timesOf(file)
      return (finding) => {
        if (finding !== null) return note(file, finding)
        if (timesOf(file) > before || !found.delete(file)) return
        log.info('database is no longer damaged', { file })
        say()
      }
    },
  }
}
