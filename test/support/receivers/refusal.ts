import { expect } from 'bun:test'

/** A documented answer other than success, and the outcome nines must record. `wait`: the retry delay it requests, in ms. */
export type Refusal = {
  status: number
  body: string | object
  headers?: Record<string, string>
  becomes: 'retry' | 'failed'
  wait?: number
}

export function refuse({ status, body, headers = {} }: Refusal): Response {
  return typeof body === 'string' ? new Response(body, { status, headers }) : Response.json(body, { status, headers })
}

/** Expected delivery outcome: its error contains the beginning of the answer's error. */
export function outcomeOfRefusal({ status, body, becomes, wait }: Refusal) {
  const error = expect.stringMatching(saidOf({ status, body }))
  return { outcome: becomes, statusCode: status, error, ...(wait === undefined ? {} : { retryAfterMs: wait }) }
}

const codes = /^[a-z]+(?:_[a-z]+)+$/

/** Pattern of nines' error for an answer: with the error named in its JSON or as a Slack code, without other texts. */
export function saidOf({ status, body }: Pick<Refusal, 'status' | 'body'>): RegExp {
  const { error, message, description } =
    typeof body === 'string' ? { error: codes.test(body) ? body : '' } : named(body)
  const said = error || message || description || ''
  return new RegExp(`^the receiver answered ${status}(?:, not ok)?${said === '' ? '' : `: ${RegExp.escape(said)}`}$`)
}

function named(body: object): { error?: string; message?: string; description?: string } {
  return body
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
