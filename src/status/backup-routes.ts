import { Elysia, t } from 'elysia'
import { isoTime } from '../clock.ts'
import { AppError } from '../errors.ts'
import { operation } from '../http/openapi/operation.ts'
import { type Caller, type GuardDeps, signedIn } from '../http/signed-in.ts'
import type { BackupState } from './backup-state.ts'

type Deps = {
  scheduledBackups: { state(): BackupState | null; startNow(): void }
  /** True for the instance's first organization, whose administrators run the instance. */
  isFirst: (organizationId: number) => Promise<boolean>
  guard: GuardDeps
}

const Backup = t.Object({
  name: t.String({ description: 'name of the file in BACKUP_DIR' }),
  created_at: t.String(),
  size_bytes: t.Number(),
  in_bucket: t.Nullable(t.Boolean(), {
    description: 'there is a copy in the bucket; null: there is no bucket, or it was not listed yet',
  }),
})

const Attempt = t.Object({
  at: t.String(),
  seconds: t.Number({ description: 'seconds that it took' }),
  problem: t.Nullable(t.String(), { description: 'null: the backup was written, and restored as a check' }),
})

const Backups = t.Object(
  {
    has_folder: t.Boolean({ description: 'BACKUP_DIR is set' }),
    schedule: t.Nullable(t.String(), { description: 'cron expression in UTC; null: none' }),
    next_at: t.Nullable(t.String(), { description: 'when the next one is due; null: there is no schedule' }),
    is_running: t.Boolean({ description: 'a backup is being written' }),
    problem: t.Nullable(t.String(), { description: 'why BACKUP_DIR cannot be read; null: it can' }),
    last_attempt: t.Nullable(Attempt, { description: 'the last one since the start; null: none' }),
    bucket: t.Nullable(
      t.Object({
        copies: t.Nullable(t.Number(), {
          description: 'the number of backups in the bucket; null: it was not listed yet',
        }),
        problem: t.Nullable(t.String(), { description: 'why the newest backup is not there; null: nothing is wrong' }),
      }),
      { description: 'the bucket of BACKUP_S3_URL; null: none' },
    ),
    backups: t.Array(Backup, { description: 'newest first; each was restored as a check before it took its name' }),
  },
  { title: 'Backups' },
)

/** Routes of `/backups`: the backups of the instance, for administrators of its first organization. */
export const backupRoutes = ({ scheduledBackups, isFirst, guard }: Deps) => {
  const assertFirst = async ({ organizationId }: Caller) => {
    if (await isFirst(organizationId)) return
    const details = 'must be an administrator of the first organization: these are backups of the instance'
    throw new AppError('forbidden', 'Insufficient permissions', { details })
  }
  return new Elysia({ prefix: '/backups', tags: ['Operations'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin', authorizeWrite: assertFirst }))
    .get(
      '/',
      async ({ caller }) => {
        await assertFirst(caller)
        return presentBackups(scheduledBackups.state())
      },
      operation('getBackups', 'Backups in BACKUP_DIR, and when the next one is due', {
        description: 'For administrators of the first organization.',
        200: Backups,
      }),
    )
    .post(
      '/',
      ({ set }) => {
        scheduledBackups.startNow()
        set.status = 202
        return presentBackups(scheduledBackups.state())
      },
      operation('startBackup', 'Begin a backup into BACKUP_DIR', {
        description:
          'For administrators of the first organization. The response does not wait for the end: `is_running` of `GET /backups` ' +
          'is false then, and `last_attempt` has the outcome.',
        202: Backups,
        409: 'A backup is being written, or BACKUP_DIR is not set; `details` says what to do',
      }),
    )
}

function presentBackups(state: BackupState | null) {
  const { schedule = null, nextMs = null, isRunning = false, problem = null, last = null } = state ?? {}
  const { copies = null, files = [] } = state ?? {}
  const copiedNames = copies?.names && new Set(copies.names)
  return {
    has_folder: state !== null,
    schedule,
    next_at: nextMs === null ? null : isoTime(nextMs),
    is_running: isRunning,
    problem,
    last_attempt: last && { at: isoTime(last.atMs), seconds: last.seconds, problem: last.problem },
    bucket: copies && { copies: copiedNames ? copiedNames.size : null, problem: copies.problem },
    backups: files.map(({ name, atMs, bytes }) => ({
      name,
      created_at: isoTime(atMs),
      size_bytes: bytes,
      in_bucket: copiedNames ? copiedNames.has(name) : null,
    })),
  }
}
