import { expect, test } from 'bun:test'
import type { PageFiles } from '../../src/web/pack-page.ts'
import { reloadRoutes } from '../../src/web/reload-routes.ts'

const entry = {
  script: 'main-1.js',
  theme: 'theme-1.js',
  style: 'page-1.css',
  laterStyle: 'later-1.css',
  icons: 'icons-1.svg',
  font: 'inter-1.woff2',
}

async function eventsOf(load: () => Promise<PageFiles>) {
  const response = await reloadRoutes({ load, everyMs: 1 }).handle(new Request('http://localhost/dev/reload'))
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const next = async (): Promise<string> => {
    const { value = '' } = (await reader?.read()) ?? {}
    return value === ':\n\n' ? next() : value
  }
  return { next, end: () => reader?.cancel() }
}

test('a change of the page is an event with the new names', async () => {
  let style = 'page-1.css'
  const { next, end } = await eventsOf(async () => ({ entry: { ...entry, style }, files: new Map() }))
  expect(await next()).toBe(`data: ${JSON.stringify(entry)}\n\n`)
  style = 'page-2.css'
  expect(await next()).toBe(`data: ${JSON.stringify({ ...entry, style })}\n\n`)
  await end()
})

test('a page that cannot be bundled is no event, and heals', async () => {
  let isBroken = true
  const { next, end } = await eventsOf(async () => {
    if (isBroken) throw new Error('Unexpected token')
    return { entry, files: new Map() }
  })
  expect(await next()).toMatch(/^: .*Unexpected token/)
  isBroken = false
  expect(await next()).toStartWith('data: ')
  await end()
})
