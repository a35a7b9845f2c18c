import { plural } from '../../../format.ts'
import type { BackupList } from '../types.ts'

/** Outcome of the last attempt to write a backup. */
export function attemptSentence({ seconds, problem }: NonNullable<BackupList['last_attempt']>): string {
  return problem === null ? `Written in ${seconds} s, and restored as a check` : `Failed: ${problem}`
}

/** State of the copies in the bucket. */
export function bucketSentence(bucket: BackupList['bucket']): string {
  if (bucket === null) return 'None: backups are on this machine only'
  if (bucket.problem !== null) return `The newest backup is not there: ${bucket.problem}`
  if (bucket.copies === null) return 'Not asked yet'
  return plural(bucket.copies, '# backup', '# backups')
}

/** Sentence in place of the list, where there is no backup. */
export function emptySentence({ has_folder, problem }: BackupList): string {
  if (problem !== null) return problem
  return has_folder ? 'There is no backup yet.' : 'There is no folder for backups. Set BACKUP_DIR, and restart nines.'
}

/** Reason why no backup can be begun now; undefined: one can. */
export function whyNoBackup({ has_folder, is_running }: BackupList): string | undefined {
  if (!has_folder) return 'There is no folder for backups.'
  return is_running ? 'A backup is being written.' : undefined
}
