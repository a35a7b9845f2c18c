/** Reads the numbers of days, weeks and months whose last backup is kept, as texts of digits. Throws for any other value. */
export function threeCounts(value: string): string[] {
  if (!/^\d{1,4},\d{1,4},\d{1,4}$/.test(value)) {
    throw new Error(`must be three whole numbers (days,weeks,months) such as 7,4,12, got "${value}"`)
  }
  return value.split(',')
}

/**
 * Reads the URL of a bucket, path-style, with the prefix of its objects, such as `https://s3.example.org/bucket/nines`; null if the
 * value is empty. Throws for any other value, and does not repeat one that may hold a password.
 */
export function bucketUrl(value: string): string | null {
  if (value === '') return null
  const url = /^https?:\/\/\S+$/i.test(value) && URL.canParse(value) ? new URL(value) : null
  if (url === null || url.username !== '' || url.password !== '' || /[?#]/.test(value)) {
    throw new Error('must be an http(s) URL without user name, password and query string')
  }
  const path = url.pathname.replace(/^\/+|\/+$/g, '')
  if (path === '') throw new Error(`must end with the name of the bucket, as in https://host/bucket, got "${value}"`)
  return `${url.origin}/${path}`
}

type BucketSettings = {
  backupS3Url: string | null
  backupS3AccessKeyId: string | null
  backupS3SecretAccessKey: string | null
}

/** Sentence that says which settings of the bucket are missing; null if none is. */
export function bucketProblem({
  backupS3Url,
  backupS3AccessKeyId,
  backupS3SecretAccessKey,
}: BucketSettings): string | null {
  if (backupS3Url === null || (backupS3AccessKeyId !== null && backupS3SecretAccessKey !== null)) return null
  return 'BACKUP_S3_URL: BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY must be set too'
}
