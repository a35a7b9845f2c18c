import { mask, type Opened } from './configurations.ts'

/** Parts of a secret that are shorter are too common to hide, and too short to be of use. */
const leastPart = 6

/**
 * Takes the secrets of a configuration out of what others said: whole, encoded, in parts (path segments and parameters of
 * a URL, words of a header), and where a `…` cut them off.
 */
export function redact(text: string, { type, configuration }: Opened): string {
  const secrets = type.secrets.flatMap((key) => textsIn(configuration[key]))
  const forms = [...new Set(secrets.flatMap((secret) => [secret, ...partsOf(secret)]).flatMap(spellings))]
  if (forms.length === 0) return text
  const longestFirst = forms.toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|'), 'gi')
  return withoutCutEnd(text.replace(pattern, mask), longestFirst)
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function partsOf(secret: string): string[] {
  const url = /^https?:/i.test(secret) ? URL.parse(secret) : null
  const parts = url
    ? [url.href, url.pathname + url.search, url.pathname, ...url.pathname.split('/'), ...url.searchParams.values()]
    : secret.split(/\s+/)
  return [...parts, ...parts.map(decoded)].filter((part) => part.length >= leastPart)
}

function spellings(text: string): string[] {
  const inJson = JSON.stringify(text).slice(1, -1)
  return [text, encodeURI(text), encodeURIComponent(text), inJson, inJson.replaceAll('/', '\\/')]
}

function withoutCutEnd(text: string, forms: string[]): string {
  if (!text.endsWith('…')) return text
  const end = text.slice(0, -1)
  for (const form of forms) {
    for (let length = Math.min(form.length, end.length); length >= leastPart; length -= 1) {
      if (end.endsWith(form.slice(0, length))) return `${end.slice(0, -length)}${mask}…`
    }
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
