import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeConfig, readConfig } from '../../src/config.ts'
import { channelTypes } from '../../src/notifications/channels/index.ts'
import { conditionNames, severityOf } from '../../src/status/watch/conditions.ts'
import { testApp } from '../support/app.ts'
import { anchorsIn, brokenLink, linksIn, markdownFiles } from './markdown.ts'

const root = join(import.meta.dir, '..', '..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

describe('the Markdown reader', () => {
  test('finds links, and none in code', () => {
    const text = 'See [a](b.md#c) and [d](https://e.example), not `[f](g.md)`.\n\n```sh\n[h](i.md)\n```\n[j](#k)'
    expect(linksIn('docs/x.md', text)).toEqual([
      { from: 'docs/x.md', written: 'b.md#c', to: 'docs/b.md', anchor: 'c' },
      { from: 'docs/x.md', written: '#k', to: 'docs/x.md', anchor: 'k' },
    ])
  })

  test('makes the anchors that GitHub makes', () => {
    const text = '# A title\n## E-mail: `email`\n## What is refused, and `force`\n## A title\n```\n# none\n```'
    expect([...anchorsIn(text)]).toEqual(['a-title', 'e-mail-email', 'what-is-refused-and-force', 'a-title-1'])
  })

  test('notices links that lead nowhere', () => {
    const broken = (text: string) => linksIn('README.md', text).map((link) => brokenLink(root, link, textOf))
    expect(broken('[a](docs/nowhere.md) [b](docs/slos.md#nowhere) [c](docs/slos.md#latency) [d](docs/)')).toEqual([
      'there is no docs/nowhere.md',
      'docs/slos.md has no heading #nowhere',
      null,
      null,
    ])
  })
})

describe('the documents', () => {
  test.each(markdownFiles(root))('%s links to files and headings that exist', (file) => {
    const broken = linksIn(file, textOf(file)).flatMap((link) => {
      const reason = brokenLink(root, link, textOf)
      return reason === null ? [] : [`${link.written}: ${reason}`]
    })
    expect(broken).toEqual([])
  })

  test('README.md is at most 7,000 bytes', () => {
    expect(Buffer.byteLength(textOf('README.md'))).toBeLessThanOrEqual(7000)
  })

  test('docs/README.md links to every page of docs/', () => {
    const linked = new Set(linksIn('docs/README.md', textOf('docs/README.md')).map(({ to }) => to.replace(/\/$/, '')))
    const pages = markdownFiles(root).filter((file) => /^docs\/[^/]+\.md$/.test(file) && file !== 'docs/README.md')
    expect(pages.filter((page) => !linked.has(page))).toEqual([])
  })
})

describe('docs/configuration.md', () => {
  const settings = describeConfig(readConfig({}))
  const rows = settingRows(textOf('docs/configuration.md'))
  const documented = new Map(rows)

  test.each(settings.map(({ name }) => name))('has a row for %s', (name) => {
    expect(documented.has(name)).toBe(true)
  })

  test('has a row for no setting that does not exist', () => {
    const known = new Set(settings.map(({ name }) => name))
    expect([...documented.keys()].filter((name) => !known.has(name))).toEqual([])
  })

  test('has each setting once', () => {
    expect(rows.map(([name]) => name).toSorted()).toEqual([...documented.keys()].toSorted())
  })

  const inWords = new Set(['JWT_SECRET', 'PUBLIC_URL', 'OUTBOUND_DENY', 'LOG_FORMAT'])
  const exact = settings.filter(({ name }) => !inWords.has(name))
  test.each(exact.map(({ name, value }) => [name, value] as const))('says the default of %s', (name, value) => {
    expect(documented.get(name)).toBe(value === '' ? 'none' : value)
  })
})

describe('docs/channels.md', () => {
  const documented = new Set(quoted(/^\| product \|[^]*?\n\n/m.exec(textOf('docs/channels.md'))?.[0]))

  test.each(Object.keys(channelTypes))('has %s in the table of products', (type) => {
    expect(documented.has(type)).toBe(true)
  })
})

test('docs/operations.md has a row for each condition, and those that are critical first', () => {
  const rows = /^\| condition \|[^]*?\n\n/m.exec(textOf('docs/operations.md'))?.[0] ?? ''
  const documented = [...rows.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)
  expect(documented.toSorted()).toEqual(conditionNames.toSorted())
  const critical = conditionNames.filter((name) => severityOf(name) === 'critical')
  expect(documented.slice(0, critical.length).toSorted()).toEqual(critical.toSorted())
  expect(textOf('docs/operations.md')).toMatch(/The first six of the\s+table are `critical`/)
  expect(critical).toHaveLength(6)
})

describe('docs/metrics.md', () => {
  test('has every metric of /metrics', async () => {
    const { call, close } = await testApp()
    const { text } = await call('GET', '/metrics')
    await close()
    const families = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) =>
      name.replace(/^process_.*/, 'process_…'),
    )
    const documented = new Set(quoted(textOf('docs/metrics.md')).map((name) => name.replace(/\{.*/, '')))
    expect(families.length).toBeGreaterThan(20)
    expect(families.filter((name) => !documented.has(name))).toEqual([])
  })
})

/** Settings in the tables, with their documented defaults. */
function settingRows(text: string): [name: string, standard: string][] {
  return [...text.matchAll(/^\| (?<names>`[A-Z][^|]*) \| (?<standards>[^|]*) \|/gm)].flatMap(({ groups = {} }) => {
    const names = quoted(groups['names'])
    const standards = quoted(groups['standards'])
    const [only = groups['standards'] ?? ''] = standards
    return names.map((name, at): [string, string] => [
      name,
      standards.length === names.length ? (standards[at] ?? '') : only,
    ])
  })
}

function quoted(text = ''): string[] {
  return [...text.matchAll(/`([^`]*)`/g)].map(([, inside = '']) => inside)
}
