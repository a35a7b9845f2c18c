import { describe, expect, test } from 'bun:test'
import { isIn, assignProblems } from '../../../../../src/web/page/ui/form/assign-problems.ts'

describe('the problems of a refused form', () => {
  test('stand beside the field that has them or their part, one for each, and the others in the rest', () => {
    const { problemAt, rest } = assignProblems({
      problems: [
        { field: 'configuration.headers.X-Team', message: 'must be 1 to 4096 characters of printable ASCII' },
        { field: 'configuration.headers.X-Shift', message: 'must not be empty' },
        { field: 'configuration.webhook_url', message: 'must be the URL of a webhook' },
        { field: 'configuration.webhook_url', message: 'must be another one' },
        { field: 'max_retries', message: 'must be a whole number from 0 to 100' },
      ],
    })
    expect(problemAt('configuration.webhook_url')).toBe('Must be the URL of a webhook.')
    expect(problemAt('configuration.headers')).toBe(
      'X-Team must be 1 to 4096 characters of printable ASCII. X-Shift must not be empty.',
    )
    expect(problemAt('configuration.head')).toBeUndefined()
    expect(rest()).toBe('Max_retries must be a whole number from 0 to 100.')
  })

  test('of an item of a list are those of the field of the item', () => {
    const { problemAt, rest } = assignProblems({
      problems: [{ field: 'settings.1.severity', message: 'must be page or ticket' }],
    })
    expect([problemAt('severity'), rest()]).toEqual(['Must be page or ticket.', undefined])
  })

  test('of a list are those of its items too, for the control at each place', () => {
    const ofTier = { field: 'burn_rate_tiers.1.factor', message: 'must be above 0', code: 'out_of_range' }
    const { problemsOf, rest } = assignProblems({ problems: [ofTier, { field: 'owner', message: 'must be a list' }] })
    expect(problemsOf('burn_rate_tiers', 'target')).toEqual([ofTier])
    expect(isIn('burn_rate_tiers.1.factor', 'burn_rate_tiers.1')).toBe(true)
    expect(isIn('burn_rate_tiers.0.factor', 'burn_rate_tiers.1.factor')).toBe(false)
    expect(rest()).toBe('Owner must be a list.')
  })

  test('of a hidden field are in the rest, since nothing asks for them', () => {
    expect(assignProblems({ problems: [{ field: 'auth.bearer.token', message: 'must not be empty' }] }).rest()).toBe(
      'Auth.bearer.token must not be empty.',
    )
  })

  test('the problems of a refused form are gone for a value that has changed since, and do not move to the rest', () => {
    const problems = [
      { field: 'url', message: 'must be a URL' },
      { field: 'auth.basic.username', message: 'must not be empty' },
    ]
    const { problemAt, rest } = assignProblems({ problems }, ['url', 'auth'])
    expect([problemAt('url'), problemAt('auth.basic.username'), rest()]).toEqual([undefined, undefined, undefined])
    expect(assignProblems({ problems }, ['urls']).problemAt('url')).toBe('Must be a URL.')
  })

  test('the problems of a refused form have the error of the request in their place if it has none', () => {
    const { problemAt, rest } = assignProblems({ problems: [], error: 'The silence has ended.' })
    expect([problemAt('until'), rest()]).toEqual([undefined, 'The silence has ended.'])
  })
})
