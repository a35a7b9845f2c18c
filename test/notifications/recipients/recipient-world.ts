import { createDelivery } from '../../../src/notifications/delivery/delivery.ts'
import { queueNotifications } from '../../../src/notifications/outbox-store.ts'
import { type Answer, type TestApp, testApp } from '../../support/app.ts'
import { type MailServer, type ReceivedMail, startMailServer } from '../../support/mail-server.ts'
import { aDraft } from '../../support/messages.ts'

export const channels = '/api/v1/notifications/channels'

export type RecipientWorld = {
  nines: TestApp
  /** Ada's access token. */
  token: string
  box: MailServer
  /** Creates an e-mail channel and returns the response, once all mails that it caused were sent. */
  channel(configuration: object, more?: object): Promise<Answer>
  channelData(id?: number): Promise<Answer['body']>
  /** Queues a message for a channel, delivers what is due, and returns the message's state. */
  notify(subject?: string, channelId?: number): Promise<{ status: string; error_message: string; retry_count: number }>
  deliver(): Promise<void>
  to(address: string): ReceivedMail[]
  /** Answers the link in the last mail to an address, as its owner. */
  decide(address: string, decision?: string): Promise<Answer>
  /** Opens the same data in another instance, which replaces this one. */
  restart(): Promise<RecipientWorld>
  close(): Promise<void>
}

/** A nines with a mail server. The organization of Ada (ada@example.com) has an SLO. */
export async function recipientWorld(env: Record<string, string> = {}): Promise<RecipientWorld> {
  const box = await startMailServer()
  const whole = {
    SMTP_URL: box.url,
    MAIL_FROM: 'nines@x.example',
    PUBLIC_URL: 'https://nines.example/at',
    NOTIFY_RETRY_DELAY: '1',
    ...env,
  }
  const nines = await testApp({ env: whole })
  const token = await nines.join('ada')
  const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  await nines.call('POST', '/api/v1/slos', slo)
  return worldOf(nines, token, box, whole)
}

function worldOf(nines: TestApp, token: string, box: MailServer, env: Record<string, string>): RecipientWorld {
  const { db, mailer } = nines.app
  const delivery = createDelivery({ ...nines.app, instanceId: 'test', random: () => 1 })
  const deliver = async () => {
    await delivery.run()
    await mailer.drain()
  }
  return {
    nines,
    token,
    box,
    channelData: async (id = 1) => (await nines.call('GET', `${channels}/${id}`, undefined, { token })).body.data,
    deliver,
    async channel(configuration, more = {}) {
      const channel = { name: 'mail', channel_type: 'email', configuration, ...more }
      const answer = await nines.call('POST', channels, channel, { token })
      await mailer.drain()
      return answer
    },
    async notify(subject = 'Trouble', channel_id = 1) {
      const draft = aDraft({ channel_id, channel_type: 'email', subject })
      const [row] = await db.write.transaction().execute((trx) => queueNotifications(trx, [draft], nines.clock.now()))
      await deliver()
      return db.read
        .selectFrom('notifications')
        .select(['status', 'error_message', 'retry_count'])
        .where('id', '=', row?.id ?? 0)
        .executeTakeFirstOrThrow()
    },
    to: (address) => box.mails.filter(({ to }) => to.includes(address)),
    async decide(address, decision = 'confirm') {
      const link = tokenIn(box.mails.findLast(({ to }) => to.includes(address)))
      return nines.call('POST', `/notifications/confirm?token=${link}&decision=${decision}`, undefined, { token: null })
    },
    async restart() {
      await nines.app.close()
      return worldOf(await testApp({ env, dataDir: nines.dataDir }), token, box, env)
    },
    async close() {
      await nines.close()
      await box.close()
    },
  }
}

/** Token of the link in a mail. */
export function tokenIn(mail: ReceivedMail | undefined): string {
  return /\/notifications\/confirm\?token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? 'none'
}
