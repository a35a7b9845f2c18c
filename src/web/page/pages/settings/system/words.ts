import { formatBytes, formatNumber, plural } from '../../../format.ts'
import type { BackupList, Health, SystemFacts, WhatsNew } from '../types.ts'

/** Growth of a database since the start. */
export function grownText(bytes: number): string {
  if (bytes === 0) return 'As large'
  return bytes > 0 ? `${formatBytes(bytes)} larger` : `${formatBytes(-bytes)} smaller`
}

/** Text of a support bundle: the instance and its health, as the API has them, without secrets. */
export function bundleText(system: SystemFacts, health: Health | null): string {
  return `${JSON.stringify({ system, health }, null, 2)}\n`
}

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

/** Sentence in place of an empty list. There may be backups elsewhere: `nines backup FILE` writes one anywhere. */
export function emptySentence({ has_folder, problem }: BackupList): string {
  if (problem !== null) return problem
  return has_folder
    ? 'There is no backup in the folder for backups yet.'
    : 'There is no folder for backups. Set BACKUP_DIR, and restart nines.'
}

/** Reason why no backup can be begun now; undefined: one can. */
export function whyNoBackup({ has_folder, is_running }: BackupList): string | undefined {
  if (!has_folder) return 'There is no folder for backups.'
  return is_running ? 'A backup is being written.' : undefined
}

/** Sentence below a list of the largest organizations, where there are more. */
export function largestSentence(shown: number, all: number): string {
  return `The ${formatNumber(shown)} largest of ${formatNumber(all)}.`
}

/** Sentence above the changes of versions. */
export function newsSentence({ version, upgraded_from }: Pick<WhatsNew, 'version' | 'upgraded_from'>): string {
  if (upgraded_from === null) return `This is nines ${version}.`
  return `This is nines ${version}. Before the upgrade it was ${upgraded_from}.`
}

/** Splits releases, newest first: the new ones, or the newest if none is new, and those before them. */
export function shownReleases<R extends { is_new: boolean }>(releases: readonly R[]): { shown: R[]; earlier: R[] } {
  const count = releases.filter(({ is_new }) => is_new).length || 1
  return { shown: releases.slice(0, count), earlier: releases.slice(count) }
}

/** Title of the changes of a version. */
export function whatsNewTitle(version: string): string {
  return `What is new in ${version}`
}
