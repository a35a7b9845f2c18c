import type { Damage, DatabaseFile } from '../../db/failures/damage.ts'
import type { Log } from '../../log.ts'
import type { Conditions } from './conditions.ts'

/** Maintains the condition `database_damaged` for each database file, until a check of the whole file finds nothing. */
export type DamageWatch = {
  /** Call it each time damage is met; logs the first time for each file. */
  noteDamage(damage: Damage): void
  /**
   * Call it when a check of a file starts. When the check ends, call the function that it returned, with the first finding (null:
   * none). Damage noted in between stays.
   */
  checking(file: DatabaseFile): (finding: string | null) => void
}

export function createDamageWatch({ conditions, log }: { conditions: Conditions; log: Log }): DamageWatch {
  const problemByFile = new Map<DatabaseFile, string>()
  /** Number of times that `noteDamage` was called for each file. */
  const reportCounts = new Map<DatabaseFile, number>()
  const reportsOf = (file: DatabaseFile) => reportCounts.get(file) ?? 0

  function updateCondition(): void {
    const problems = [...problemByFile].map(([file, problem]) => `${file} is damaged: ${problem}`)
    conditions.set('database_damaged', problems.length === 0 ? null : problems.join('; '))
  }

  function record(file: DatabaseFile, problem: string): void {
    if (!problemByFile.has(file)) log.error('database damaged', { file, problem })
    problemByFile.set(file, problem)
    updateCondition()
  }

  return {
    noteDamage({ file, problem }) {
      reportCounts.set(file, reportsOf(file) + 1)
      if (!problemByFile.has(file)) record(file, problem)
    },
    checking(file) {
      const before = reportsOf(file)
      return (finding) => {
        if (finding !== null) return record(file, finding)
        if (reportsOf(file) > before || !problemByFile.delete(file)) return
        log.info('database is no longer damaged', { file })
        updateCondition()
      }
    },
  }
}
