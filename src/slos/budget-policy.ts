import { assertNone, type Problem } from '../errors.ts'
import { isText } from '../http/schemas.ts'
import { type PolicyInForce, policyInForce, type PolicyLine } from './arithmetic/budget-policy.ts'

export const maxLines = 4
export const maxTextLength = 300
export const maxUrlLength = 2000
export const maxPercent = 99

type SentLine = Omit<PolicyLine, 'url'> & { url?: string }

/** Reads an error budget policy as sent, the highest percent first; empty if none was sent. Throws `invalid`, naming each problem. */
export function readPolicy(sent: unknown = []): PolicyLine[] {
  assertNone(policyProblems(sent))
  const lines = (sent as SentLine[]).map(({ percent_left, text, url = '' }) => {
    return { percent_left, text: text.trim(), url: url.trim() }
  })
  return lines.toSorted((a, b) => b.percent_left - a.percent_left)
}

/** Problems that make `readPolicy` throw. */
export function policyProblems(sent: unknown = []): Problem[] {
  const field = 'budget_policy'
  if (!Array.isArray(sent) || sent.length > maxLines)
    return [{ field, message: `must be a list of at most ${maxLines} entries` }]
  const problems = sent.flatMap((line: unknown, at) => lineProblems(line, `${field}.${at}`))
  if (problems.length > 0) return problems
  const percents = (sent as PolicyLine[]).map(({ percent_left }) => percent_left)
  return new Set(percents).size < percents.length ? [{ field, message: 'must have each percent_left once' }] : []
}

function lineProblems(line: unknown, field: string): Problem[] {
  if (typeof line !== 'object' || line === null || Array.isArray(line)) {
    return [{ field, message: 'must be an object with percent_left and text' }]
  }
  const { percent_left: percent, text, url = '', ...others } = line as Record<string, unknown>
  const [unknown] = Object.keys(others)
  const rules: [name: string, isRight: boolean, message: string][] = [
    ['percent_left', isPercent(percent), `must be a whole number from 0 to ${maxPercent}`],
    ['text', isLine(text), `must be 1 to ${maxTextLength} characters, no control characters`],
    ['url', isLink(url), `must be ${linkText}`],
    [unknown?.slice(0, 50) ?? '', unknown === undefined, 'is not a field of a line'],
  ]
  return rules.flatMap(([name, isRight, message]) => (isRight ? [] : [{ field: `${field}.${name}`, message }]))
}

function isPercent(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxPercent
}

function isLine(value: unknown): boolean {
  return typeof value === 'string' && isText(value, { max: maxTextLength })
}

/** Rule of `isLink`, as the end of a sentence. */
export const linkText = `an http(s) URL of at most ${maxUrlLength} characters without user name, password and invisible characters, or empty`

/**
 * True for an address that people open in a browser, and for an empty text. Characters that are not shown, or that turn the direction of
 * a text, would hide where it leads.
 */
export function isLink(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const text = value.trim()
  if (text === '') return true
  const url = /^https?:\/\/[^\s\p{Cc}\p{Cf}\p{Cs}]+$/iu.test(text) ? URL.parse(text) : null
  return url !== null && text.length <= maxUrlLength && url.username === '' && url.password === ''
}

/** Own policy of an SLO or team. */
export function parsePolicy({ budget_policy }: { budget_policy: string }): PolicyLine[] {
  return JSON.parse(budget_policy)
}

/** Columns of an SLO that decide its policy; `team_policy`: `budget_policy` of its team. */
export type PolicyColumns = { budget_policy: string; team_policy: string }

/** Policy that holds for an SLO; null: it has none, nor has its team. */
export function readPolicyInForce({ budget_policy, team_policy }: PolicyColumns): PolicyInForce | null {
  return policyInForce(JSON.parse(budget_policy), JSON.parse(team_policy))
}
