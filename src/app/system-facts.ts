import { type Config, describeConfig } from '../config.ts'
import { readLastBackup } from '../db/backup/last-backup.ts'
import { createDatabaseSizes } from '../status/database-sizes.ts'
import type { SettingOriginOf } from '../status/system-routes.ts'

type Deps = { config: Config; dataDir: string; settingOriginOf: SettingOriginOf | undefined }

/** Facts about the instance for its administrators: settings, databases and the last backup. Call it once, at the start. */
export const createSystemFacts = ({ config, dataDir, settingOriginOf = () => undefined }: Deps) => ({
  settingOriginOf,
  describeSettings: () => describeConfig(config),
  databaseSizes: createDatabaseSizes(dataDir),
  lastBackup: () => readLastBackup(dataDir),
})
