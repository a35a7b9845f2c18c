import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { launchBrowser } from '../test/browser/browser.ts'
import { question } from '../test/support/oauth.ts'
import { demoAt } from './screenshots/demo-at.ts'
import { createCamera, sameEachTime } from './screenshots/camera.ts'
import { viewsOf } from './screenshots/views.ts'
import { root } from './install.mjs'

// Takes a screenshot of each page of the demo, at two widths and in both themes: `npm run screenshots -- [folder] [--only
// name]`, or with `--readme` those of the README. The same source code produces the same files.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true }, readme: { type: 'boolean', default: false } },
})
const readmePictures = [
  ['overview', 'overview', 540],
  ['slo-new-preview', 'new-slo', 760],
] as const
const nowMs = Date.parse('2026-11-18T13:03:12Z')

const world = await demoAt(nowMs)
const browser = await launchBrowser(sameEachTime)
try {
  const { url, ask } = world
  const client = { name: 'Release notes', redirect_uris: ['https://app.example/callback?from=nines'] }
  const { client_id } = await ask('POST', '/oauth/clients', client)
  const views = viewsOf({ ...world, authorizePath: `/oauth/authorize?${question({ client_id: String(client_id) })}` })
  const camera = createCamera({ browser, url, nowMs })
  if (values.readme) {
    const folder = join(root, 'docs', 'images')
    for (const [name, file, height] of readmePictures) {
      const view = views.find((one) => one.name === name)
      if (!view) throw new Error(`there is no view ${name}`)
      await camera.take(view, { width: 1280, height, theme: 'light', path: join(folder, `${file}.webp`) })
      await camera.take(view, { width: 1280, height, theme: 'dark', path: join(folder, `${file}-dark.webp`) })
    }
  } else {
    const folder = positionals[0] ?? join(root, 'screenshots')
    const chosen = views.filter(({ name }) => values.only?.includes(name) ?? true)
    if (!values.only) rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const problems = await Promise.all([1280, 390].map((width) => camera.takeAll(chosen, width, folder)))
    for (const problem of problems.flat()) process.stderr.write(`${problem}\n`)
    if (problems.flat().length > 0) process.exitCode = 1
  }
} finally {
  await browser.close()
  await world.close()
}
