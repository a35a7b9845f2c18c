import { Elysia, t } from 'elysia'
import { version } from '../../package.json' with { type: 'json' }
import { isoTime, isoTimeOrNull } from '../clock.ts'
import { AppError } from '../errors.ts'
import { operation } from '../http/openapi/operation.ts'
import { OneOf } from '../http/schemas.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import type { DatabaseSize } from './database-sizes.ts'

const origins = ['environment', 'file', 'default'] as const

/** Origin of a setting by its name; undefined: not known, as of a demo. */
export type SettingOriginOf = (name: string) => (typeof origins)[number] | undefined

type Deps = {
  startedAtMs: number
  settingOriginOf: SettingOriginOf
  /** Settings in effect; secrets are masked. */
  describeSettings: () => { name: string; value: string }[]
  databaseSizes: () => DatabaseSize[]
  /** Time in ms of the last backup that succeeded; null: none. */
  lastBackup: () => number | null
  /** True for the instance's first organization, whose administrators run the instance. */
  isFirst: (organizationId: number) => Promise<boolean>
  guard: GuardDeps
}

const System = t.Object(
  {
    version: t.String(),
    started_at: t.String({ description: 'when the process was started' }),
    last_backup_at: t.Nullable(t.String(), { description: 'when the last backup succeeded; null: never' }),
    databases: t.Array(
      t.Object({
        file: t.String(),
        bytes: t.Number({ description: 'bytes of the file' }),
        wal_bytes: t.Number({ description: 'bytes of its write-ahead log' }),
        grown_bytes: t.Number({ description: 'bytes by which the file has grown since the start' }),
      }),
    ),
    settings: t.Array(
      t.Object({
        name: t.String({ description: 'of its environment variable' }),
        value: t.String({ description: 'the value in effect; of a secret asterisks, or what holds without it' }),
        origin: t.Nullable(OneOf(origins), { description: 'from where the value is; null: not known' }),
      }),
    ),
  },
  { title: 'System' },
)

/** The instance itself, for administrators of its first organization. */
export const systemRoutes = ({ guard, isFirst, ...deps }: Deps) =>
  new Elysia({ prefix: '/organization/system', tags: ['Organization'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin' }))
    .get(
      '/',
      async ({ caller }) => {
        if (!(await isFirst(caller.organizationId))) {
          const details = 'must be an administrator of the first organization: this is about the instance'
          throw new AppError('forbidden', 'Insufficient permissions', { details })
        }
        return presentSystem(deps)
      },
      operation('getSystem', 'The instance: version, databases, last backup and the settings in effect', {
        description:
          'For administrators of the first organization. The settings are those of the environment, the file of `--config` ' +
          'or the default, without secrets: the page makes a support bundle of it and of `/health`.',
        200: System,
      }),
    )

/** Presents the instance without secrets. */
export function presentSystem({
  describeSettings,
  startedAtMs,
  settingOriginOf,
  databaseSizes,
  lastBackup,
}: Omit<Deps, 'guard' | 'isFirst'>) {
  return {
    version,
    started_at: isoTime(startedAtMs),
    last_backup_at: isoTimeOrNull(lastBackup()),
    databases: databaseSizes().map(({ file, bytes, walBytes, grownBytes }) => ({
      file,
      bytes,
      wal_bytes: walBytes,
      grown_bytes: grownBytes,
    })),
    settings: describeSettings().map(({ name, value }) => ({
      name,
      value: withoutQuery(value),
      origin: settingOriginOf(name) ?? null,
    })),
  }
}

/** The value without the query of a URL, which may have a token. */
function withoutQuery(value: string): string {
  return /^https?:\/\//i.test(value) ? value.replace(/\?.*$/, '?…') : value
}
