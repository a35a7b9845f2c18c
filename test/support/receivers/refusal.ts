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
  const said = typeof body === 'string' ? body : JSON.stringify(body)
  const error = expect.stringContaining(said.slice(0, 100))
  return { outcome: becomes, statusCode: status, error, ...(wait === undefined ? {} : { retryAfterMs: wait }) }
}

/** A message as a person sees it, whatever chat it is in. */
export type Shown = {
  title: string
  link: string | null
  text: string
  facts: Record<string, string>
  colour: string
}

/** `&amp;`, `&lt;` and `&gt;` as people read them; throws for what was not escaped. */
export function unescaped(text: string): string {
  if (/[<>]|&(?!(?:amp|lt|gt);)/.test(text)) throw new Error(`not escaped: ${text}`)
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
