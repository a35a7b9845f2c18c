import { afterEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { isWithoutBrowser, launchBrowser, watchContext } from '../browser/browser.ts'
import { signIn } from '../browser/visit.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { outageWorld } from './outage-world.ts'

afterEach(closeAll)

/** A longer outage of an older SLO: `OUTAGE_SECONDS=720 OUTAGE_INTERVAL=30 OUTAGE_AGE=180`. */
const outageSeconds = Number(process.env['OUTAGE_SECONDS'] ?? 55)
const intervalSeconds = Number(process.env['OUTAGE_INTERVAL'] ?? 10)
const ageSeconds = Number(process.env['OUTAGE_AGE'] ?? 70)
const afterSeconds = 20
/** Time from a check to the page, on a busy machine. */
const shownAfterSeconds = 5

/** Texts of the overview's row and of the SLO's page in one second. `sinceFailedSeconds`: since the first failed check. */
type Read = {
  second: number
  isUp: boolean
  sinceFailedSeconds: number | null
  row: string
  sentence: string
  page: string
}

const words = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

if (isWithoutBrowser) process.stderr.write('Skipped, "the page in an outage": chromium is not installed\n')

describe.skipIf(isWithoutBrowser)('the page in an outage of a probed address', () => {
  test('is right in each second: down soon, never 100 %, no figure beyond its bounds, no two that contradict', async () => {
    const world = await outageWorld(intervalSeconds)
    const browser = await launchBrowser()
    closeLater(() => browser.close())
    const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB' })
    const net = await watchContext(context, world.nines.url)
    const overview = await context.newPage()
    await overview.goto(`${world.nines.url}/`)
    await signIn(overview, 'ada')
    await overview.locator('.slo-row').waitFor()
    const slo = await context.newPage()
    await slo.goto(`${world.nines.url}/slos/1`)
    await slo.locator('.now').first().waitFor()

    const reads: Read[] = []
    const beganMs = performance.now()
    const passedSeconds = () => (performance.now() - beganMs) / 1000
    const textOf = async (page: Page, selector: string) => words(await page.locator(selector).first().innerText())
    async function readUntil(lastSecond: number): Promise<void> {
      for (let second = Math.ceil(passedSeconds()); second <= lastSecond; second = Math.ceil(passedSeconds())) {
        await Bun.sleep(1000 * (second - passedSeconds()))
        const { isUp, failedAtMs } = world
        const [row, sentence, page] = await Promise.all([
          textOf(overview, '.slo-row'),
          textOf(slo, '.now'),
          textOf(slo, 'main'),
        ])
        const sinceFailedSeconds = failedAtMs === null ? null : (Date.now() - failedAtMs) / 1000
        reads.push({ second, isUp, sinceFailedSeconds, row, sentence, page })
      }
    }
    await readUntil(ageSeconds)
    world.isUp = false
    const failed = Math.ceil(passedSeconds())
    await readUntil(failed + outageSeconds)
    world.isUp = true
    const mended = Math.ceil(passedSeconds())
    await readUntil(mended + 2 * intervalSeconds + afterSeconds)
    if (process.env['OUTAGE_READS']) await Bun.write(process.env['OUTAGE_READS'], JSON.stringify(reads))

    const stateOf = (text: string) =>
      /^(?:● |▲ |✓ |◔ )?(Down|Up again|On track|Checking again|First figures|Measuring)/.exec(text)?.[1] ?? text
    const firstOf = (state: string, from: number) =>
      reads.find(
        ({ second, row, sentence }) => second >= from && [row, sentence].every((one) => stateOf(one) === state),
      )
    expect((firstOf('Down', failed)?.second ?? Infinity) - failed).toBeLessThanOrEqual(intervalSeconds + 20)
    expect((firstOf('Up again', mended)?.second ?? Infinity) - mended).toBeLessThanOrEqual(2 * intervalSeconds + 5)

    const afterFailure = reads.filter(({ sinceFailedSeconds }) => (sinceFailedSeconds ?? 0) > shownAfterSeconds)
    expect(afterFailure.find(({ row, page }) => /\b100(?:\.0+)? %/.test(`${row} ${sliOf(page)}`))).toBeUndefined()
    expect(reads.find(({ row, page }) => isBeyondBounds(`${row} ${page}`))).toBeUndefined()
    expect(reads.find(({ sentence, page }) => contradicts(sentence, page))).toBeUndefined()
    expect(longestRun(reads, ({ row, page }) => usedIn(row) !== usedIn(page))).toBeLessThanOrEqual(shownAfterSeconds)
    expect(longestRun(reads, ({ row, sentence }) => !isSameState(row, sentence))).toBeLessThanOrEqual(shownAfterSeconds)
    const whileDown = reads.filter(({ sentence }) => sentence.startsWith('Down'))
    expect(whileDown.find(({ page }) => /Nothing was measured|No data|healthy/i.test(page))).toBeUndefined()

    expect(world.heard.map(({ subject }) => subject.slice(0, 15))).toEqual(['My site is down', 'My site is up a'])
    expect(net.problems).toEqual([])

    function isSameState(row: string, sentence: string): boolean {
      const [one, other] = [stateOf(row), stateOf(sentence)].map((state) => state.replace('Measuring', 'First figures'))
      return one === other
    }
  }, 1_500_000)
})

/** Figures that cannot be: below nothing, more than the whole, or no number. */
function isBeyondBounds(text: string): boolean {
  const parts = [...text.matchAll(/([\d.]+) of (?:the )?([\d.]+) min/g)]
  return (
    /[-−]\d|NaN|Infinity|undefined|null|1,000 %/.test(text) || parts.some(([, part, all]) => Number(part) > Number(all))
  )
}

/** Minutes used, as the row of the overview and the card of the budget have them: `8 of 43 min used`. */
function usedIn(text: string): string | undefined {
  return /([\d.]+ of [\d.]+ min) used/.exec(text)?.[1]
}

function sliOf(page: string): string {
  return /SLI, .{0,80}was good/.exec(page)?.[0] ?? ''
}

/** The sentence has another number of minutes than the cards below it, or another forecast. */
function contradicts(sentence: string, page: string): boolean {
  const used = /([\d.]+) of the ([\d.]+ min) .* used/.exec(sentence)
  const left = /([\d.]+) of ([\d.]+) min are left/.exec(sentence)
  const card = /([\d.]+) of ([\d.]+) min used/.exec(page)
  const isOther = used !== null && card !== null && used[1] !== card[1]
  const isOtherRest =
    left !== null && card !== null && Math.abs(Number(left[1]) + Number(card[1]) - Number(card[2])) > 1
  const gone = /is gone in ([^.]+)\./.exec(sentence)?.[1]
  const goneOnCard = /Gone in (\d+ (?:h|min)(?: \d+ min)?)/.exec(page)?.[1]
  return isOther || isOtherRest || (gone !== undefined && goneOnCard !== undefined && gone !== goneOnCard)
}

/** Most reads in a row for which something holds. */
function longestRun(reads: Read[], holds: (read: Read) => boolean): number {
  let [run, longest] = [0, 0]
  for (const read of reads) {
    run = holds(read) ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}
