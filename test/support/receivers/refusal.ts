import { expect } from 'bun:test'

/**
 * A documented answer other than success, and the outcome nines must record. `retryAfterMs`: the delay it requests. `error`: the
 * whole error; absent: the status, and the error that the body names.
 */
export type Refusal = {
  status: number
  body: string | object
  headers?: Record<string, string>
  outcome: 'retry' | 'failed'
  retryAfterMs?: number
  error?: string
}

export function refuse({ status, body, headers = {} }: Refusal): Response {
  if (typeof body !== 'string') return Response.json(body, { status, headers })
  return new Response(status === 204 ? null : body, { status, headers })
}

/** Expected delivery outcome. */
export function outcomeOfRefusal({
  status,
  body,
  outcome,
  retryAfterMs,
  error = expect.stringMatching(saidOf({ status, body })),
}: Refusal) {
  return { outcome, statusCode: status, error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

const codes = /^[a-z]+(?:_[a-z]+)+$/

/** Pattern of nines' error for an answer: with the error named in its JSON or as a Slack code, without other texts. */
function saidOf({ status, body }: Pick<Refusal, 'status' | 'body'>): RegExp {
  const said = typeof body === 'string' ? (codes.test(body) ? body : '') : saidIn(body)
  return new RegExp(`^the receiver answered ${status}(?:, not ok)?${said === '' ? '' : `: ${RegExp.escape(said)}`}$`)
}

type Body = {
  errorDescription?: string
  error?: string | { message: string }
  message?: string
  description?: string
  errors?: unknown
}

function saidIn({ errorDescription, error, message, description, errors }: Body): string {
  const first = errorDescription || (typeof error === 'object' ? error.message : error) || message || description
  return [first, ...(Array.isArray(errors) ? errors : [])].filter(Boolean).join(': ')
}

/** A message as a user sees it, in any chat product. */
export type Shown = {
  title: string
  link: string | null
  text: string
  data: Record<string, string>
  colour: string
}

/** Decodes `&amp;`, `&lt;` and `&gt;`; throws if the text was not escaped. */
export function unescaped(text: string): string {
  if (/[<>]|&(?!(?:amp|lt|gt);)/.test(text)) throw new Error(`not escaped: ${text}`)
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
