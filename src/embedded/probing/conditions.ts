import type { IncomingHttpHeaders } from 'node:http'
import type { HttpSettings } from '../collection/target.ts'
import { ProbeFailure } from './connect.ts'
import type { Gauges } from './gauges.ts'
import { readJson, readJsonCondition } from './json-condition.ts'
import { compilePattern } from './pattern.ts'

/** The part of an answer that has come. `isCut`: the body is longer than `text`. */
type Answer = { headers: IncomingHttpHeaders; text: string; isCut: boolean }

/** Throws `ProbeFailure` for the first condition that headers or body of an answer do not meet. */
export function assertAnswer(answer: Answer, settings: HttpSettings, gauges: Gauges): void {
  gauges.set('probe_failed_due_to_regex', 1)
  assertHeaders(answer, settings)
  assertText(answer, settings)
  gauges.set('probe_failed_due_to_regex', 0)
  assertJson(answer, settings)
}

function assertHeaders({ headers }: Answer, { headerMatches }: HttpSettings): void {
  for (const [name, pattern] of Object.entries(headerMatches)) {
    const values = [headers[name.toLowerCase()] ?? []].flat()
    if (values.length === 0) throw new ProbeFailure(`the answer has no header ${name}`)
    if (!values.some(compilePattern(pattern))) {
      throw new ProbeFailure(`the answer's header ${name} does not match ${pattern}`)
    }
  }
}

function assertText({ text }: Answer, settings: HttpSettings): void {
  const { bodyContains, bodyContainsNot, bodyMatches, bodyMatchesNot } = settings
  if (bodyContainsNot !== null && text.includes(bodyContainsNot)) {
    throw new ProbeFailure(`the body contains ${JSON.stringify(bodyContainsNot)}`)
  }
  if (bodyContains !== null && !text.includes(bodyContains)) {
    throw new ProbeFailure(`the body does not contain ${JSON.stringify(bodyContains)}`)
  }
  if (bodyMatchesNot !== null && compilePattern(bodyMatchesNot)(text)) {
    throw new ProbeFailure('the body matches what it must not match')
  }
  if (bodyMatches !== null && !compilePattern(bodyMatches)(text)) {
    throw new ProbeFailure('the body does not match what it must match')
  }
}

function assertJson({ text, isCut }: Answer, { jsonConditions }: HttpSettings): void {
  if (jsonConditions.length === 0) return
  if (isCut) throw new ProbeFailure('the answer is too long to be read as JSON')
  const body = readJson(text)
  if (body === undefined) throw new ProbeFailure('the answer is not JSON')
  for (const condition of jsonConditions) {
    const reason = readJsonCondition(condition)?.(body) ?? null
    if (reason !== null) throw new ProbeFailure(reason)
  }
}

/** Throws `ProbeFailure` for an answer that came, with its redirects, in `ms` and should have come sooner. */
export function assertFast(ms: number, { responseTimeBelowMs: limitMs }: HttpSettings): void {
  if (limitMs === null || ms < limitMs) return
  throw new ProbeFailure(`the answer took ${Math.round(ms)} ms, expected below ${limitMs} ms`)
}
