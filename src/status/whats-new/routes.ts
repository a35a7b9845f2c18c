import { Elysia, t } from 'elysia'
import changelog from '../../../CHANGELOG.md' with { type: 'text' }
import { version } from '../../../package.json' with { type: 'json' }
import type { Database } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Message } from '../../http/schemas.ts'
import { type Caller, type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { readReleases, type Release } from './changelog.ts'
import { closeNews, readUpgradedFrom } from './upgrade-store.ts'

type Deps = {
  db: Pick<Database, 'read' | 'write'>
  /** True for the instance's first organization, whose administrators run the instance. */
  isFirst: (organizationId: number) => Promise<boolean>
  guard: GuardDeps
}

const WhatsNew = t.Object(
  {
    version: t.String({ description: 'of this nines' }),
    upgraded_from: t.Nullable(t.String(), {
      description: 'the version before the upgrades whose news you have not closed; null: there was none, or you have',
    }),
    releases: t.Array(
      t.Object({
        version: t.String(),
        released_on: t.Nullable(t.String(), { description: 'the day, as `2026-12-24`; null: it is not released' }),
        is_new: t.Boolean({ description: 'newer than `upgraded_from`' }),
        text: t.String({ description: 'its section of the changelog, as Markdown' }),
      }),
      { description: 'newest first, up to the version of this nines' },
    ),
  },
  { title: 'WhatsNew' },
)

/** Routes of `/organization/system/whats-new`: the changelog, for administrators of the first organization. */
export const whatsNewRoutes = ({ db, isFirst, guard }: Deps) => {
  const assertFirst = async ({ organizationId }: Caller) => {
    if (await isFirst(organizationId)) return
    const details = 'must be an administrator of the first organization: this is about upgrades of the instance'
    throw new AppError('forbidden', 'Insufficient permissions', { details })
  }
  return new Elysia({ prefix: '/organization/system/whats-new', tags: ['Organization'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin', authorizeWrite: assertFirst }))
    .get(
      '/',
      async ({ caller }) => {
        await assertFirst(caller)
        const upgradedFrom = await readUpgradedFrom(db.read, caller.organizationId, caller.userId)
        return presentWhatsNew(readReleases(changelog, version), upgradedFrom)
      },
      operation('getWhatsNew', 'The changelog of this nines, and which of its releases are new to you', {
        description:
          'For administrators of the first organization. It is a part of the executable: nothing is requested from the internet.',
        200: WhatsNew,
      }),
    )
    .post(
      '/close',
      async ({ caller }) => {
        await closeNews(db.write, caller.organizationId, caller.userId)
        return { message: 'The news is closed' }
      },
      operation('closeWhatsNew', 'Close the news of the last upgrades, for you', {
        description: 'For administrators of the first organization. `upgrade` of `GET /auth/me` is absent afterwards.',
        200: Message,
      }),
    )
}

/** Presents releases to a user. `upgradedFrom`: version since which the user has not closed the news; null: none is open. */
export function presentWhatsNew(releases: Release[], upgradedFrom: string | null) {
  return {
    version,
    upgraded_from: upgradedFrom,
    releases: releases.map((release) => ({
      version: release.version,
      released_on: release.releasedOn,
      is_new: upgradedFrom !== null && Bun.semver.order(release.version, upgradedFrom) > 0,
      text: release.text,
    })),
  }
}
