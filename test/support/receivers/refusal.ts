import { expect } from 'bun:test'

/** A documented answer other than success, and what nines has to make of it: `wait`, in ms, is what it asks for. */
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

/** What nines has to make of it: the outcome repeats the beginning of what was said. */
export function outcomeOfRefusal({ status, body, becomes, wait }: Refusal) {
  const error = expect.stringMatching(saidOf({ status, body }))
  return { outcome: becomes, statusCode: status, error, ...(wait === undefined ? {} : { retryAfterMs: wait }) }
}

const codes = /^[a-z]+(?:_[a-z]+)+$/

/** The error a body names, in JSON or as one of the codes of Slack; of any other text nothing. */
export function saidOf({ status, body }: Pick<Refusal, 'status' | 'body'>): RegExp {
  const { error, message, description } =
    typeof body === 'string' ? { error: codes.test(body) ? body : '' } : named(body)
  const said = error || message || description || ''
  return new RegExp(`^the receiver answered ${status}(?:, not ok)?${said === '' ? '' : `: ${RegExp.escape(said)}`}$`)
}

function named(body: object): { error?: string; message?: string; description?: string } {
  return body
}

/** A message as a person sees it, whatever chat it is in. */
export type Shown = {
  title: string
  link: string | null
  text: string
  data: Record<string, string>
  colour: string
}

/** `&amp;`, `&lt;` and `&gt;` as people read them; throws for what was not escaped. */
export function unescaped(text: string): string {
  if (/[<>]|&(?!(?:amp|lt|gt);)/.test(text)) throw new Error(`not escaped: ${text}`)
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
