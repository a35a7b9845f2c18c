import { outboundSentences } from '../http/outbound/error.ts'
import { mask, minMasked as minPart, secretPattern } from '../http/secrets.ts'
import type { Opened } from './configurations.ts'

/** Words that nines puts before those of a receiver. They contain no secret, but a secret may equal one of them. */
const ownWords = /^(?:the receiver answered \d{3}(?:, not ok)?|the mail server refused (?:[a-z ]+|STARTTLS))(?=: |$)/

/** Masks the secrets of a configuration in an error, except in words that are always those of nines. */
export function redact(error: string, opened: Opened): string {
  if (outboundSentences.has(error)) return error
  const own = ownWords.exec(error)?.[0] ?? ''
  return own + redactOutside(error.slice(own.length), opened)
}

/**
 * Masks the secrets of a configuration in a text from outside: whole, encoded, in parts (path segments and parameters of a URL,
 * words of a header, user name and password), within base64, and cut off by `…`.
 */
function redactOutside(text: string, { type, configuration }: Opened): string {
  const secrets = type.secrets.flatMap((key) => textsIn(configuration[key]))
  const allSecrets = [...secrets, ...secrets.flatMap(passwordsIn)]
  const inBase64 = new Set(allSecrets.flatMap(base64Within))
  const forms = new Set([
    ...allSecrets.flatMap((secret) => [secret, ...partsOf(secret)]).flatMap(spellings),
    ...inBase64,
  ])
  const lower = text.toLowerCase()
  const present = [...forms].filter((form) => lower.includes(form.toLowerCase())) // one pattern of all forms could be too large
  if (present.length === 0) return withoutCutEnd(text, forms)
  const patterns = present
    .toSorted((a, b) => b.length - a.length)
    .map((form) => (inBase64.has(form) ? `${base64Run}${RegExp.escape(form)}${base64Run}=*` : secretPattern(form)))
  return withoutCutEnd(text.replace(new RegExp(patterns.join('|'), 'gi'), mask), forms)
}

const base64Run = '[a-z0-9+/_-]*'

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function partsOf(secret: string): string[] {
  const url = /^https?:/i.test(secret) ? URL.parse(secret) : null
  const parts = url
    ? [url.href, url.pathname + url.search, url.pathname, ...url.pathname.split('/'), ...url.searchParams.values()]
    : secret.split(/\s+/)
  const all = [...parts, ...parts.map(decoded)]
  // runs of characters that no encoding changes, so that they are found even in a doubly encoded text
  const plain = all.filter((part) => !part.includes('://')).flatMap((part) => part.split(/[^\w.~-]+/))
  return [...all, ...plain].filter((part) => part.length >= minPart)
}

/** Secrets in a header `Authorization: Basic …`: user name and password together, and the password alone. */
function passwordsIn(header: string): string[] {
  const encoded = /^basic +([\w+/-]+=*)$/i.exec(header)?.[1]
  const both = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString()
  return both.includes(':') ? [both, both.slice(both.indexOf(':') + 1)].filter((text) => text !== '') : []
}

/** Base64 characters of a text that stay the same at each of the three alignments within a longer encoded text. */
function base64Within(text: string): string[] {
  const bytes = Buffer.from(text)
  return [0, 1, 2].flatMap((bytesBefore) => {
    const encoded = Buffer.concat([Buffer.alloc(bytesBefore), bytes]).toString('base64')
    const core = encoded.slice(Math.ceil((bytesBefore * 8) / 6), Math.floor(((bytesBefore + bytes.length) * 8) / 6))
    return core.length < minPart ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Forms in which a receiver may quote a text: as it is, in a URL, in JSON (Go also escapes `&<>`), and in HTML. */
function spellings(text: string): string[] {
  if (/^[\w.~-]*$/.test(text)) return [text]
  const inJson = JSON.stringify(text).slice(1, -1)
  const inGo = inJson.replace(/[&<>]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
  const forms = [text, encodeURI(text), encodeURIComponent(text), inJson, inJson.replaceAll('/', '\\/'), inGo]
  return [...forms, ...htmlEntities.map((written) => text.replace(/[&<>"']/g, (char) => written[char] ?? char))]
}

/** HTML entities as PHP, Python, Go and others write them. */
const htmlEntities = [`&quot; &#39;`, `&quot; &#039;`, `&quot; &#x27;`, `&#34; &#39;`].map(
  (both): Record<string, string> => {
    const [double = '', single = ''] = both.split(' ')
    return { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': double, "'": single }
  },
)

/** Masks the beginning of a secret at the end of a text that is cut off by `…`. */
function withoutCutEnd(text: string, forms: Set<string>): string {
  if (!text.endsWith('…')) return text
  const end = text.slice(0, -1)
  const byBeginning = Map.groupBy(forms, (form) => form.slice(0, minPart))
  for (let at = 0; at + minPart <= end.length; at += 1) {
    const tail = end.slice(at)
    const isCutOff = byBeginning.get(tail.slice(0, minPart))?.some((form) => form.startsWith(tail))
    if (isCutOff) return `${end.slice(0, at)}${mask}…`
  }
  return text
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
