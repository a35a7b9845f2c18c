/** What of a data folder is in a backup, in the order of the archive; the rest is made again. */
export const databaseNames = ['nines.db', 'samples.db'] as const
export const secretNames = ['jwt.secret', 'seal.secret', 'demo.secret'] as const

/** What is said of one data folder and goes into no backup: when it was last backed up, and by which clock. */
export const lastBackupName = 'backup.last'
export const clockRecordName = 'clock.last'

/** The last file of the archive: the SHA-256 of each of the others, as `sha256sum` writes them. */
export const sumsName = 'SHA256SUMS'

export const chunkBytes = 1 << 20
