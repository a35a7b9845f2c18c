import { signal } from '@preact/signals'

/** Actions by their keys: `j`, `?`, or a sequence such as `g o`. */
type Actions = Record<string, () => void>

const flag = 'nines.keys'
const nextKeyWithinMs = 1000
const actions = new Set<Actions>()
let firstKey = ''
let timer: ReturnType<typeof setTimeout> | undefined

/** False if single-key shortcuts are off, as users of speech control need it. */
export const areKeysOn = signal(localStorage.getItem(flag) !== 'off')

/** Turns single-key shortcuts on or off in this browser. */
export function switchKeys(isOn: boolean): void {
  areKeysOn.value = isOn
  if (isOn) localStorage.removeItem(flag)
  else localStorage.setItem(flag, 'off')
}

/**
 * Registers shortcuts until the returned function is called. They do not work while the user types or while a dialog or menu is
 * open. A component calls it in a layout effect, so that its keys work as soon as it is shown.
 */
export function onKeys(shortcuts: Actions): () => void {
  actions.add(shortcuts)
  return () => void actions.delete(shortcuts)
}

document.addEventListener('keydown', (event) => {
  if (!areKeysOn.peek() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (isTyping(event.composedPath()[0]) || document.querySelector('dialog[open], :popover-open')) return
  const keys = firstKey === '' ? event.key : `${firstKey} ${event.key}`
  forgetFirst()
  const action = [...actions].flatMap((some) => (Object.hasOwn(some, keys) ? [some[keys]] : []))[0]
  if (action) {
    event.preventDefault()
    action()
  } else if ([...actions].some((some) => Object.keys(some).some((name) => name.startsWith(`${keys} `)))) {
    firstKey = keys
    timer = setTimeout(forgetFirst, nextKeyWithinMs)
  }
})

function forgetFirst(): void {
  clearTimeout(timer)
  firstKey = ''
}

/**
 * True if the target is a text field. `target`: the first of the event's path; the event's own `target` is only the host of a
 * shadow root.
 */
function isTyping(target: EventTarget | undefined): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}
