import { expect } from 'bun:test'
import type { World } from './world.ts'

/** The focused element: its tag, its accessible name, and true if its focus ring is visible. */
type Focus = { tag: string; name: string; isShown: boolean }

/** Keyboard actions. */
export function keysOf(world: Pick<World, 'page'>) {
  const focus = () =>
    world.page.evaluate<Focus>(`(() => {
      const element = document.activeElement
      const rings = [element, element.closest('label') ?? element, element.closest('tr') ?? element].map((shown) => getComputedStyle(shown))
      const labelled = element.labels?.[0]?.textContent
      return {
        tag: element.tagName,
        name: (element.getAttribute('aria-label') ?? labelled ?? element.textContent).trim(),
        isShown: rings.some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2),
      }
    })()`)

  /** Presses Tab until an element with this name has the focus. Every focused element on the way must be visible. */
  const tabTo = async (name: string | RegExp, key = 'Tab') => {
    const passed: string[] = []
    for (let step = 0; step < 80; step++) {
      await world.page.keyboard.press(key)
      const { tag, name: found, isShown } = await focus()
      // BODY: the focus is in the browser's own toolbar
      if (tag !== 'BODY') expect({ tag, found, isShown }).toEqual({ tag, found, isShown: true })
      if (typeof name === 'string' ? found === name : name.test(found)) return
      passed.push(found)
    }
    throw new Error(`${name} is not on the way: ${passed.join(' | ')}`)
  }
  const focusIsOn = async (tag: string, name: string) => {
    const endsMs = performance.now() + 20_000
    for (;;) {
      const found = await focus()
      if (found.tag === tag && found.name === name) return
      if (performance.now() > endsMs) expect(found).toEqual({ tag, name, isShown: true })
      await Bun.sleep(20)
    }
  }
  return { focus, tabTo, focusIsOn }
}
