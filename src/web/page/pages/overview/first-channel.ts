import { send } from '../../api/client.ts'

/**
 * Creates a channel from a webhook URL or an e-mail address, and sends a test through it. If the test does not arrive, it
 * deletes the channel and throws.
 */
export async function testChannel(value: string): Promise<void> {
  const { data } = await send<{ data: { id: number } }>('POST', '/notifications/channels', { body: channelFor(value) })
  try {
    await send('POST', '/notifications/test', {
      body: { channel_id: data.id, subject: 'Test of nines', message: 'Alerts can arrive here.' },
    })
  } catch (error) {
    await send('DELETE', `/notifications/channels/${data.id}`).catch(() => {})
    throw error
  }
}

/** Request body of a channel; its type follows from the host of the URL. */
function channelFor(value: string): object {
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { name: value, channel_type: 'email', configuration: { to: value } }
  }
  const channel_type =
    url.host === 'hooks.slack.com' ? 'chat_hook_a' : /^discord(?:app)?\.com$/.test(url.host) ? 'chat_hook_b' : 'webhook'
  return { name: url.host, channel_type, configuration: { webhook_url: value } }
}
