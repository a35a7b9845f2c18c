import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../../../../src/web/page/', import.meta.url).pathname
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
const read = (name: string) => readFileSync(folder + name, 'utf8')
const filesWith = (pattern: RegExp, ending: RegExp) =>
  names.filter((name) => ending.test(name) && pattern.test(read(name))).toSorted()

describe('a theme changes only colours: in the dark one, walks repeat only those rules of axe that read colours', () => {
  test('its rules set custom properties to colours, and nothing else', () => {
    const rules = names
      .filter((name) => name.endsWith('.css'))
      .flatMap((name) => [...read(name).matchAll(/data-theme[^{}]*\{([^{}]*)\}/g)].map(([, body = '']) => body))
    expect(rules).toHaveLength(2) // of all pages, and of Explore
    const declarations = rules.flatMap((body) => body.split(';').flatMap((text) => text.trim() || []))
    const isColour =
      /^(?:color-scheme: dark|--[a-z0-9-]+: (?:#[0-9a-f]{6}|(?:(?:, )?(?:\d+(?:px)? )+rgb\([\d /%]+\))+))$/
    expect(declarations.filter((declaration) => !isColour.test(declaration))).toEqual([])
  })

  test('no other style sheet depends on it, and no script but the one of charts, which draws them again', () => {
    expect(filesWith(/data-theme/, /\.css$/)).toEqual(['pages/explore/explore.css', 'style/tokens.css'])
    expect(filesWith(/prefers-color-scheme/, /\.css$/)).toEqual([])
    expect(filesWith(/data-theme|dataset\.theme|prefers-color-scheme/, /\.tsx?$/)).toEqual([
      'charts/plot.tsx',
      'theme.ts',
      'ui/theme-choice.ts',
    ])
  })
})
