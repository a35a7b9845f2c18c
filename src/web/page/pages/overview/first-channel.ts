import { send } from '../../api/client.ts'
import type { Channel, Channels } from '../../api/history.ts'
import { withScheme } from '../../ui/form/with-scheme.ts'

/**
 * Creates a channel from a webhook URL or an e-mail address, and sends a test through it; the first channel is notified of every
 * SLO. Returns true if it is the first. If the test does not arrive, it deletes the channel and throws.
 */
export async function createTestedChannel(value: string): Promise<boolean> {
  const { data: others } = await send<Channels>('GET', '/notifications/channels')
  const body = { ...channelFor(value), is_default: others.length === 0 }
  const { data } = await send<{ data: Channel }>('POST', '/notifications/channels', { body })
  try {
    await send('POST', '/notifications/test', {
      body: { channel_id: data.id, subject: 'Test of nines', message: 'Alerts can arrive here.' },
    })
  } catch (error) {
    await send('DELETE', `/notifications/channels/${data.id}`).catch(() => {})
    throw error
  }
  return body.is_default
}

/** Request body of a channel; its type follows from the host of the URL: `chat_hook_a` is Slack, `chat_hook_b` Discord. */
function channelFor(value: string): object {
  const isMail = value.includes('@') && !value.includes('://')
  const address = withScheme(value)
  const url = isMail || !/[.:/]/.test(value) ? null : URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { name: value, channel_type: 'email', configuration: { to: value } }
  }
  const channel_type =
    url.host === 'hooks.slack.com' ? 'chat_hook_a' : /^discord(?:app)?\.com$/.test(url.host) ? 'chat_hook_b' : 'webhook'
  return { name: url.host, channel_type, configuration: { webhook_url: address } }
}
