import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { cycles, violations } from './architecture.ts'
import { importsIn, importsOfSrc } from './imports.ts'

const root = join(import.meta.dir, '..', '..')

test('src follows "Who may import whom" and "One third-party package, one home"', async () => {
  const imports = await importsOfSrc(root)
  expect(imports.length).toBeGreaterThan(100)
  expect(violations(imports)).toEqual([])
})

test('no file of src imports itself in a circle, types included', async () => {
  expect(cycles(await importsOfSrc(root))).toEqual([])
})

test('a circle of imports is found, and a diamond is none', () => {
  const edges = (...pairs: [string, string][]) => pairs.map(([from, to]) => ({ from, to, typeOnly: true }))
  expect(cycles(edges(['src/a.ts', 'src/b.ts'], ['src/b.ts', 'src/a.ts']))).toEqual([
    'src/a.ts -> src/b.ts -> src/a.ts',
  ])
  const [a, b, c, d] = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts'] as const
  expect(cycles(edges([a, b], [a, c], [b, d], [c, d]))).toEqual([])
})

describe('the checker', () => {
  test.each([
    [
      'src/db/open.ts',
      'src/slos/store.ts',
      'db may import errors, clock, certificate, log, metrics, cidr, role, zone, mail, origin, quotas, concurrency, arithmetic',
    ],
    ['src/errors.ts', 'src/clock.ts', 'errors may import nothing of ours'],
    ['src/log.ts', 'src/db/open.ts', 'log may import errors'],
    [
      'src/http/body.ts',
      'src/db/open.ts',
      'http may import errors, clock, certificate, log, metrics, cidr, role, zone, mail, origin, quotas, concurrency, arithmetic',
    ],
    [
      'src/slos/edit.ts',
      'src/sli/plan/plan.ts',
      'slos may import errors, clock, certificate, log, metrics, cidr, role, zone, mail, origin, quotas, concurrency, arithmetic, db, http',
    ],
    [
      'src/auth/store.ts',
      'src/config.ts',
      'auth may import errors, clock, certificate, log, metrics, cidr, role, zone, mail, origin, quotas, concurrency, arithmetic, db, http',
    ],
    [
      'src/auth/store.ts',
      'src/app.ts',
      'auth may import errors, clock, certificate, log, metrics, cidr, role, zone, mail, origin, quotas, concurrency, arithmetic, db, http',
    ],
    [
      'src/realtime/hub.ts',
      'src/slos/store.ts',
      'realtime may import errors, clock, certificate, log, metrics, cidr, role, zone, mail, origin, quotas, concurrency, arithmetic, http',
    ],
    ['src/utils/text.ts', 'src/errors.ts', 'the architecture knows no "utils"'],
    ['src/slos/arithmetic/budget.ts', 'src/db/open.ts', 'arithmetic may import nothing of ours'],
    ['src/notifications/channels/schemas/chat.ts', 'src/errors.ts', 'channel-schemas may import nothing of ours'],
    [
      'src/web/page/main.tsx',
      'src/clock.ts',
      'the page and the server import nothing of each other but slos/arithmetic and schemas of channels',
    ],
    ['src/web/page/ui/field.tsx', 'src/web/page/pages/slo/slo.tsx', 'nothing but the router imports pages'],
    ['src/web/page/app/shell/shell.tsx', 'src/web/page/pages/slo/slo.tsx', 'nothing but the router imports pages'],
    [
      'src/web/page/pages/incidents/incidents.tsx',
      'src/web/page/pages/slo/slo.tsx',
      'a page imports nothing of another page',
    ],
    [
      'src/web/page/ui/read.tsx',
      'src/web/page/slo/words.ts',
      'ui of the page may import clock, zone, format, words, address, api',
    ],
    ['src/web/page/format.ts', 'src/web/page/words.ts', 'format of the page may import zone'],
    ['src/web/page/helpers/text.ts', 'src/web/page/words.ts', 'the architecture knows no "helpers" of the page'],
    ['src/slos/edit.ts', 'kysely', 'the home of kysely is src/db/**, src/**/{store,*-store}.ts'],
    ['src/db/open.ts', 'better-sqlite3/linux-x64', 'the home of better-sqlite3 is src/db/sqlite.ts'],
    [
      'src/slos/edit.ts',
      'elysia',
      'the home of elysia is src/server.ts, src/http/**, src/**/{routes,*-routes,model,*-model,messages,socket}.ts',
    ],
    ['src/slos/edit.ts', 'lodash', 'lodash has no home yet; give it one in test/project/architecture.ts'],
    ['src/slos/edit.ts', 'test/support/app.ts', 'the program does not depend on its tests and scripts'],
    ['src/slos/edit.ts', '../elsewhere/file.ts', 'it lies outside the project'],
  ])('refuses %s importing %s', (from, to, problem) => {
    expect(violations([{ from, to, typeOnly: false }])).toEqual([`${from} imports ${to}: ${problem}`])
  })

  test.each([
    ['src/db/open.ts', 'src/errors.ts'],
    ['src/db/open.ts', 'src/db/sqlite.ts'],
    ['src/db/open.ts', 'schema.sql'],
    ['src/db/open.ts', 'node:path'],
    ['src/slos/query-store.ts', 'kysely'],
    ['src/sources/routes.ts', 'elysia'],
    ['src/http/signed-in.ts', 'elysia/type-system'],
    ['src/sli/calculate.ts', 'src/slos/budget.ts'],
    ['src/jobs/evaluate-slos.ts', 'src/ledger/close.ts'],
    ['src/cli/serve.ts', 'src/app.ts'],
    ['src/main.ts', 'src/cli/run.ts'],
    ['src/web/page/what-if/what-if.ts', 'src/slos/arithmetic/budget.ts'],
    ['src/web/page/app/app.tsx', 'src/web/page/pages/slo/slo.tsx'],
    ['src/web/page-routes.ts', 'src/web/page/address/routes.ts'],
    ['src/web/page/pages/slo/slo.tsx', 'src/web/page/pages/slo/states/slo-menu.tsx'],
    ['src/web/page/pages/incidents/incidents.tsx', 'src/web/page/incidents/alert-table.tsx'],
    ['src/web/page/pages/notify/channels/products.ts', 'src/notifications/channels/schemas/index.ts'],
  ])('lets %s import %s', (from, to) => {
    expect(violations([{ from, to, typeOnly: false }])).toEqual([])
  })

  test.each([
    ['src/notifications/alerts.ts', 'src/evaluation/evaluate.ts'],
    ['src/auth/store.ts', 'src/config.ts'],
  ])('lets %s import %s as types, and only so', (from, to) => {
    expect(violations([{ from, to, typeOnly: true }])).toEqual([])
    expect(violations([{ from, to, typeOnly: false }])).toHaveLength(1)
  })
})

test('the reader of imports sees every form', () => {
  const text = `
import plain from 'a'
import { one, type Two } from './b.ts'
import {
  type Three,
  type Four,
} from '../c.ts'
import type { Five } from '../../d.ts'
import * as all from "e"
import 'f'
export { six } from './g.ts'
export * from './h.ts'
export const notAnImport = 'from'
const lazy = await import('./i.ts')
const old = require('j/k')
`
  const seen = importsIn('src/x/y.ts', text).map(({ to, typeOnly }) => (typeOnly ? `type ${to}` : to))
  expect(seen.toSorted()).toEqual(
    [
      'a',
      'src/x/b.ts',
      'type src/c.ts',
      'type d.ts',
      'e',
      'f',
      'src/x/g.ts',
      'src/x/h.ts',
      'src/x/i.ts',
      'j/k',
    ].toSorted(),
  )
})
