import { afterEach, describe, expect, test } from 'bun:test'
import { readTlsPair } from '../../../src/http/connections/tls-pair.ts'
import { createTlsRenewal } from '../../../src/http/connections/tls-renewal.ts'
import { closeAll } from '../../support/closing.ts'
import { certificate, filesOf, nowMs } from './pair-files.ts'

afterEach(closeAll)

/** A renewal that looks at these files; `serve` fails while `refuses` is set. */
function renewing(first = certificate(60)) {
  const { files, write } = filesOf(first)
  const state = { refuses: false, served: '', problem: null as string | null, logged: [] as string[] }
  const at = (message: string) => void state.logged.push(message)
  const renewal = createTlsRenewal({
    files,
    served: readTlsPair(files),
    serve({ cert }) {
      if (state.refuses) throw new Error('not this one')
      state.served = cert
    },
    clock: { now: () => nowMs },
    log: { info: at, error: at },
    report: (problem) => void (state.problem = problem),
  })
  return { state, write, check: renewal.check }
}

describe('a certificate that is renewed', () => {
  test('is served from the next look on, once', () => {
    const { state, write, check } = renewing()
    check()
    expect(state).toMatchObject({ served: '', problem: null, logged: [] })
    const next = certificate(90)
    write(next)
    check()
    check()
    expect(state).toMatchObject({ served: next.cert, problem: null, logged: ['TLS certificate renewed'] })
  })

  test('is no problem while only one of its files has been written', () => {
    const { state, write, check } = renewing()
    const next = certificate(90)
    write({ cert: next.cert })
    check()
    expect(state).toMatchObject({ served: '', problem: null })
    write({ key: next.key })
    check()
    expect(state).toMatchObject({ served: next.cert, problem: null })
  })

  test('is a problem at the second look if it cannot be served, and the one before stays', () => {
    const { state, write, check } = renewing()
    write({ key: certificate(90).key })
    check()
    check()
    expect(state.served).toBe('')
    expect(state.problem).toMatch(
      /TLS_KEY: .* is not the key of .*; the certificate from before is served, until 2026-04-30T/,
    )
    expect(state.logged).toEqual(['TLS certificate not renewed'])
  })

  test('is a problem at once if somebody asks for it', () => {
    const { state, write, check } = renewing()
    write({ cert: 'rubbish' })
    check({ isAsked: true })
    expect(state.problem).toContain('TLS_CERT')
  })

  test('is tried again where listening with it failed', () => {
    const { state, write, check } = renewing()
    const next = certificate(90)
    write(next)
    state.refuses = true
    check({ isAsked: true })
    expect(state.problem).toContain('not this one')
    state.refuses = false
    check()
    expect(state).toMatchObject({ served: next.cert, problem: null })
  })

  test('is not taken over if it has expired and the one before has not', () => {
    const { state, write, check } = renewing()
    write(certificate(-1, -90))
    check({ isAsked: true })
    expect(state.served).toBe('')
    expect(state.problem).toContain('has been replaced by a certificate that has expired')
  })

  test('ends the problem of one that expires', () => {
    const { state, write, check } = renewing(certificate(5))
    check()
    expect(state.problem).toBe('the certificate of TLS_CERT expires in 5 days')
    write(certificate(90))
    check()
    expect(state.problem).toBeNull()
  })
})
