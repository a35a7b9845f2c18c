/** Files of a data folder that a backup contains; all others are created again. In the archive, the secrets come first. */
export const databaseNames = ['nines.db', 'samples.db'] as const
export const secretNames = ['jwt.secret', 'seal.secret', 'demo.secret'] as const

/** Files about one data folder that no backup contains: time of its last backup, and clock record. */
export const lastBackupName = 'backup.last'
export const clockRecordName = 'clock.last'

/** Last file of the archive: the SHA-256 of each other file, as `sha256sum` writes them. */
export const sumsName = 'SHA256SUMS'

/** Size of the pieces in which files are read and written. */
export const chunkBytes = 1 << 20
