import { Elysia, t } from 'elysia'
import type { Clock } from '../clock.ts'
import { type AsyncCooperativeTask, awaitStep, runCooperatively } from '../concurrency/cooperative.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { ChannelRow } from '../db/tables/tables.ts'
import { operation } from '../http/openapi/operation.ts'
import { deleteHandler } from '../http/delete-handler.ts'
import { Id } from '../http/schemas.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import type { Log } from '../log.ts'
import {
  ChannelChangedResponse,
  ChannelCreation,
  ChannelUpdate,
  ChannelDeletedResponse,
  presentChannel,
  ChannelResponse,
  ChannelListResponse,
  TestMessage,
  TestResponse,
} from './channel-model.ts'
import { mailOfChannel } from './channel-mail.ts'
import { getChannel, listChannels } from './channel-store.ts'
import type { ChannelDeps } from './channels/channel.ts'
import { describeConfigurations } from './channels/schemas/describe.ts'
import { changeChannel, createChannel, removeChannel } from './edit-channels.ts'
import { sendTest, type TestBounds } from './test-send.ts'

type Deps = { db: Database; clock: Clock; seal: Seal; channels: ChannelDeps; guard: GuardDeps }

const params = t.Object({ id: Id('channel') })

/** `/notifications/channels`: every role reads, administrators change. Secrets are write-only. */
export const channelRoutes = ({ guard, ...deps }: Deps) => {
  const present = async (row: ChannelRow) => presentChannel(deps.seal, row, await mailOfChannel(deps, row))
  function* presentEach(rows: readonly ChannelRow[]): AsyncCooperativeTask<Awaited<ReturnType<typeof present>>[]> {
    const presented: Awaited<ReturnType<typeof present>>[] = []
    for (const row of rows) presented.push(yield* awaitStep(present(row)))
    return presented
  }
  return new Elysia({ prefix: '/notifications/channels', tags: ['Channels'] })
    .use(signedIn({ ...guard, writes: 'admin' }))
    .get(
      '/',
      async ({ caller }) => {
        const rows = await listChannels(deps.db.read, caller.organizationId)
        const data = await runCooperatively(caller.organizationId, presentEach(rows))
        return { success: true as const, count: rows.length, data }
      },
      {
        ...operation('listChannels', 'List channels', {
          description:
            'All of them in one answer, in the order of their ids. Secrets of their configurations are masked.',
          200: ChannelListResponse,
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .get(
      '/:id',
      async ({ caller, params }) => {
        const row = await getChannel(deps.db.read, caller.organizationId, params.id)
        return { success: true as const, data: await present(row) }
      },
      {
        ...operation('getChannel', 'One channel; secrets are masked', {
          description:
            'With its `health`: `unhealthy` after three failures in a row, with the last error. An e-mail channel ' +
            'without a server of its own also has its sender and recipients.',
          params,
          200: ChannelResponse,
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const row = await createChannel(deps, caller, body)
        set.status = 201
        return { success: true as const, data: await present(row) }
      },
      operation('createChannel', 'Create a channel', {
        description: `For administrators. What \`configuration\` needs is decided by \`channel_type\`; the type may be given by the name of a product:

${describeConfigurations()}

Nothing is sent, except a question to recipients of mail who have to be asked first.`,
        body: ChannelCreation,
        201: ChannelResponse,
      }),
    )
    .put(
      '/:id',
      async ({ caller, params, body }) => {
        const row = await changeChannel(deps, caller, params.id, body)
        return { success: true as const, message: 'Channel updated', data: await present(row) }
      },
      operation('updateChannel', 'Change a channel; fields that are not sent, and masked secrets, stay', {
        description:
          'For administrators. A configuration is replaced as a whole. With another receiver its secrets have to ' +
          'be sent again. What waits for a channel fails when the channel is disabled.',
        params,
        body: ChannelUpdate,
        200: ChannelChangedResponse,
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, removeChannel, { success: true as const, message: 'Channel deleted' }),
      operation('deleteChannel', 'Delete a channel', {
        description:
          'For administrators. Its rules are deleted, and what waits for it fails. The history keeps what was sent.',
        params,
        200: ChannelDeletedResponse,
      }),
    )
}

type TestDeps = {
  db: Database
  log: Log
  seal: Seal
  channels: ChannelDeps
  testBounds: TestBounds
  guard: GuardDeps
}

export const testSendRoutes = ({ guard, testBounds, ...deps }: TestDeps) =>
  new Elysia({ prefix: '/notifications', tags: ['Channels'] }).use(signedIn({ ...guard, writes: 'member' })).post(
    '/test',
    async ({ caller: { organizationId }, body }) => {
      const messages = body.event === 'both' ? 2 : 1
      const send = () => sendTest(deps, organizationId, body)
      const { status, deliveredAt } = await testBounds.run(organizationId, messages, send)
      return {
        success: true as const,
        message: 'Test notification sent',
        data: { channel_id: body.channel_id, status, delivered_at: deliveredAt },
      }
    },
    operation('sendTest', 'Send a test through a channel, and wait for what comes of it', {
      description:
        'For members. It bypasses rules, outbox and history, and counts for the health of the channel. `event` chooses ' +
        'an alert, a recovery or both. At most 10 messages a minute and two at once for an organization, beyond ' +
        'which it answers 429.',
      body: TestMessage,
      200: TestResponse,
      404: 'There is no such channel, or it is disabled',
      500: 'The receiver did not take it; `details` says why',
    }),
  )
