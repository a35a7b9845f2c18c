import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id } from '../../http/schemas.ts'
import { pageFields, readPage } from '../../http/paging.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { getNotification, listAttempts, listNotifications, notificationStatistics } from './history-store.ts'
import {
  AttemptList,
  filterOf,
  HistoryQuery,
  Notification,
  NotificationPage,
  presentAttempt,
  presentNotification,
  Resent,
  RetryResponse,
  RetryFailed,
  StatisticsResponse,
} from './notification-model.ts'
import { resend, retryFailed } from './resend.ts'

type Deps = {
  db: Database
  clock: Clock
  publicUrl: () => string
  guard: GuardDeps
  /** Called after notifications were queued. */
  onQueued: () => void
}

const params = t.Object({ id: Id('notification') })
const success = true as const

/** `/notifications`: notifications and their outcomes, newest first, and ways to send them again. */
export const historyRoutes = ({ guard, onQueued, ...deps }: Deps) =>
  new Elysia({ prefix: '/notifications', tags: ['Notifications'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/history',
      async ({ caller, query }) => {
        const page = readPage(query)
        const options = { ...filterOf(query), ...page }
        const { rows, total } = await listNotifications(deps.db.read, caller.organizationId, options)
        const notifications = rows.map(presentNotification)
        return { notifications, ...pageFields(page, total) }
      },
      operation('listNotifications', 'List notifications, newest first', {
        description:
          'Whatever was queued, with its outcome; filtered by the parameters. An `alert_type` finds its other ' +
          'spelling too.',
        query: HistoryQuery,
        200: NotificationPage,
      }),
    )
    .get(
      '/statistics',
      async ({ caller }) => ({ success, data: await notificationStatistics(deps.db.read, caller.organizationId) }),
      operation('getNotificationStatistics', 'How notifications fared', {
        description:
          'Counts of all notifications that are kept, in all and by type of channel, with the share that arrived ' +
          'and the mean time to delivery.',
        200: StatisticsResponse,
      }),
    )
    .get(
      '/:id',
      async ({ caller, params }) =>
        presentNotification(await getNotification(deps.db.read, caller.organizationId, params.id)),
      operation('getNotification', 'One notification', {
        description:
          'With the texts as they were sent, and in `metadata` the data they were written from. `next_attempt_at` ' +
          'is there while it is pending.',
        params,
        200: Notification,
      }),
    )
    .get(
      '/:id/attempts',
      async ({ caller, params }) => {
        const { id } = await getNotification(deps.db.read, caller.organizationId, params.id)
        const attempts = (await listAttempts(deps.db.read, id)).map(presentAttempt)
        return { success, attempts, total: attempts.length }
      },
      operation('listAttempts', 'The attempts to deliver a notification', {
        description:
          'Each with what the receiver answered, in the order in which they were made. All of them are in one ' +
          'answer.',
        params,
        200: AttemptList,
      }),
    )
    .post(
      '/retry-failed',
      async ({ caller, body: { max_age_seconds } }) => {
        const done = await retryFailed(deps, caller.organizationId, max_age_seconds)
        if (done.retried > 0) onQueued()
        return { success, message: 'Failed notifications are queued again', data: { max_age_seconds, ...done } }
      },
      operation('retryFailed', 'Queue failed notifications again', {
        description:
          'For members. Those that failed for good and are no older than `max_age_seconds`, in their order. Where ' +
          'the alert of one has ended, its recovery follows.',
        body: RetryFailed,
        200: RetryResponse,
      }),
    )
    .post(
      '/:id/resend',
      async ({ caller, params, set }) => {
        const { row, isNew } = await resend(deps, caller.organizationId, params.id)
        if (isNew) set.status = 201
        onQueued()
        const message = isNew ? 'A copy of the notification is queued' : 'The notification is queued again'
        return { success, message, data: presentNotification(row) }
      },
      operation('resendNotification', 'Send a notification again', {
        description:
          'For members. One that failed is queued again itself (200), of one that arrived a copy is queued (201). ' +
          'It needs no body.',
        params,
        200: Resent,
        201: Resent,
        409: 'It is still queued',
        responses: { 200: { description: 'It is queued again' }, 201: { description: 'A copy is queued' } },
      }),
    )
