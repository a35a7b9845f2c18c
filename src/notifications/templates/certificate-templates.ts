import { expiryWords } from '../../certificate.ts'
import { timeWriter, type Zone } from '../../zone.ts'
import type { CertificateData, ConditionData } from '../notification-data.ts'
import { acknowledgedLine, asParagraphs, capital } from './lines.ts'
import { cutToLimits } from './templates.ts'

type TemplateData = {
  condition: ConditionData
  certificate: CertificateData
  publicUrl: string
  zone: Zone
  nowMs: number
}

/** Texts of a notification about a certificate: when it expires, who uses it, what to do; or that it was renewed. */
export function certificateTexts({ condition, certificate, publicUrl, zone, nowMs }: TemplateData): {
  subject: string
  message: string
} {
  const { alert, advice } = condition
  const times = timeWriter(zone)
  const title = certificateTitle(certificate)
  const link = `${publicUrl}/collect/probes`
  if (certificate.end !== null) {
    const { is_renewed, valid_until } = certificate.end
    const ended = is_renewed
      ? `The certificate of ${title} was renewed${valid_until === null ? '' : `: the new one is valid until ${times.minute(valid_until)}`}.`
      : `The certificate of ${title} is not in use any more: its server has another, or what used it was deleted, paused or changed.`
    return cutToLimits({
      subject: is_renewed ? `Recovered: certificate of ${title} renewed` : `Ended: certificate of ${title}`,
      message: asParagraphs([[ended, acknowledgedLine(alert, times)], [link]]),
    })
  }
  const expiresMs = Date.parse(certificate.expires_at)
  const when = expiryWords(expiresMs, nowMs)
  const at = times.minute(certificate.expires_at)
  return cutToLimits({
    subject: `${capital(alert?.severity ?? 'warning')}: certificate of ${title} ${when}`,
    message: asParagraphs([
      [
        `The certificate of ${title} ${when}, on ${at}.`,
        `It is used by ${userWords(certificate)}.`,
        `Names: ${certificate.names.join(', ') || 'none'}. Issued by ${certificate.issuer}.`,
        advice === null ? '' : `What to do: ${advice}.`,
      ],
      [link],
    ]),
  })
}

/** First name of a certificate, and how many there are: `shop.example and 2 more`; without names its server. */
export function certificateTitle({ names, server }: Pick<CertificateData, 'names' | 'server'>): string {
  const [first = server, ...others] = names
  return others.length === 0 ? first : `${first} and ${others.length} more`
}

const userKinds = { probe: 'the check', source: 'the data source', channel: 'the channel' } as const

/** Things that use a certificate: `the check Shop and the channel On call`. */
export function userWords({ used_by }: Pick<CertificateData, 'used_by'>): string {
  const named = used_by.slice(0, maxUsers).map(({ kind, name }) => `${userKinds[kind]} ${name}`)
  const all = used_by.length > maxUsers ? [...named, `${used_by.length - maxUsers} more`] : named
  return all.length < 2 ? (all[0] ?? 'nothing') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}

const maxUsers = 10
