import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { csvTables, renderCsv } from '../../src/reports/render-csv.ts'
import { renderHtml } from '../../src/reports/render-html.ts'
import type { ReportData } from '../../src/reports/report.ts'
import type { TestApp } from '../support/app.ts'
import { madeReport, reportWorld } from './report-world.ts'

/** `NINES_GOLDEN=1` writes the files again after a change that is meant. */
const isWriting = process.env['NINES_GOLDEN'] === '1'
const folder = join(import.meta.dir, 'golden')

let nines: TestApp
let data: ReportData
beforeAll(async () => {
  nines = await reportWorld()
  data = (await madeReport(nines)).body.data.report
})
afterAll(() => nines.close())

async function expectGolden(name: string, text: string): Promise<void> {
  const file = Bun.file(join(folder, `${name}.golden`)) // an ending that no formatter knows
  if (isWriting) await Bun.write(file, text)
  expect(text).toBe(await file.text())
}

test('the HTML file is that of the golden file', async () => {
  await expectGolden('october.html', [...renderHtml(data)].join(''))
})

test('the JSON twin is that of the golden file', async () => {
  await expectGolden('october.json', `${JSON.stringify(data, null, 2)}\n`)
})

test.each(csvTables)('the CSV twin of %s is that of the golden file', async (table) => {
  await expectGolden(`october.${table}.csv`, [...renderCsv(data, table)].join(''))
})

test('names cannot become elements, attributes, links or formulas', () => {
  const hostile = '"><script>alert(1)</script>\u202e\u0000<img src=x onerror=alert(1)>'
  const [slo] = data.slos
  const [incident] = data.incidents
  const [deploy] = data.deploys
  const [change] = data.changes
  if (!slo || !incident?.account || !deploy || !change) throw new Error('the world must have them')
  const attacked: ReportData = {
    ...data,
    name: hostile,
    title: hostile,
    organization: hostile,
    scope: { kind: 'labels', text: hostile },
    slos: [{ ...slo, name: hostile, owner: hostile }],
    incidents: [
      {
        ...incident,
        slo_name: hostile,
        cause: hostile,
        account: { ...incident.account, text: hostile, by: hostile, url: 'javascript:alert(1)' },
      },
    ],
    deploys: [{ ...deploy, title: hostile, url: 'javascript:alert(1)' }],
    changes: [{ ...change, slo_name: hostile, fields: [{ field: 'name', before: hostile, after: '=1+1' }] }],
  }
  const html = [...renderHtml(attacked)].join('')
  expect(html).not.toMatch(/<script|<img|href="javascript|\u202e/)
  expect(html.match(/<[a-z]+ [^>]*onerror/g)).toBeNull()
  expect([...renderCsv({ ...attacked, slos: [{ ...slo, name: '=1+1' }] }, 'slos')].join('')).toContain(",'=1+1,")
})

test('the HTML file loads nothing and has no script', () => {
  const html = [...renderHtml(data)].join('')
  expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|url\(/)
  expect(html.match(/ src=/g)).toBeNull()
})
