import type { ComponentType } from 'preact'
import lazily from 'preact-iso/lazy'
import { recordResponse, retryUntil } from '../api/connection.ts'
import { link } from '../address/base.ts'
import { NoAnswer } from './no-answer.tsx'

const flag = 'nines.reloaded'

/** A route whose code is loaded when it is first shown. */
export function lazy(load: () => Promise<ComponentType>): ComponentType {
  return lazily(() => loadCode(load, NoAnswer))
}

/** A route that loads its code, and the style that is not part of the first load, when it is first shown. */
export function lazyStyled(load: () => Promise<ComponentType>): ComponentType {
  return lazily(() => loadCodeAndStyle(load, NoAnswer))
}

let styleLoad: Promise<void> | undefined

/** Loads code together with the style that is not part of the first load. Errors are handled as in `loadCode`. */
export async function loadCodeAndStyle<T>(load: () => Promise<T>, whileAway?: T): Promise<T> {
  return (await Promise.all([loadCode(load, whileAway), laterStyle()]))[0]
}

/** Loads the later style. It also resolves if that fails: a page without its style is better than none. */
function laterStyle(): Promise<void> {
  return (styleLoad ??= new Promise((resolve) => {
    const style = document.createElement('link')
    style.rel = 'stylesheet'
    style.href = document.querySelector<HTMLMetaElement>('meta[name="later-style"]')?.content ?? ''
    for (const event of ['load', 'error']) style.addEventListener(event, () => resolve(), { once: true })
    document.head.append(style)
  }))
}

/**
 * Loads code. After an upgrade of the server the old files are gone: the page is then reloaded, once, as soon as the server
 * answers. `whileAway`: what is returned if it does not answer.
 */
export async function loadCode<T>(load: () => Promise<T>, whileAway?: T): Promise<T> {
  try {
    const code = await load()
    sessionStorage.removeItem(flag)
    return code
  } catch (error) {
    if (sessionStorage.getItem(flag) !== null) throw error
    if (whileAway !== undefined && !(await isReachable())) {
      void reload()
      return whileAway
    }
    await reload()
    return new Promise<never>(() => {})
  }
}

async function reload(): Promise<void> {
  await retryUntil(isReachable)
  sessionStorage.setItem(flag, '1')
  location.reload()
}

async function isReachable(): Promise<boolean> {
  const isAnswered = await fetch(link('/'), { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
  recordResponse(isAnswered)
  return isAnswered
}
