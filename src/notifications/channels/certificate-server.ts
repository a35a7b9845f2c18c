import { hostOf, portOf } from '../../http/outbound/pin.ts'
import type { Opened } from '../configurations.ts'
import { ownServerOf, readEmail } from './email/configuration.ts'
import { email } from './email/email.ts'

/** Server with TLS that a channel sends to. `starttls`: a mail server that begins without encryption. */
type ChannelServer = { host: string; port: number; starttls: boolean }

/** Server of a channel: of its https URL, or its own mail server; null: it has none that speaks TLS. */
export function serverOfChannel({ type, configuration }: Opened): ChannelServer | null {
  if (type === email) {
    const server = ownServerOf(readEmail(configuration))
    return server && !server.ignoreTLS ? { host: server.host, port: server.port, starttls: !server.secure } : null
  }
  const urls = Object.entries(configuration).flatMap(([key, value]) => {
    const url = key.endsWith('_url') && typeof value === 'string' ? URL.parse(value) : null
    return url?.protocol === 'https:' ? [url] : []
  })
  return urls[0] ? { host: hostOf(urls[0]), port: portOf(urls[0]), starttls: false } : null
}
