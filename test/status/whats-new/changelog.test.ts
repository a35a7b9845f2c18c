import { expect, test } from 'bun:test'
import changelog from '../../../CHANGELOG.md' with { type: 'text' }
import { version } from '../../../package.json' with { type: 'json' }
import { readReleases } from '../../../src/status/whats-new/changelog.ts'
import { readMarkdown } from '../../../src/web/page/ui/markdown.ts'

const text = `# Changelog

For operators. [The documents](docs/README.md) describe each feature.

## 0.10.0 (not released)

- Not in this nines.

## 0.3.0 (2027-03-01)

Two lines
of one paragraph.

### Page

- A list, whose first entry is wrapped
  once, and [leads on](docs/page.md); [Lucide](https://lucide.dev/icons/) stays.
- <b>No HTML</b>

## 0.2.0 (2026-12-24)

- **Changed:** a default.
`

test('the sections up to a version are read, newest first, with the day of their release', () => {
  const releases = readReleases(text, '0.3.0')
  expect(releases.map(({ version: of, releasedOn }) => [of, releasedOn])).toEqual([
    ['0.3.0', '2027-03-01'],
    ['0.2.0', '2026-12-24'],
  ])
  expect(readReleases(text, '0.10.0')[0]).toEqual({
    version: '0.10.0',
    releasedOn: null,
    text: '- Not in this nines.',
  })
  expect(readReleases('', '0.3.0')).toEqual([])
})

test('wrapped lines are joined, and links into the repository are their labels', () => {
  expect(readReleases(text, '0.3.0')[0]?.text).toBe(
    [
      'Two lines of one paragraph.',
      '',
      '# Page',
      '',
      '- A list, whose first entry is wrapped once, and leads on; [Lucide](https://lucide.dev/icons/) stays.',
      '- <b>No HTML</b>',
    ].join('\n'),
  )
})

test('the changelog of this nines begins with its version, and the page can show all of it', () => {
  const [newest] = readReleases(changelog, version)
  expect(newest?.version).toBe(version)
  const kinds = new Set(readMarkdown(newest?.text ?? '').map(({ kind }) => kind))
  expect([...kinds.difference(new Set(['heading', 'paragraph', 'list']))]).toEqual([])
})
