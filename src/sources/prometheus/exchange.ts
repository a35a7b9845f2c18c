import { credentialHeaders } from '../../http/endpoint-auth.ts'
import type { Outbound, OutboundAnswer } from '../../http/outbound/outbound.ts'
import { takeText } from '../../http/outbound/body.ts'
import type { SourceAccess } from '../source.ts'
import { endpointOf } from './access.ts'
import { GarbledAnswer } from './answer.ts'

/** One HTTP answer, with its body as text. */
export type Reply = { status: number; headers: Headers; text: string }

/** A path of the API and its parameters. */
export type Question = { path: 'query' | 'query_range' | 'metadata'; parameters: Record<string, string> }

type Way = { outbound: Outbound; toPrivate: boolean }

/** What is remembered between the requests to a source: whether this address answers GET only. */
export type Manners = { getOnlyUrl: string | null }

/** Unpacked: 10,000 points, the most that are asked for at once, of some 50 series. */
export const maxBodyBytes = 16 * 1024 * 1024

/** Of an error page nobody reads more than the first lines. */
const maxErrorBytes = 64 * 1024

/**
 * Asks by form POST, which takes queries of any length, and by GET where a POST is answered 405 (read-only proxies), as is
 * one for `metadata` everywhere.
 * Throws `GarbledAnswer` for a body that is too large, `OutboundError`, and either that or its reason when `signal` is
 * aborted.
 */
export async function exchange(
  way: Way,
  access: SourceAccess,
  manners: Manners,
  question: Question,
  signal: AbortSignal,
): Promise<Reply> {
  if (question.path === 'metadata') return send(way, access, 'GET', question, signal)
  if (manners.getOnlyUrl !== access.apiUrl) {
    const reply = await send(way, access, 'POST', question, signal)
    if (reply.status !== 405) return reply
  }
  const reply = await send(way, access, 'GET', question, signal)
  manners.getOnlyUrl = reply.status === 405 ? null : access.apiUrl
  return reply
}

async function send(
  { outbound, toPrivate }: Way,
  access: SourceAccess,
  method: 'GET' | 'POST',
  { path, parameters }: Question,
  signal: AbortSignal,
): Promise<Reply> {
  const url = endpointOf(access, path)
  const { organizationId } = access
  const headers = { ...credentialHeaders(access.auth), accept: 'application/json' }
  const request = { method, headers, signal, organizationId, toPrivate, maxBytes }
  if (method === 'GET') {
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return receive(await outbound.fetch(url.href, request))
  }
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(parameters).toString()
  return receive(await outbound.fetch(url.href, { ...request, headers: form, body }))
}

const isSuccess = (status: number) => status >= 200 && status < 300
const maxBytes = (status: number) => (isSuccess(status) ? maxBodyBytes : maxErrorBytes)

function receive({ status, headers, body, isCut }: OutboundAnswer): Reply {
  if (isSuccess(status) && isCut) throw new GarbledAnswer(`answered with more than ${maxBodyBytes / 1024 / 1024} MB`)
  return { status, headers, text: takeText(body) }
}
