import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'

/** Conditions of nines itself, each with advice for its operator. */
const conditionAdvice = {
  database_damaged: 'stop nines and restore the last backup with `nines restore FILE`',
  commits_missing:
    'look for what is missing, restore the last backup if that has it, then acknowledge the alert condition:commits_missing',
  disk_full: 'free space in the data folder',
  disk_unwritable:
    'look at the file system of the data folder, at the log of the machine, and at the limit of open files',
  data_folder_replaced:
    'put the data folder back at its place, and nines goes on; or restart nines to go on with what is there now, after `nines restore FILE` where nothing is',
  disk_nearly_full: 'free space in the data folder, or lower RETENTION_DAYS or SAMPLES_MAX_BYTES',
  evaluation_stalled: 'read the log for "evaluation failed"; restart nines if nothing is evaluated within minutes',
  outbox_delayed: 'look at the channels that are unhealthy in GET /api/v1/notifications/channels',
  source_silent: 'look at GET /api/v1/tsdb/health, and at the network between nines and the source',
  scrapes_failing: 'look at GET /api/v1/embedded/targets and GET /api/v1/embedded/probes',
  remote_write_delayed: 'look at the receiver of REMOTE_WRITE_URL, and read the log for "remote write failed"',
  remote_write_refused: 'read the log for "remote write refused", and the log of the receiver',
  trusted_header_ignored:
    'read the log for "trusted header ignored"; name the proxy in TRUST_PROXY, or keep others from reaching nines past it',
  backup_overdue: 'run `nines backup FILE`',
  backup_failed: 'read the log for "backup failed"; look at the disk and the permissions of BACKUP_DIR',
  backup_not_copied:
    'read the log for "backup not copied"; look at BACKUP_S3_URL, at its keys and clock, and at the room there; the copy in BACKUP_DIR is good',
  tls_certificate:
    'renew the certificate in TLS_CERT and TLS_KEY, and see that nines may read both; it takes a new one within seconds',
  clock_jumped: 'compare the clock of this machine with that of its metrics sources',
} as const

export type ConditionName = keyof typeof conditionAdvice

/** Condition that holds. `sinceMs`: since the epoch. Anybody may read `message`, so it names no organization and nothing of one. */
export type Condition = { name: ConditionName; sinceMs: number; message: string; advice: string }

/** Conditions that hold now. A condition may be reported repeatedly, and holds until it is reported not to. */
export type Conditions = {
  /** Reports a condition; `message` null: it does not hold. Logs when a condition begins and ends. */
  set(name: ConditionName, message: string | null): void
  /** Lists the conditions that hold, in the order of the table above. */
  list(): Condition[]
  /** True if the condition has been reported since the start, whether it holds or not. */
  isKnown(name: ConditionName): boolean
}

export function createConditions({ clock, log }: { clock: Clock; log: Log }): Conditions {
  const holding = new Map<ConditionName, Condition>()
  const knownNames = new Set<ConditionName>()
  return {
    set(name, message) {
      knownNames.add(name)
      const known = holding.get(name)
      if (message === null) {
        if (holding.delete(name)) log.info('condition ended', { condition: name })
        return
      }
      const advice = conditionAdvice[name]
      if (!known) log.error('condition began', { condition: name, problem: message, advice })
      holding.set(name, { name, sinceMs: known?.sinceMs ?? clock.now(), message, advice })
    },
    list: () => conditionNames.flatMap((name) => holding.get(name) ?? []),
    isKnown: (name) => knownNames.has(name),
  }
}

export const conditionNames = Object.keys(conditionAdvice) as ConditionName[]

const critical = new Set<ConditionName>([
  'database_damaged',
  'commits_missing',
  'disk_full',
  'disk_unwritable',
  'data_folder_replaced',
  'evaluation_stalled',
])

/** Severity of a condition. `critical`: nines may have lost data, or measures nothing. */
export function severityOf(name: ConditionName): 'critical' | 'warning' {
  return critical.has(name) ? 'critical' : 'warning'
}
