import type { Page } from 'playwright-core'

/**
 * Longest task of the page's main thread during `action`, from the browser's trace; and the longest in CPU time, which is the
 * same on a quiet machine.
 */
export async function longestTask(page: Page, action: () => Promise<void>): Promise<Task> {
  const browser = page.context().browser()
  if (!browser) throw new Error('the page is not in a browser')
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] })
  await action()
  await Bun.sleep(500)
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid} ${tid}`))
  return {
    ms: Math.max(0, ...tasks.map(({ dur = 0 }) => dur / 1000)),
    cpuMs: Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000)),
  }
}

export type Task = { ms: number; cpuMs: number }
/** Event of Chromium's trace. Microseconds: `dur` of elapsed time, `tdur` of CPU time. */
type TraceEvent = { name: string; pid: number; tid: number; dur?: number; tdur?: number; args: { name?: string } }
