import type { Bucket } from '../../app/backups/bucket.ts'
import { timeOfBackup } from '../../db/backup/kept-backups.ts'
import { failure, type Finding, messageOf, ok } from './finding.ts'

/** Lists the copies in the bucket of `BACKUP_S3_URL`. Writes nothing there; null: no bucket is set. */
export async function checkBucket(bucket: Pick<Bucket, 'list'> | null): Promise<Finding[]> {
  if (bucket === null) return []
  try {
    const copies = (await bucket.list()).filter(({ name }) => timeOfBackup(name) !== null)
    return [ok('backup', `the bucket of BACKUP_S3_URL answers; it has ${copies.length} backups`)]
  } catch (error) {
    const advice = 'check BACKUP_S3_URL and its keys; backups are in BACKUP_DIR only until then'
    return [failure('backup', `the server of BACKUP_S3_URL ${messageOf(error)}`, advice)]
  }
}
