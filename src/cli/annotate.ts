import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

const timeoutMs = 30_000

const options = {
  url: { type: 'string' },
  'token-file': { type: 'string' },
  kind: { type: 'string', default: 'deploy' },
  service: { type: 'string' },
  label: { type: 'string', multiple: true },
  version: { type: 'string' },
  link: { type: 'string' },
  text: { type: 'string' },
  at: { type: 'string' },
} as const

/**
 * `nines annotate --url … --token-file …`: reports a deploy, a change or a note to a nines that runs elsewhere. Exits with 1, and
 * says why, if that nines refuses the report or does not answer.
 */
export async function annotate(args: string[]): Promise<number> {
  const { url, tokenFile, body } = readArguments(args)
  const token = readFileSync(tokenFile === '-' ? 0 : tokenFile, 'utf8').trim()
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw new Error(`${url.origin} does not answer: ${cause instanceof Error ? cause.message : cause}`, { cause })
  })
  const answer = (await response.json().catch(() => ({}))) as Answer
  if (response.status !== 201 || answer.data === undefined) {
    throw new Error(
      `HTTP ${response.status}: ${answer.details ?? answer.error ?? 'the answer is not from nines; check --url'}`,
    )
  }
  const { id, slo_count: count } = answer.data
  process.stdout.write(`annotation ${id} matches ${count} ${count === 1 ? 'SLO' : 'SLOs'}\n`)
  return 0
}

type Answer = { data?: { id: number; slo_count: number }; error?: string; details?: string }

function readArguments(args: string[]) {
  const { url, 'token-file': tokenFile, label = [], link, ...fields } = parse(args)
  if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    const got = url === undefined || /[@?]/.test(url) ? '' : `, got "${url}"` // never a password
    throw new UsageError(`--url must be the address of nines, as in https://nines.example.com${got}`)
  }
  const { username, password } = new URL(url)
  if (username || password) throw new UsageError('--url must be without a name and password')
  if (tokenFile === undefined) throw new UsageError('--token-file must be a file with an API token, or - for stdin')
  if (fields.service === undefined && label.length === 0) {
    throw new UsageError('--service or --label must say which SLOs it is about')
  }
  const labels = Object.fromEntries(
    label.map((text) => {
      const equals = text.indexOf('=')
      if (equals < 1) throw new UsageError(`--label must be name=value, got "${text}"`)
      return [text.slice(0, equals), text.slice(equals + 1)]
    }),
  )
  return {
    url: new URL(`${url.replace(/\/+$/, '')}/api/v1/annotations`),
    tokenFile,
    body: { ...fields, labels, url: link },
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options }).values
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new UsageError(cause.message.replace(/\.\s[^]*/, ''), { cause }) // without the advice about dashes
  }
}
