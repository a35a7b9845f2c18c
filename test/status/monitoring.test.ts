import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parsePromql } from '../../src/promql/check.ts'
import { selectorsIn } from '../../src/promql/tree.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { type Exposition, readExposition } from '../support/exposition.ts'
import { fakeSource } from '../support/fake-source.ts'
import { checkout } from '../support/slo-calls.ts'

const folder = join(import.meta.dir, '../../docs/monitoring')
const dashboards = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .toSorted()

let nines: TestApp
let source: ReturnType<typeof fakeSource>
let exposed: Exposition

beforeAll(async () => {
  source = fakeSource(() => 0.9995)
  nines = await testApp({ env: { SOURCE_URL: source.url, METRICS_TOKEN: 'sesame' } })
  await nines.join('ada')
  await nines.call('POST', '/api/v1/slos', checkout)
  await nines.app.evaluator.evaluateAll()
  exposed = readExposition((await nines.call('GET', '/metrics', undefined, { token: 'sesame' })).text)
})
afterAll(async () => {
  await nines.close()
  source.close()
})

/** Metrics that an expression reads and nines does not expose. */
function unknownIn(expression: string): string[] {
  const read = selectorsIn(parsePromql(expression)).map(({ metric }) => metric ?? '')
  return read.filter((name) => !exposed.types.has(name.replace(/_bucket$/, '')))
}

describe('docs/monitoring/alerts.yaml', () => {
  type Rules = { groups: { rules: { alert: string; expr: string }[] }[] }

  test('reads only metrics of nines', async () => {
    const { groups } = Bun.YAML.parse(await Bun.file(join(folder, 'alerts.yaml')).text()) as Rules
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.length).toBeGreaterThan(10)
    expect(rules.map(({ alert, expr }) => [alert, unknownIn(expr)])).toEqual(rules.map(({ alert }) => [alert, []]))
  })

  test('has a test for each rule', async () => {
    const tests = await Bun.file(join(import.meta.dir, 'alert-rules.yaml')).text()
    const { groups } = Bun.YAML.parse(await Bun.file(join(folder, 'alerts.yaml')).text()) as Rules
    const alerts = groups.flatMap((group) => group.rules.map(({ alert }) => alert))
    expect(alerts.filter((alert) => !tests.includes(`alertname="${alert}"`))).toEqual([])
  })

  test('names only conditions of nines', async () => {
    const named = /condition=~"([^"]+)"/.exec(await Bun.file(join(folder, 'alerts.yaml')).text())?.[1]?.split('|') ?? []
    const known = new Set(exposed.all('nines_condition').map(({ labels }) => labels['condition']))
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })

  const isWithout = Bun.which('promtool') === null
  if (isWithout) process.stderr.write('Skipped, "alerts.yaml by promtool": not installed (Debian: prometheus)\n')

  test.skipIf(isWithout && process.env['CI'] !== 'true')(
    'by promtool: each rule fires in its trouble, and none while all is well',
    async () => {
      const options = { cwd: import.meta.dir, stdout: 'pipe', stderr: 'pipe' } as const
      const child = Bun.spawn(['promtool', 'test', 'rules', 'alert-rules.yaml'], options)
      const [printed, said] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      expect([await child.exited, printed.includes('SUCCESS'), said]).toEqual([0, true, ''])
    },
  )
})

describe('the dashboards', () => {
  type Dashboard = {
    templating: { list: { name: string; query: string | { query: string } }[] }
    panels: { title: string; gridPos: { x: number; y: number; w: number; h: number }; targets: { expr: string }[] }[]
  }
  const read = (name: string): Promise<Dashboard> => Bun.file(join(folder, name)).json()
  const variable = /\$\{?(\w+)\}?/g

  test('there are two', () => expect(dashboards).toEqual(['grafana-instance.json', 'grafana-slos.json']))

  test.each(dashboards)('%s reads only metrics of nines', async (name) => {
    const { panels } = await read(name)
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    const readable = expressions.map((one) => one.replaceAll('$__rate_interval', '5m'))
    expect(readable.map((one) => [one, unknownIn(one)])).toEqual(readable.map((one) => [one, []]))
  })

  test.each(dashboards)('%s uses only variables that it declares', async (name) => {
    const { templating } = await read(name)
    const used = [...(await Bun.file(join(folder, name)).text()).matchAll(variable)].map(([, one]) => one ?? '')
    const declared = new Set(templating.list.map((one) => one.name))
    expect([...new Set(used)].filter((one) => !declared.has(one) && !one.startsWith('__'))).toEqual([])
  })

  test.each(dashboards)('the panels of %s lie beside and below each other', async (name) => {
    const places = (await read(name)).panels.map(({ gridPos }) => gridPos)
    const cells = places.flatMap(({ x, y, w, h }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...places.map(({ x, w }) => x + w))).toBe(24)
  })
})
